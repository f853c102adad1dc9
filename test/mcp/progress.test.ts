import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ProgressUpdate, progressNotifier } from '../../src/lib/mcp/progress.ts';

const action = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), total: fc.option(fc.nat(100), { nil: undefined }) }),
  fc.record({ kind: fc.constant('advance' as const), done: fc.nat(100) }),
  fc.record({ kind: fc.constant('end' as const) }),
  fc.record({ kind: fc.constant('turn' as const) }),
);

test('progress only grows, whatever the steps do, and the newest is always told', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const sent: ProgressUpdate[] = [];
      const notifier = progressNotifier((update) => {
        sent.push(update);
        return Promise.resolve();
      });
      let [before, done, open] = [0, 0, false];
      let highest = -1;
      for (const step of actions) {
        if (step.kind === 'start') {
          notifier.start('step', step.total);
          [before, done, open] = [before + done, 0, true];
        } else if (step.kind === 'advance') {
          notifier.advance(step.done);
          if (open) done = Math.max(done, step.done);
        } else if (step.kind === 'end') {
          notifier.end();
          [before, done, open] = [before + done, 0, false];
        } else {
          await Promise.resolve();
        }
        if (open) highest = Math.max(highest, before + done);
      }
      await notifier.settle();
      const values = sent.map(({ progress }) => progress);
      expect(values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0))).toBe(true);
      expect(values.at(-1) ?? -1).toBe(highest);
    }),
  );
});

test('while one notification is written only the newest waits; after settle nothing is sent', async () => {
  const sent: ProgressUpdate[] = [];
  const notifier = progressNotifier((update) => {
    sent.push(update);
    return Promise.reject(new Error('the client is gone'));
  });
  notifier.start('commits', 9);
  for (let i = 1; i <= 8; i += 1) notifier.advance(i);
  notifier.note('2 skipped');
  notifier.advance(9);
  await notifier.settle();
  notifier.start('late');
  notifier.advance(1);
  await notifier.settle();
  expect(sent).toEqual([
    { progress: 0, total: 9, message: 'commits' },
    { progress: 9, total: 9, message: 'commits: 2 skipped' },
  ]);
});
