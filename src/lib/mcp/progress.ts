import type { Progress } from '../engine/progress.ts';

/** Parameters of an MCP progress notification, without its token. */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Progress of a call whose client did not ask for it. */
export const SILENT: Progress = {
  start: () => ({ advance: () => undefined, end: () => undefined }),
  note: () => undefined,
  end: () => undefined,
};

/** Progress told to a client. */
export interface ProgressNotifier extends Progress {
  /** Sends what is still unsent; after it nothing more is sent. */
  settle(): Promise<void>;
}

interface Step {
  readonly name: string;
  readonly total: number | undefined;
  done: number;
}

/**
 * Turns progress of steps into notifications. The protocol wants one number that only grows, so the units of all steps
 * add up. While a notification is being written only the newest of those that follow is kept.
 */
export function progressNotifier(send: (update: ProgressUpdate) => Promise<void>): ProgressNotifier {
  const steps: Step[] = [];
  let before = 0; // units of the steps that ended
  let remark: string | undefined;
  let sent = -1;
  let waiting: ProgressUpdate | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  function end(step: Step): void {
    const place = steps.indexOf(step);
    if (place < 0) return;
    before += step.done;
    steps.splice(place, 1);
  }

  function update({ name }: Step): void {
    if (closed) return;
    const progress = steps.reduce((sum, { done }) => sum + done, before);
    if (progress <= sent) return;
    const totals = steps.map(({ total }) => total);
    waiting = {
      progress,
      ...(!totals.includes(undefined) && { total: totals.reduce<number>((sum, total = 0) => sum + total, before) }),
      message: remark === undefined ? name : `${name}: ${remark}`,
    };
    sent = progress;
    remark = undefined;
    writing ??= drain();
  }

  async function drain(): Promise<void> {
    while (waiting !== undefined) {
      const next = waiting;
      waiting = undefined;
      // A client that is gone ends the conversation elsewhere; progress is nothing to fail for.
      await send(next).catch(() => undefined);
    }
    writing = undefined;
  }

  return {
    start(name, total) {
      const step: Step = { name, done: 0, total };
      steps.push(step);
      update(step);
      return {
        advance(done) {
          step.done = Math.max(step.done, done);
          if (steps.includes(step)) update(step);
        },
        end() {
          end(step);
        },
      };
    },
    note(message) {
      remark = message;
    },
    end() {
      for (const step of [...steps]) end(step);
    },
    async settle() {
      closed = true;
      await writing;
    },
  };
}
