import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/core/failure.ts';
import { gitProcess } from '../../../src/lib/adapters/git/git.ts';
import type { GitRepository } from '../../../src/lib/engine/git.ts';
import { TestRepository } from '../../support/repository.ts';
import { all, reading } from './reading.ts';

let repository: TestRepository;
let range: { from: string; not: string[] };

// Enough history that no process can have printed all of it before it is stopped.
beforeAll(() => {
  repository = TestRepository.init();
  const commits = Array.from({ length: 3000 }, (_, at) => {
    const who = `Ada Example <ada@example.org> ${String(1_700_000_000 + at)} +0000`;
    const text = `${String(at)}\n`.repeat(200);
    return `commit refs/heads/main\ncommitter ${who}\ndata 2\nm\nM 100644 inline a.txt\ndata ${String(text.length)}\n${text}\n`;
  });
  repository.gitWith({ input: commits.join('') }, 'fast-import', '--quiet');
  range = { from: repository.git('rev-parse', 'HEAD'), not: [] };
});

afterAll(() => {
  repository.remove();
});

/** Children of this process, zombies too, with their names. */
function children(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return Number(parent) === process.pid && name === 'git' ? [`${pid} ${name}`] : [];
      } catch {
        return [];
      }
    });
}

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) {
    expect(children()).not.toEqual([]);
    return item;
  }
  return undefined;
}

describe.runIf(process.platform === 'linux')('processes', () => {
  const iterables: [string, (opened: GitRepository) => AsyncIterable<unknown>][] = [
    ['log', (opened) => opened.log(range)],
    ['tree', (opened) => opened.tree(range.from)],
    ['blobs', (opened) => opened.blobs([repository.git('rev-parse', 'HEAD:a.txt')], 1 << 20)],
  ];

  it.each(iterables)('end when the iteration is left early: %s', async (_, iterable) => {
    await reading(repository, async (opened) => {
      const item = await first(iterable(opened));
      expect(item).toBeDefined();
      expect(children()).toEqual([]);
    });
  });

  it('end by themselves after the last item', async () => {
    await reading(repository, async (opened) => {
      expect(await opened.count(range)).toBe(3000);
      expect(await all(opened.log({ ...range, skip: 2900 }))).toHaveLength(100);
      expect(children()).toEqual([]);
    });
  });

  it('end when the signal aborts, and the iteration fails as interrupted', async () => {
    const controller = new AbortController();
    const opened = await gitProcess().open(repository.path, controller.signal);
    let seen = 0;
    const read = async (): Promise<void> => {
      for await (const commit of opened.log(range)) {
        expect(commit.files).toHaveLength(1);
        if ((seen += 1) === 10) controller.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toBeLessThan(3000);
    expect(children()).toEqual([]);
    await expect(opened.count(range)).rejects.toMatchObject({ code: 'interrupted' });
    await opened.close();
  });

  it('fail with the reason of the abort when that is a failure', async () => {
    const reason = new Failure('interrupted', 'stopped by a test');
    await expect(gitProcess().open(repository.path, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('end on close, though an iteration still runs', async () => {
    const opened = await gitProcess().open(repository.path, new AbortController().signal);
    const log = opened.log(range)[Symbol.asyncIterator]();
    expect((await log.next()).done).toBe(false);
    expect(children()).not.toEqual([]);
    await opened.close();
    expect(children()).toEqual([]);
  });

  it('wait for the reader: a slow one holds little', async () => {
    await reading(repository, async (opened) => {
      const log = opened.log(range)[Symbol.asyncIterator]();
      await log.next();
      const running = children().length;
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      // All still there: none could print its thousands of commits into a reader that does not read.
      expect(children()).toHaveLength(running);
      await log.return?.(undefined);
    });
  });
});
