import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProgressStep } from '../../src/lib/engine/progress.ts';
import { type ProgressUpdate, progressNotifier } from '../../src/lib/mcp/progress.ts';

const action = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), total: fc.option(fc.nat(100), { nil: undefined }) }),
  fc.record({ kind: fc.constant('advance' as const), step: fc.nat(9), done: fc.nat(100) }),
  fc.record({ kind: fc.constant('end' as const), step: fc.nat(9) }),
  fc.record({ kind: fc.constant('end all' as const) }),
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
      let before = 0;
      let open: { step: ProgressStep; done: number }[] = [];
      let highest = -1;
      for (const action of actions) {
        const chosen = 'step' in action ? open[action.step % Math.max(1, open.length)] : undefined;
        if (action.kind === 'start') {
          open.push({ step: notifier.start('step', action.total), done: 0 });
        } else if (action.kind === 'advance') {
          chosen?.step.advance(action.done);
          if (chosen !== undefined) chosen.done = Math.max(chosen.done, action.done);
        } else if (action.kind === 'end') {
          chosen?.step.end();
          before += chosen?.done ?? 0;
          open = open.filter((each) => each !== chosen);
        } else if (action.kind === 'end all') {
          notifier.end();
          before += open.reduce((sum, { done }) => sum + done, 0);
          open = [];
        } else {
          await Promise.resolve();
        }
        if (open.length > 0)
          highest = Math.max(
            highest,
            open.reduce((sum, { done }) => sum + done, before),
          );
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
  const step = notifier.start('commits', 9);
  for (let i = 1; i <= 8; i += 1) step.advance(i);
  notifier.note('2 skipped');
  step.advance(9);
  await notifier.settle();
  notifier.start('late').advance(1);
  await notifier.settle();
  expect(sent).toEqual([
    { progress: 0, total: 9, message: 'commits' },
    { progress: 9, total: 9, message: 'commits: 2 skipped' },
  ]);
});
