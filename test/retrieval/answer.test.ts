import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { segmentText } from '../../src/lib/indexing/segment.ts';
import {
  type Asked,
  comment,
  diff,
  doc,
  inlineComment,
  issue,
  pull,
  release,
  review,
  TestProject,
  wiki,
} from '../support/project.ts';

const projects: TestProject[] = [];
async function projectOf(...given: Parameters<typeof TestProject.of>): Promise<TestProject> {
  const project = await TestProject.of(...given);
  projects.push(project);
  return project;
}
afterAll(() => Promise.all(projects.map(({ test: database }) => database.remove())));

const EVERYTHING: Asked = { since: '2000-01-01', top_k: 50 };

describe('rows of one entity', () => {
  const sha = 'ab'.repeat(20);
  let project: TestProject;
  beforeAll(async () => {
    project = await projectOf([
      issue(1, { title: 'Stalls', body: 'stalls' }),
      comment(1, '11', { body: 'It stalls here as well, with a longer text around it.' }),
      comment(1, null, { body: 'It stalls and nobody knows the number of this remark.' }),
      pull(2, { title: 'Fix it', body: 'Fixes #1, which stalls.' }),
      review(2, '21', { body: 'Does it still stall? I think that it stalls.' }),
      inlineComment(2, '22', { path: 'src/x.ts', body: 'This line stalls.' }),
      doc('src/x.ts.md', { body: '# Stalls\n\nIt stalls.' }),
      diff('ab', 'src/x.ts.md', { body: '+it stalls\n' }),
      diff('cd', 'src/x.ts.md', { body: '+it stalls again\n' }),
      diff('ab', 'src/y.ts.md', { body: '+it stalls\n' }),
      doc('src/x.ts.md', { repo: 'acme/other', body: '# Stalls\n\nIt stalls.' }),
      release('v1', { body: 'It no longer stalls.' }),
      release('v2', { body: 'It stalls again.' }),
      wiki('Stalls', { body: 'When it stalls.' }),
    ]);
  });

  const groups = async (asked: Asked): Promise<Map<string, string[]>> => {
    const { results } = await project.search({ top_k: 50, ...asked });
    return new Map(
      results.map(({ reference, same_entity }) => [
        reference ?? '?',
        (same_entity?.others ?? []).map(({ reference: other, type }) => other ?? type),
      ]),
    );
  };
  const files = [':src/x.ts.md', `@${sha}:src/x.ts.md`, `@${'cd'.repeat(20)}:src/x.ts.md`].map(
    (rest) => `acme/app${rest}`,
  );

  test.each<[string, Asked]>([
    ['a search', { query: 'stalls' }],
    ['a scan', { since: '2000-01-01' }],
  ])('fold in %s: a thread, and a file with its diffs; nothing else does', async (_mode, asked) => {
    const folded = await groups(asked);
    const members = [...folded].map(([first, others]) => new Set([first, ...others]));
    expect(members).toHaveLength(8);
    expect(members).toContainEqual(new Set(['acme/app#1', 'acme/app#1/comment/11', 'issue_comment']));
    expect(members).toContainEqual(new Set(['acme/app#2', 'acme/app#2/review/21', 'acme/app#2/review_comment/22']));
    expect(members).toContainEqual(new Set(files));
    for (const alone of [
      `acme/app@${sha}:src/y.ts.md`,
      'acme/other:src/x.ts.md',
      'acme/app/release/v1',
      'acme/app/release/v2',
      'acme/app/wiki/Stalls',
    ]) {
      expect(folded.get(alone)).toEqual([]);
    }
  });

  test('are represented by the best of them', async () => {
    const answer = await project.search({ query: 'longer text around' });
    expect(answer.results[0]).toMatchObject({ reference: 'acme/app#1/comment/11', title: 'Stalls' });
    const { results } = await project.search({ query: 'stalls', top_k: 50, rerank: false });
    for (const { sparse_rank, score, same_entity } of results) {
      expect(sparse_rank).not.toBeNull();
      for (const other of same_entity?.others ?? []) expect(other.score).toBeLessThan(score ?? 0);
    }
    expect(results.map(({ sparse_rank }) => sparse_rank)).toEqual(
      results.map(({ sparse_rank }) => sparse_rank).sort((a, b) => Number(a) - Number(b)),
    );
  });

  test('are cut after they are folded', async () => {
    const { results, count } = await project.search({ query: 'stalls', top_k: 3 });
    expect([count, results.length]).toEqual([3, 3]);
  });

  test('are all counted and few named, each with what identifies it', async () => {
    const { results } = await project.search({ query: 'stalls', top_k: 50, type: ['issue', 'issue_comment'] });
    expect(results).toHaveLength(1);
    const others = results[0]?.same_entity?.others ?? [];
    expect(results[0]?.same_entity?.count).toBe(2);
    const known = others.find(({ reference }) => reference !== undefined);
    expect(known).toMatchObject({
      repo: 'acme/app',
      type: 'issue_comment',
      reference: 'acme/app#1/comment/11',
      url: 'https://github.com/acme/app/issues/1#issuecomment-11',
      updated_at: '2024-01-02T00:00:00.000Z',
      provenance: { repo: 'acme/app', type: 'issue_comment', identity: 11, content_source: 'index' },
    });
    const unknown = others.find(({ reference }) => reference === undefined);
    for (const field of ['source_id', 'provenance', 'activation']) expect(unknown).not.toHaveProperty(field);
  });
});

