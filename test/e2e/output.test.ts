import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatusOutput } from '../../src/lib/admin/status.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { TestRepository } from '../support/repository.ts';
import { call, EXAMPLE, Sandbox } from './sandbox.ts';

/** What a terminal obeys or nobody sees; the newline and the tab are ours. */
const HOSTILE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/u;
/** Our own colours. */
const COLOR = /\u001B\[\d+m/g;

const ESCAPE = '\u001B[2J\u001B]0;owned\u0007\u009B31m';
const HIDDEN = '\u202Ereversed\u2066\u200Bzero\uFEFF\u00AD\u{E0041}tag\u2028line';
const EVIL = `evil${ESCAPE}${HIDDEN}evil`;
const TIMES = { created_at: '2024-01-01T00:00:00Z', updated_at: '2024-01-02T00:00:00Z' };

/** Every field of a stranger's that an answer shows. */
const RECORDS = [
  {
    type: 'issue',
    number: 1,
    title: `needle ${EVIL}`,
    body: `needle\n\n${EVIL}\n\nsee #2`,
    labels: [EVIL],
    milestone: EVIL,
    assignees: [EVIL],
    author: EVIL,
    state: 'open',
    url: `https://github.com/acme/app/issues/1?${EVIL}`,
    ...TIMES,
  },
  { type: 'issue', number: 2, title: EVIL, body: EVIL, author: EVIL, ...TIMES },
  { type: 'doc', path: `docs/${EVIL}.md`, body: `# needle ${EVIL}\n\n${EVIL} #1`, ...TIMES },
  { type: 'wiki_doc', path: `Page-${EVIL}`, title: EVIL, body: `needle ${EVIL}`, author: EVIL, ...TIMES },
  { type: 'release', tag_name: `v1${EVIL}`, title: EVIL, body: `needle ${EVIL}`, author: EVIL, ...TIMES },
  {
    type: 'diff',
    commit_sha: 'ab'.repeat(20),
    path: `src/${EVIL}.ts`,
    title: `needle ${EVIL}`,
    body: `+const needle = '${EVIL}';`,
    author: EVIL,
    ...TIMES,
  },
];

let sandbox: Sandbox;
let clone: TestRepository;
beforeAll(async () => {
  sandbox = await Sandbox.build();
  clone = TestRepository.init();
  clone.git('remote', 'add', 'origin', 'git@github.com:Acme/App.git');
  clone.commit(`needle ${EVIL.replaceAll('\u0000', '')}`, {
    'a.txt': 'needle\n',
    [`docs/e\u001B[2Jvil\u202E.md`]: `# ${EVIL}\n\nneedle\n`,
  });
  clone.git('tag', 'v1\u202Eevil\u200B');
  clone.git('branch', '--move', 'main\u202Eevil\u200B');
});
afterAll(() => {
  clone.remove();
  sandbox.remove();
});

describe('text of strangers', () => {
  let evil: Sandbox;
  beforeAll(async () => {
    evil = sandbox.another();
    const index = await evil.run(['index', evil.export(RECORDS), clone.path]);
    expect(index.code).toBe(0);
    expect(index.out + index.err).not.toMatch(HOSTILE);
  });

  const commands = [
    ['search', 'needle', '--graph-expand', '--graph-hops', '2', '-n', '50', '--include-content'],
    ['show', '1', '2', '3', '4', '5', '6'],
    ['use', '1', '2', '3', '--stage', 'used', '--through'],
    ['confirm', '1', '--reason', EVIL],
    ['rollback', 'last', '--reason', EVIL],
    ['history'],
    ['history', 'last'],
    ['status'],
  ];

  it('reaches no terminal and no file of a pipe, in colour or in JSON', async () => {
    await evil.ok(['search', `needle ${EVIL}`, '--author', EVIL]);
    for (const command of commands) {
      const { code, out, err } = await evil.run(command, { env: { CLICOLOR_FORCE: '1' } });
      expect({ command, code, err: err.replace(COLOR, '') }).toEqual({
        command,
        code: 0,
        err: expect.not.stringMatching(HOSTILE),
      });
      expect(out.replace(COLOR, ''), command.join(' ')).not.toMatch(HOSTILE);
    }
    for (const command of [commands[0] ?? [], ['history'], ['history', 'last']]) {
      const out = await evil.ok([...command, '--json']);
      expect(out, command.join(' ')).not.toMatch(HOSTILE);
      expect(JSON.stringify(JSON.parse(out))).not.toMatch(HOSTILE);
      expect(JSON.parse(out), 'not even as an escape').toSatisfy(
        (value) => !deepText(value).some((each) => HOSTILE.test(each)),
      );
    }
  });

  it('reaches no agent', async () => {
    const client = await evil.client();
    try {
      const answer = await call<SearchOutput>(client, 'search', {
        query: 'needle',
        top_k: 50,
        graph_expand: true,
        include_content: true,
      });
      expect(answer.count).toBeGreaterThan(5);
      for (const output of [answer, await call(client, 'memory_history', {}), await call(client, 'status', {})]) {
        expect(deepText(output).filter((each) => HOSTILE.test(each))).toEqual([]);
      }
    } finally {
      await client.close();
    }
  });
});

/** Every text in a value, names of fields too. */
function deepText(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...deepText(member)]);
}

