import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    // The files of a worker share one graph of modules: half of the time of a file was spent on importing it. So a file puts
    // back what it changes of the process (`vi.unstubAllEnvs`), and nothing in src/lib may remember what a test could see.
    isolate: false,
    disableConsoleIntercept: true,
  },
});
