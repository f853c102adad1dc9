import type { Clock } from '../engine/clock.ts';
import type { Progress } from '../engine/progress.ts';
import { oneLine, truncate } from './terminal.ts';

export interface ProgressOptions {
  /** Writes to standard error. */
  readonly write: (text: string) => void;
  readonly clock: Clock;
  /** `line`: one line that updates itself; `steps`: a line per finished step; `quiet`: notes only. */
  readonly mode: 'line' | 'steps' | 'quiet';
  /** Columns of the terminal, for `line`; asked each time, since a window changes size. */
  readonly columns?: () => number | undefined;
}

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';

/** Shows how far work is. Nothing is drawn by a timer: a step that never advances shows only its name. */
export function terminalProgress(options: ProgressOptions): Progress {
  const { write, clock, mode, columns } = options;
  const steps: Step[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let visible = false;

  const clear = (): void => {
    if (visible) write(CLEAR_LINE);
    visible = false;
  };
  const draw = (now: number): void => {
    if (mode !== 'line' || steps.length === 0) return;
    const line = steps.map((step) => describeStep(step, now)).join('  \u00B7  ');
    write(CLEAR_LINE + truncate(line, (columns?.() ?? 80) - 1));
    visible = true;
    drawnAt = now;
  };
  const end = (step: Step): void => {
    const place = steps.indexOf(step);
    if (place < 0) return;
    steps.splice(place, 1);
    clear();
    if (mode === 'steps') write(`${describeFinished(step, clock.now())}\n`);
    draw(clock.now());
  };

  return {
    start(name, total) {
      const now = clock.now();
      const step: Step = { name: oneLine(name), total, done: 0, remark: undefined, startedAt: now };
      steps.push(step);
      draw(now);
      return {
        advance(done, remark) {
          step.done = done;
          step.remark = remark;
          const now = clock.now();
          // A clock that ran backwards draws too: the difference is no interval then.
          if (now - drawnAt >= REDRAW_MS || now < drawnAt) draw(now);
        },
        end() {
          end(step);
        },
      };
    },
    note(message) {
      clear();
      write(`${oneLine(message)}\n`);
      draw(clock.now());
    },
    end() {
      for (const step of [...steps]) end(step);
    },
  };
}

/** A step under way. Times in milliseconds since the epoch. */
interface Step {
  readonly name: string;
  readonly total: number | undefined;
  done: number;
  remark: string | undefined;
  readonly startedAt: number;
}

/** `commits 1,200/5,000 24% 812/s 5 s left`. */
function describeStep(step: Step, now: number): string {
  const { name, total, done } = step;
  if (done === 0 && total === undefined) return name;
  const rate = rateOf(step, now);
  const parts = [name, total === undefined ? grouped(done) : `${grouped(done)}/${grouped(total)}`];
  if (total !== undefined && total > 0) parts.push(`${String(Math.min(100, Math.floor((done / total) * 100)))}%`);
  if (rate !== undefined) parts.push(`${formatRate(rate)}/s`);
  if (rate !== undefined && total !== undefined && total > done)
    parts.push(`${formatDuration((total - done) / rate)} left`);
  if (step.remark !== undefined) parts.push(oneLine(step.remark));
  return parts.join('  ');
}

/** `commits: 5,000 in 6 s (812/s)`. */
function describeFinished(step: Step, now: number): string {
  const rate = rateOf(step, now);
  const seconds = Math.max(0, now - step.startedAt) / 1000;
  return `${step.name}: ${grouped(step.done)} in ${formatDuration(seconds)}${rate === undefined ? '' : ` (${formatRate(rate)}/s)`}`;
}

/** Units per second; undefined while nothing can be said: no unit done, or no time gone. */
function rateOf(step: Step, now: number): number | undefined {
  const elapsed = now - step.startedAt;
  return elapsed <= 0 || step.done <= 0 ? undefined : step.done / (elapsed / 1000);
}

function formatRate(rate: number): string {
  return rate >= 10 ? grouped(Math.round(rate)) : rate.toFixed(1);
}

/** Seconds in the two units that matter: `8 s`, `2 min 5 s`, `1 h 4 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return '<1 s';
  const whole = Math.round(seconds);
  if (whole < 60) return `${String(whole)} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${String(minutes)} min${whole % 60 === 0 ? '' : ` ${String(whole % 60)} s`}`;
  return `${String(Math.floor(minutes / 60))} h${minutes % 60 === 0 ? '' : ` ${String(minutes % 60)} min`}`;
}

/** 12345 as `12,345`: the same on every machine, whatever its locale. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
}
