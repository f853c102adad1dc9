import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceFor } from '../support/github-index.ts';
import { startGitHub } from '../support/github/start.ts';
import { TestIndex } from '../support/test-index.ts';

it('first', async (t) => {
  const index = new TestIndex();
  const cache = mkdtempSync(join(tmpdir(), 'gh-rag-test-'));
  t.onTestFinished(async () => {
    await index.remove();
    rmSync(cache, { recursive: true, force: true });
  });
  const gh = await startGitHub(t, { clock: index.test.clock });
  const app = gh.repository('acme/app');
  app.push('Start', { 'README.md': '# App\n\nHello there' });
  app.wiki.commit('page', { 'Home.md': 'Welcome to the wiki', '_Sidebar.md': 'x' });
  const { number } = app.threads.openIssue({ title: 'Slow start' });
  app.comments.add(number, 'Same here, it is slow', 'grace');
  const pull = app.threads.openPull({ title: 'Faster' });
  app.reviews.submit(pull.number, { body: 'This looks very good', state: 'APPROVED' });
  app.reviews.addComment(pull.number, { body: 'please rename this one' });
  const source = sourceFor(gh, cache);
  const report = await index.run('acme/app', {}, { source });
  console.log(
    report,
    gh.requests.map((r) => `${r.method} ${r.path} ${r.status}`),
  );
  console.log(await index.keys());
  gh.forget();
  console.log(
    await index.run('acme/app', {}, { source }),
    gh.requests.map((r) => `${r.method} ${r.path} ${r.status}`),
  );
  gh.forget();
  index.test.clock.ms += 60000;
  console.log(
    await index.run('acme/app', {}, { source }),
    gh.requests.map((r) => `${r.method} ${r.path} ${r.status}`),
  );
  await index.digest();
  expect(1).toBe(1);
});
