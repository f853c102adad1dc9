import { defineConfig } from 'vitest/config';

const ALL = 'test/**/*.test.ts';

/** Files that start many processes. A fork costs by the memory of the process that forks: they have workers of their own. */
const CHILDREN = [
  'test/{e2e,house,support}/**/*.test.ts',
  'test/adapters/{git,libsql}/*.test.ts',
  'test/ingest/{crash,lease,git*,backfill-wiki}.test.ts',
  'test/feedback/processes.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    disableConsoleIntercept: true,
    // The files of a worker share one graph of modules: half of the time of a file was spent on importing it. So a file puts
    // back what it changes of the process (`vi.unstubAllEnvs`), and nothing in src/lib may remember what a test could see.
    isolate: false,
    // Projects run in the order of their names.
    projects: [
      { extends: true, test: { name: 'children', include: CHILDREN } },
      { extends: true, test: { name: 'inside', include: [ALL], exclude: CHILDREN } },
    ],
  },
});
