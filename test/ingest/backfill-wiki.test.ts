import { describe, expect, it } from 'vitest';
import { change } from '../../src/lib/engine/database.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { backfill } from '../../src/lib/operations.ts';
import { testEngine } from '../support/engine.ts';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';

let index: GitHubProject['index'];
let gh: GitHubProject['gh'];
let app: GitHubProject['app'];
const cache = eachWithGitHub((project) => {
  ({ index, gh, app } = project);
});

const parts = () => ({ source: sourceFor(gh, cache) });
const run = () => index.run('acme/app', { types: ['wiki_doc'] }, parts());
const fix = (input: Record<string, unknown> = {}) =>
  invoke(backfill, testEngine(index.test, parts()), { surface: 'wiki', repo: 'acme/app', ...input });

describe('wiki', () => {
  it('brings the pages to what the repository has, in parts, whatever the watermark says', async () => {
    app.wiki.commit('Begin', {
      'Home.md': 'Read Guide and Setup',
      'How to.md': 'See [[Home]]',
      'Guide.md': 'A guide',
      'Setup.md': 'Of everything',
      '_Sidebar.md': 'Home',
    });
    await run();
    const sound = await index.digest();
    const edges = await index.edges();
    await index.test.database.write([
      change("DELETE FROM documents WHERE key IN ('acme/app/wiki/Guide', 'acme/app/wiki/Setup')"),
      change("DELETE FROM edges WHERE dst LIKE '%Guide'"),
      change("UPDATE documents SET content_hash = 'old', title = 'Old' WHERE key LIKE '%How-to'"),
      change(`INSERT INTO documents (repo_id, type, key, entity, source_id, version, path, title, created_at, updated_at, blob, content_hash)
          SELECT repo_id, type, 'acme/app/wiki/Zzz', 'self:acme/app/wiki/Zzz', NULL, version, 'Zzz', title, created_at, updated_at, blob, 'zzz'
          FROM documents WHERE key LIKE '%Home'`),
    ]);
    const damaged = await index.keys();
    expect(await fix({ dry_run: true })).toMatchObject({ looked: 5, repaired: 4, done: true });
    expect(await index.keys()).toEqual(damaged);
    expect(await fix({ limit: 2 })).toMatchObject({ looked: 2, repaired: 1, next_cursor: 'page:Home' });
    expect(await fix({ limit: 3, cursor: 'page:Home' })).toMatchObject({ looked: 3, repaired: 3, done: true });
    expect(await index.keys()).toEqual(['/wiki/Guide', '/wiki/Home', '/wiki/How-to', '/wiki/Setup']);
    expect(await index.digest()).toBe(sound);
    expect(await index.edges()).toEqual(edges);
    expect(await fix()).toMatchObject({ looked: 4, repaired: 0, done: true });
    // The watermark stands where it stood.
    expect(await run()).toMatchObject({ written: 0, removed: 0 });
    for (const cursor of ['Home', 'page:%']) {
      await expect(fix({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it('goes on after a page with a long name', async () => {
    const names = ['a', 'b'].map((letter) => letter.repeat(240));
    app.wiki.commit('Begin', Object.fromEntries(names.map((name) => [`${name}.md`, 'Of everything'])));
    await run();
    const { next_cursor: cursor } = await fix({ limit: 1 });
    expect(await fix({ limit: 1, cursor })).toMatchObject({ looked: 1, repaired: 0, done: true });
  });

  it('says where there is none', async () => {
    await index.run('acme/app', { types: ['issue'] }, parts());
    expect(await fix()).toMatchObject({ looked: 0, done: true, notes: ['acme/app has no wiki page'] });
    await expect(fix({ repo: undefined })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
