import { RequestError } from './protocol.ts';

/** Who may hold the lock. */
export interface Writer {
  readonly inTransaction: boolean;
  /** Its transaction took too long while another waited: rolls it back. */
  timeOut(): void;
}

interface Waiter {
  readonly writer: Writer;
  readonly enter: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * One writer at a time, in the order of arrival. A transaction that holds the lock for longer than it may is rolled back when
 * another writer waits for it.
 */
export class WriterLock {
  readonly #timeoutMs: number;
  readonly #transactionTtlMs: number;
  readonly #queue: Waiter[] = [];
  #holder: Writer | null = null;
  #since = 0;
  #steal: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, transactionTtlMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#transactionTtlMs = transactionTtlMs;
  }

  /** Waits for the lock; a writer that has it goes on at once. Throws SQLITE_BUSY after the timeout. */
  async acquire(writer: Writer): Promise<void> {
    if (this.#holder === writer) return;
    if (this.#holder === null) {
      this.#enter(writer);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(new RequestError('SQLite error: database is locked', 'SQLITE_BUSY'));
      }, this.#timeoutMs);
      const waiter: Waiter = { writer, enter: resolve, timer };
      this.#queue.push(waiter);
      this.#watch();
    });
  }

  release(writer: Writer): void {
    if (this.#holder !== writer) return;
    clearTimeout(this.#steal);
    this.#steal = undefined;
    this.#holder = null;
    const next = this.#queue.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    this.#enter(next.writer);
    if (this.#queue.length > 0) this.#watch();
    next.enter();
  }

  #enter(writer: Writer): void {
    this.#holder = writer;
    this.#since = performance.now();
  }

  #watch(): void {
    const left = this.#since + this.#transactionTtlMs - performance.now();
    this.#steal ??= setTimeout(
      () => {
        this.#steal = undefined;
        if (this.#queue.length === 0) return;
        if (this.#holder?.inTransaction === true) this.#holder.timeOut();
        else this.#watch();
      },
      Math.max(10, left),
    );
  }
}