describe('a result', () => {
  test('has the fields of its type', async () => {
    const sha = 'ab'.repeat(20);
    const project = await projectOf([
      issue(1, { labels: ['bug'], milestone: 'v2', assignees: ['grace'], title: `${'x'.repeat(199)}😀 tail` }),
      inlineComment(2, '9007199254740993', { path: 'src/x.ts', line: 7, commit: sha }),
      review(3, '9007199254740991'),
      release('v1', { title: 'First' }),
      doc('docs/a.md', { body: '# One\n\nText.' }),
      wiki('Home', { title: 'Home' }),
      diff('ab', 'src/y.ts', { body: '@@ -4,2 +5,3 @@ function main()\n a\n+b\n c\n' }),
    ]);
    const { results } = await project.search(EVERYTHING);
    const byType = new Map(results.map((result) => [result.type, result]));
    expect(byType.get('issue')).toMatchObject({
      number: 1,
      state: 'open',
      labels: ['bug'],
      milestone: 'v2',
      assignees: ['grace'],
      author: 'ada',
      created_at: '2024-01-01T00:00:00.000Z',
      updated_at: '2024-01-02T00:00:00.000Z',
      title: `${'x'.repeat(199)}😀`,
    });
    expect(byType.get('pr_review_comment')).toMatchObject({
      number: 2,
      comment_id: '9007199254740993',
      file_path: 'src/x.ts',
      commit_sha: sha,
      line: 7,
      title: '#2',
      provenance: { identity: '9007199254740993' },
      url: 'https://github.com/acme/app/pull/2#discussion_r9007199254740993',
    });
    expect(byType.get('pr_review')).toMatchObject({ number: 3, review_id: 9007199254740991, state: 'approved' });
    expect(byType.get('release')).toMatchObject({ tag_name: 'v1', title: 'First' });
    expect(byType.get('doc')).toMatchObject({ doc_path: 'docs/a.md', title: 'One', heading_path: ['One'] });
    expect(byType.get('wiki_doc')).toMatchObject({ wiki_path: 'Home', title: 'Home' });
    expect(byType.get('diff')).toMatchObject({ file_path: 'src/y.ts', commit_sha: sha, lines: { start: 5, end: 7 } });
    for (const field of ['doc_path', 'wiki_path', 'file_path', 'tag_name', 'commit_sha', 'comment_id', 'line']) {
      expect(byType.get('issue')).not.toHaveProperty(field);
    }
  });

  test('shows the passage that was found, and links to its lines on the real branch or commit', async () => {
    const filler = (word: string): string => `${word} paragraph with some words in it. `.repeat(40);
    const body = `# Guide\n\n${filler('first')}\n\n## Needle\n\nThe xylophone is here.\n\n## Rest\n\n${filler('last')}`;
    const head = 'fe'.repeat(20);
    const facts = new Map([
      ['acme/app', { defaultBranch: 'trunk', headCommit: head }],
      ['acme/other', { defaultBranch: 'release/2.x' }],
    ]);
    const project = await projectOf(
      [doc('docs/a.md', { body }), doc('docs/a.md', { body, repo: 'acme/other' })],
      facts,
    );
    const { results } = await project.search({ query: 'xylophone' });
    const links = results.map(({ url, lines, heading_path, snippet }) => {
      expect({ lines, heading_path }).toEqual({ lines: { start: 5, end: 8 }, heading_path: ['Guide', 'Needle'] });
      expect(snippet).toContain('The «xylophone» is here.');
      return url;
    });
    expect(links).toEqual([
      `https://github.com/acme/app/blob/${head}/docs/a.md?plain=1#L5-L8`,
      'https://github.com/acme/other/blob/release/2.x/docs/a.md?plain=1#L5-L8',
    ]);
  });

  test('never carries the page of an export that is no web page', async () => {
    const project = await projectOf([
      issue(1, { url: 'javascript:alert(1)' }),
      release('v1', { url: ' JavaScript:x' }),
    ]);
    for (const asked of [EVERYTHING, { query: 'stalls' }, { sources: ['acme/app#1', 'acme/app/release/v1'] }]) {
      expect(JSON.stringify(await project.search(asked))).not.toMatch(/javascript/i);
    }
  });
});

