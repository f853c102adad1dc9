import type { Progress } from '../engine/progress.ts';

/** Parameters of an MCP progress notification, without its token. */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Progress of a call whose client did not ask for it. */
export const SILENT: Progress = {
  start: () => undefined,
  advance: () => undefined,
  note: () => undefined,
  end: () => undefined,
};

/** Progress told to a client. */
export interface ProgressNotifier extends Progress {
  /** Sends what is still unsent; after it nothing more is sent. */
  settle(): Promise<void>;
}

/**
 * Turns progress of steps into notifications. The protocol wants one number that only grows, so the units of ended steps
 * add up. While a notification is being written only the newest of those that follow is kept.
 */
export function progressNotifier(send: (update: ProgressUpdate) => Promise<void>): ProgressNotifier {
  let before = 0; // units of the steps that ended
  let step: { name: string; done: number; total: number | undefined } | undefined;
  let remark: string | undefined;
  let sent = -1;
  let waiting: ProgressUpdate | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  function end(): void {
    before += step?.done ?? 0;
    step = undefined;
  }

  function update(): void {
    if (closed || step === undefined) return;
    const progress = before + step.done;
    if (progress <= sent) return;
    waiting = {
      progress,
      ...(step.total !== undefined && { total: before + step.total }),
      message: remark === undefined ? step.name : `${step.name}: ${remark}`,
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
      end();
      step = { name, done: 0, total };
      update();
    },
    advance(done) {
      if (step === undefined) return;
      step.done = Math.max(step.done, done);
      update();
    },
    note(message) {
      remark = message;
    },
    end,
    async settle() {
      closed = true;
      await writing;
    },
  };
}
