/** How long work says how far it is. The face decides what is shown. */
export interface Progress {
  /** Starts a step, e.g. `commits`; `total` where it is known. A new step ends the one before. */
  start(step: string, total?: number): void;
  /** Says that `done` units of the current step are complete. */
  advance(done: number): void;
  /** A remark that stays on the screen, e.g. what was skipped and why. */
  note(message: string): void;
  /** Ends the current step. */
  end(): void;
}
