/** How long work says how far it is. The face decides what is shown. */
export interface Progress {
  /** Starts a step, e.g. `commits`; `total` where it is known. Several steps may be under way at a time. */
  start(name: string, total?: number): ProgressStep;
  /** A remark that stays on the screen, e.g. what was skipped and why. */
  note(message: string): void;
  /** Ends the steps that are under way: the work is over, however it ended. */
  end(): void;
}

/** One step of long work. */
export interface ProgressStep {
  /** Says that `done` units are complete, and what else there is to say, e.g. `4,870 requests left`. */
  advance(done: number, remark?: string): void;
  end(): void;
}
