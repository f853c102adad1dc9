import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const program = new URL('../../scripts/count-tests.mjs', import.meta.url).pathname;
const passed = { status: 'passed' };
const failed = { status: 'failed' };
const skipped = { status: 'skipped' };

const CASES: [name: string, report: object | undefined, exitCode: string, line: string, status: number][] = [
  ['all passed', [{ status: 'passed', assertionResults: [passed, passed, skipped] }], '0', '2 passed, 0 failed', 0],
  ['one failed', [{ status: 'failed', assertionResults: [passed, failed] }], '1', '1 passed, 1 failed', 1],
  ['a file did not load', [{ status: 'failed', assertionResults: [] }], '1', '0 passed, 1 failed', 1],
  ['a hook failed', [{ status: 'failed', assertionResults: [passed, skipped] }], '1', '1 passed, 1 failed', 1],
  ['an error outside of tests', [{ status: 'passed', assertionResults: [passed] }], '1', '1 passed, 1 failed', 1],
  ['nothing ran', [{ status: 'passed', assertionResults: [skipped] }], '0', '0 passed, 1 failed', 1],
  ['no report', undefined, '0', '0 passed, 1 failed', 1],
];

describe('scripts/count-tests.mjs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-rag-count-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(CASES)('%s', (_name, testResults, exitCode, line, status) => {
    const report = join(folder, 'report.json');
    rmSync(report, { force: true });
    if (testResults !== undefined) writeFileSync(report, JSON.stringify({ testResults }));
    const run = spawnSync(process.execPath, [program, report, exitCode], { encoding: 'utf8' });
    expect(run.stdout).toBe(`${line}\n`);
    expect(run.status).toBe(status);
  });
});