describe('contents', () => {
  const pages = (type: typeof doc | typeof wiki, name: string): Document[] =>
    Array.from({ length: 5 }, (_, i) => type(`${name}-${String(i)}`, { body: `Body ${String(i)} of ${name} stalls.` }));
  let project: TestProject;
  beforeAll(async () => {
    project = await projectOf([...pages(doc, 'docs'), ...pages(wiki, 'pages'), issue(1)]);
  });

  test.each<[string, Asked]>([
    ['a search', { query: 'stalls', top_k: 50 }],
    ['a scan', EVERYTHING],
  ])('come on request with the first three docs and wiki pages of %s', async (_mode, asked) => {
    const { results } = await project.search({ ...asked, include_content: true });
    expect(results).toHaveLength(11);
    for (const type of ['doc', 'wiki_doc']) {
      const rows = results.filter((result) => result.type === type);
      expect(rows.map(({ content }) => content !== undefined)).toEqual([true, true, true, false, false]);
      expect(rows[0]).toMatchObject({ content_source: 'index', index_updated_at: '2024-06-01T12:00:00.000Z' });
      expect(rows[0]?.content).toMatch(/^Body \d of \w+ stalls\.$/);
      expect(rows[4]).not.toHaveProperty('content_source');
    }
    expect(results.find(({ type }) => type === 'issue')).not.toHaveProperty('content');
    for (const result of (await project.search(asked)).results) expect(result).not.toHaveProperty('content');
  });
});

describe('a scan', () => {
  const NOW = Date.UTC(2024, 5, 1, 12);
  const HOUR = 3_600_000;
  let project: TestProject;
  beforeAll(async () => {
    project = await projectOf(Array.from({ length: 20 }, (_, i) => issue(i + 1, { updatedAt: NOW - i * 12 * HOUR })));
    project.test.clock.ms = NOW;
  });
  const numbers = async (asked: Asked): Promise<unknown[]> =>
    (await project.search(asked)).results.map(({ number }) => number);

  test('looks at the last seven days, newest first', async () => {
    const answer = await project.search({ top_k: 50 });
    expect(answer).toMatchObject({ mode: 'scan', since: '2024-05-25T12:00:00.000Z', truncated: false, count: 15 });
    expect(answer.until?.slice(0, 19)).toBe('2024-06-01T12:00:00');
    expect(await numbers({ top_k: 50 })).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
    for (const query of ['', '  \n ']) expect((await project.search({ query })).mode).toBe('scan');
  });

  test('looks at the seven days before until', async () => {
    const answer = await project.search({ until: '2024-05-26T12:00:00Z', top_k: 50 });
    expect(answer).toMatchObject({ since: '2024-05-19T12:00:00.000Z', until: '2024-05-26T12:00:00.000Z' });
    expect(await numbers({ until: '2024-05-26T12:00:00Z', top_k: 50 })).toEqual([14, 15, 16, 17, 18, 19, 20]);
  });

  test('says whether its window holds more', async () => {
    expect(await project.search({ top_k: 14 })).toMatchObject({ count: 14, truncated: true });
    expect(await project.search({ top_k: 15 })).toMatchObject({ count: 15, truncated: false });
    expect(await numbers({ since: '36h', top_k: 2 })).toEqual([1, 2]);
    expect(await project.search({ since: '36h', top_k: 4 })).toMatchObject({ count: 4, truncated: false });
  });

  test('has results without ranks', async () => {
    const { results, sparse_candidates } = await project.search({ top_k: 1 });
    expect(sparse_candidates).toBe(0);
    expect(results[0]).toMatchObject({ score: null, sparse_score: null, sparse_rank: null, rerank_score: null });
  });

  test('reaches back to the beginning of time', async () => {
    const minutes = Math.floor((NOW + 8.64e15) / 60_000);
    expect((await project.search({ until: `${String(minutes)}m` })).since).toBe('-271821-04-20T00:00:00.000Z');
    expect((await project.search({ since: '0001-01-01', top_k: 50 })).count).toBe(20);
  });
});

