import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTHOR, TestRepository } from '../support/repository.ts';
import { freshDigest, REPO, TestIndex } from '../support/test-index.ts';

let repository: TestRepository;
let index: TestIndex;

beforeEach(() => {
  repository = TestRepository.init();
  index = new TestIndex();
});

afterEach(async () => {
  repository.remove();
  await index.remove();
});

const TAGS = { types: ['release'] };

function annotate(name: string, message: string, ...more: string[]): void {
  repository.gitWith({ input: message }, 'tag', '--annotate', '--file=-', '--cleanup=verbatim', ...more, name);
}

describe('tags', () => {
  it('become releases, light ones without notes', async () => {
    const first = repository.commit('first', { 'a.ts': 'a\n' });
    repository.git('tag', 'v1');
    repository.commit('second', { 'a.ts': 'b\n' });
    annotate('v2', 'The cache is gone.\n\nUse the index.\n');
    repository.git('tag', 'tree', 'HEAD^{tree}');
    expect(await index.run(repository, TAGS)).toMatchObject({ written: 2, skipped: {} });
    const time = (seconds: number) => new Date((1_700_000_000 + seconds) * 1000).toISOString().replace('.000Z', 'Z');
    expect(await index.documents()).toMatchObject([
      { type: 'release', key: 'acme/app/release/v1', title: 'v1', author: AUTHOR, body: '', version: time(60) },
      { key: 'acme/app/release/v2', title: 'v2', body: 'The cache is gone.\n\nUse the index.', version: time(120) },
    ]);
    expect(await index.found('passages_nat', 'caches')).toEqual(['acme/app/release/v2']);
    repository.git('tag', 'v1.1', first);
    expect(await index.run(repository, TAGS)).toMatchObject({ written: 1, unchanged: 2 });
  });

  it('that were moved change, and that were deleted leave', async () => {
    repository.commit('first', { 'a.ts': 'a\n' });
    for (const name of ['kept', 'moved', 'gone']) repository.git('tag', name);
    await index.run(repository, TAGS);
    repository.commit('second', { 'a.ts': 'b\n' });
    annotate('moved', 'Elsewhere now.', '--force');
    repository.git('tag', '--delete', 'gone');
    expect(await index.run(repository, TAGS)).toMatchObject({ written: 1, unchanged: 1, removed: 1 });
    expect(await index.keys()).toEqual(['/release/kept', '/release/moved']);
    expect(await index.found('passages_nat', 'gone')).toEqual([]);
    expect(await index.digest()).toBe(await freshDigest([repository], TAGS));
  });

  it('are left out before a time, unless they are indexed already', async () => {
    repository.commit('first', { 'a.ts': 'a\n' });
    repository.git('tag', 'v1');
    repository.git('tag', 'moving');
    const old = repository.git('rev-parse', 'HEAD');
    repository.commit('second', { 'a.ts': 'b\n' });
    repository.git('tag', '--force', 'moving');
    const since = new Date(repository.now).toISOString();
    expect(await index.run(repository, { ...TAGS, since })).toMatchObject({
      written: 1,
      skipped: { 'before since': 1 },
    });
    repository.git('tag', '--force', 'moving', old);
    expect(await index.run(repository, { ...TAGS, since })).toMatchObject({ written: 1 });
    expect(await index.run(repository, TAGS)).toMatchObject({ written: 1 });
    expect(await index.digest()).toBe(await freshDigest([repository], TAGS));
  });

  it('give way to releases of an export, whichever came first', async () => {
    repository.commit('first', { 'a.ts': 'a\n' });
    annotate('v1', 'From the tag.');
    repository.git('tag', 'v0');
    const file = join(repository.path, 'export.jsonl');
    const published = new Date(repository.now - 3600_000).toISOString();
    const release = {
      repo: REPO,
      type: 'release',
      tag_name: 'v1',
      title: 'One',
      body: 'From GitHub.',
      updated_at: published,
    };
    writeFileSync(file, JSON.stringify(release));
    await index.run(repository, TAGS);
    await index.run(file);
    expect((await index.documents()).map(({ body }) => body)).toEqual(['', 'From GitHub.']);
    const other = new TestIndex();
    await other.run(file);
    expect(await other.run(repository, TAGS)).toMatchObject({ written: 1, skipped: { 'tag with a release': 1 } });
    expect(await index.digest()).toBe(await other.digest());
    await other.remove();
    // The tag is deleted, the release is not the repository's to remove.
    repository.git('tag', '--delete', 'v1', 'v0');
    expect(await index.run(repository, TAGS)).toMatchObject({ removed: 1 });
    expect(await index.keys()).toEqual(['/release/v1']);
  });
});
