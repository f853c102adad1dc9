// Prints "N passed, N failed" from vitest's JSON report: count-tests.mjs REPORT EXIT_CODE. A test file that could not be
// loaded counts as one failure, and so does a run that failed outside of any test or ran no test at all. Exits with 0
// only when something passed and nothing failed.
import { readFileSync } from 'node:fs';

const [report, exitCode] = process.argv.slice(2);
const { passed, failed } = count(read(report));
const unseen = failed === 0 && (exitCode !== '0' || passed === 0) ? 1 : 0;
process.stdout.write(`${passed} passed, ${failed + unseen} failed\n`);
process.exitCode = failed + unseen === 0 ? 0 : 1;

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return [];
  }
}

function count(files) {
  const tests = files.flatMap((file) => file.assertionResults);
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: tests.filter((test) => test.status === 'failed').length + broken.length,
  };
}