test('an answer says when each of its repositories was indexed', async () => {
  const project = await projectOf([issue(1), issue(1, { repo: 'acme/Zeta' })]);
  project.test.clock.ms += 86_400_000;
  await project.add([issue(2, { repo: 'acme/zulu', title: 'Only here' })]);
  const zulu = { repo: 'acme/zulu', index_updated_at: '2024-06-02T12:00:00.000Z' };
  const app = { repo: 'acme/app', index_updated_at: '2024-06-01T12:00:00.000Z' };
  expect((await project.search(EVERYTHING)).repos).toEqual([{ ...app, repo: 'acme/Zeta' }, app, zulu]);
  expect((await project.search({ query: 'only here', repo: 'ACME/ZULU' })).repos).toEqual([zulu]);
  expect((await project.search({ query: 'xylophone' })).repos).toEqual([]);
});

describe('an answer is lean', () => {
  const sentence = 'The scheduler drops tasks when the queue is full and the worker restarts after a timeout. ';
  const chinese = '向量数据库的索引重建之后搜索结果为空，请检查分词器的配置。';
  const typical = (i: number): Document[] => [
    issue(i, {
      title: `Scheduler drops tasks under load, case ${String(i)}`,
      body: sentence.repeat(20),
      labels: ['bug', 'scheduler'],
      milestone: 'v2.0',
    }),
    comment(i, String(i * 1_000_003), {
      body: sentence.repeat(5),
      url: `https://github.com/acme/app/issues/${String(i)}#issuecomment-${String(i * 1_000_003)}`,
    }),
    comment(i, String(i * 1_000_033), { body: sentence.repeat(3) }),
  ];
  let project: TestProject;
  beforeAll(async () => {
    project = await projectOf([
      ...Array.from({ length: 12 }, (_, i) => typical(i + 1)).flat(),
      doc('docs/搜索.md', { body: `# 搜索结果\n\n- ${chinese.repeat(6)}\n\n## 分词器配置\n\n- ${chinese}` }),
      issue(500, { title: '搜索结果为空', body: chinese }),
      diff('ab', 'src/检索.ts', { preface: chinese, body: `+// ${chinese}\n` }),
    ]);
  });

  const MODES: Asked[] = [
    { query: 'scheduler drops tasks' },
    { ...EVERYTHING, top_k: 10 },
    { query: '搜索结果为空', include_content: true },
    { sources: ['acme/app#500', 'acme/app:docs/搜索.md'] },
    { query: 'nothing like it', repo: 'no/where' },
  ];

  test('ten typical results take less than 12,000 characters', async () => {
    for (const asked of MODES.slice(0, 2)) {
      const answer = await project.search(asked);
      expect(answer.count).toBe(10);
      expect(JSON.stringify(answer).length).toBeLessThan(12_000);
    }
  });

  test('no answer holds ids of rows, vectors, or text made for the index', async () => {
    const internal = /(^|_)(id|rowid|document|passage|entity|embedding|vector|key|hash|blob|tier|place)$/i;
    const allowed = new Set(['source_id', 'trace_id', 'comment_id', 'review_id', 'same_entity']);
    for (const asked of MODES) {
      const answer = await project.search(asked);
      const keys: string[] = [];
      const text = JSON.stringify(answer, (key, value: unknown) => {
        keys.push(key);
        return value;
      });
      expect([...new Set(keys)].filter((key) => internal.test(key) && !allowed.has(key))).toEqual([]);
      // Where no space was written, none comes out; marks may stand between.
      const han = '[\\u4E00-\\u9FFF]';
      expect(text).not.toMatch(new RegExp(`${han}[«»]* [«»]*${han}`));
    }
    // The scan would see it: this is what stands in the index.
    expect(segmentText('搜索结果为空')).toContain(' ');
    expect(JSON.stringify(await project.search(MODES[2] ?? {}))).toContain('搜索');
  });
});