describe('output', () => {
  beforeAll(() => sandbox.ok(['index', EXAMPLE]));

  it('has no colour in a pipe, none with NO_COLOR, and some where it is forced', async () => {
    const search = ['search', 'v1 cache'];
    const [piped, without, forced] = await Promise.all([
      sandbox.run(search),
      sandbox.run(search, { env: { NO_COLOR: '1', CLICOLOR_FORCE: '1' } }),
      sandbox.run(search, { env: { CLICOLOR_FORCE: '1' } }),
    ]);
    expect(piped.out + piped.err + without.out + without.err).not.toContain('\u001B');
    expect(forced.err).toContain('\u001B[2m');
    expect(piped.out.split('\n').filter((line) => /^\d/.test(line)).length).toBeGreaterThan(1);
  });

  it('ends quietly when head has seen enough', async () => {
    const large = sandbox.another();
    const body = 'a line of a long document\n'.repeat(40_000);
    await large.ok(['index', large.export([{ type: 'doc', path: 'long.md', body, ...TIMES }])]);
    const { code, out, err } = await large.shell('gh-rag show acme/app:long.md | head -n 2');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n')).toHaveLength(3);
    const child = large.start(['show', 'acme/app:long.md']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [said, [ended]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'close')]);
    expect({ ended: ended as unknown, said }).toEqual({ ended: 0, said: '' });
  });

  it('is about the repository of the working directory, where that is indexed and nothing else was said', async () => {
    const search = ['search', 'cache', '-n', '1'];
    const outside = join(sandbox.home, 'elsewhere');
    mkdirSync(outside);
    const [inside, everything, environment, elsewhere, flag] = await Promise.all([
      sandbox.run(search, { cwd: clone.path }),
      sandbox.run([...search, '--all-repos'], { cwd: clone.path }),
      sandbox.run(search, { cwd: outside, env: { GH_REPO: 'acme/app' } }),
      sandbox.run(search, { cwd: outside }),
      sandbox.run([...search, '-R', 'https://github.com/acme/app'], { cwd: outside }),
    ]);
    expect(inside.err).toMatch(/^in acme\/app \(this directory\); --all-repos searches everything$/im);
    expect(environment.err).toContain('in acme/app (GH_REPO); --all-repos searches everything\n');
    for (const quiet of [everything, elsewhere, flag]) expect(quiet.err).not.toContain('--all-repos');
    for (const { code, out } of [inside, everything, environment, elsewhere, flag]) {
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^1\tacme\/app/) });
    }
  });
});

it('tells and indexes only what allowed_repos of the configuration names', async () => {
  const shared = sandbox.another();
  const record = (repo: string, word: string) => {
    return { repo, type: 'issue', number: 1, title: `Kettle ${word}`, body: `It ${word} leaks.`, ...TIMES };
  };
  const both = shared.export([record('acme/app', 'plainly'), record('vault/hidden', 'canary')]);
  expect(await shared.ok(['index', both])).toContain('vault/hidden');
  const folder = join(shared.home, 'config', 'gh-rag');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), '{ "allowed_repos": ["acme/*"] }');
  const [found, index, client] = await Promise.all([
    shared.ok(['search', 'kettle']),
    shared.run(['index', 'vault/hidden']),
    shared.client(),
  ]);
  const answer = await call<SearchOutput>(client, 'search', { query: 'kettle' });
  const status = await call<StatusOutput>(client, 'status', {});
  // A server that is running obeys a list that was narrowed.
  writeFileSync(join(folder, 'config.json'), '{ "allowed_repos": [] }');
  const narrowed = await call<SearchOutput>(client, 'search', { query: 'kettle' });
  await client.close();
  expect(found).toContain('plainly');
  expect([answer.count, status.documents, narrowed.count]).toEqual([1, 1, 0]);
  expect(found + JSON.stringify([answer, status])).not.toMatch(/canary|vault/);
  const error = 'error: TARGET: the configuration does not allow the repository vault/hidden';
  const hint = 'hint: Add it to allowed_repos in config.json, as owner/name or owner/*.';
  expect(index).toMatchObject({ code: 2, out: '', err: `${error}\n${hint}\n` });
});
