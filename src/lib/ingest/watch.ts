import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';

const DAY_MS = 86_400_000;
const UNITS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', DAY_MS],
]);

/** No timer takes a longer one, and would end at once. */
const MAX_DAYS = 24;

/** The pause between two runs in milliseconds; undefined: there is one run. Fails with `invalid_input`. */
export function parseWatch(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * (UNITS.get(unit) ?? 0);
  if (ms > 0 && ms <= MAX_DAYS * DAY_MS) return ms;
  throw new Failure('invalid_input', `watch: must be a pause such as 10m, 1h or 1d, of ${String(MAX_DAYS)}d at most`);
}

/**
 * Does something once, or again and again with a pause of `everyMs` until the engine's signal is aborted during a pause.
 * Gives the last outcome; fails with `interrupted` where the last run had none. What may pass by itself does not end it:
 * it is noted, and tried again.
 */
export async function watching<Outcome>(
  engine: Pick<Engine, 'pause' | 'signal' | 'progress'>,
  everyMs: number | undefined,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  for (;;) {
    let outcome: Outcome | undefined;
    try {
      outcome = await work();
      if (everyMs === undefined) return outcome;
    } catch (error) {
      if (everyMs === undefined || !(error instanceof Failure) || !mayPass(error)) throw error;
      engine.progress.note(error.message);
    }
    if (engine.pause === undefined) throw new Failure('invalid_input', 'watch: this program cannot wait');
    await engine.pause(everyMs, engine.signal);
    if (!engine.signal.aborted) continue;
    if (outcome !== undefined) return outcome;
    throw new Failure('interrupted', 'stopped watching');
  }
}

function mayPass({ code }: Failure): boolean {
  return code === 'rate_limited' || code === 'github_unavailable' || code === 'database_busy';
}
