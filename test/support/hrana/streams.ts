import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { ProtocolError, STREAM_EXPIRED } from './protocol.ts';
import { Session } from './session.ts';
import { WriterLock } from './writer-lock.ts';

export interface StreamOptions {
  readonly file: string;
  /** A stream that no request used for this long is closed, and its transaction is rolled back. */
  readonly streamTtlMs: number;
  /** How long a writer waits for its turn. */
  readonly lockTimeoutMs: number;
  /** How long a transaction may keep other writers waiting. */
  readonly transactionTtlMs: number;
}

export interface Stream {
  readonly id: string;
  readonly session: Session;
  readonly sqls: Map<number, string>;
  readonly readOnly: boolean;
  /** Expected in the next baton. */
  sequence: number;
  busy: boolean;
  closed: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A stream that was idle for too long. */
export class StreamExpired extends Error {
  constructor() {
    super(STREAM_EXPIRED.message);
  }
}

/** The open streams; a baton names one of them and serves for one request. */
export class Streams {
  readonly #options: StreamOptions;
  readonly #lock: WriterLock;
  readonly #key = randomBytes(32);
  readonly #open = new Map<string, Stream>();
  readonly #expired = new Set<string>();

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#lock = new WriterLock(options.lockTimeoutMs, options.transactionTtlMs);
  }

  /** The stream of a baton, or a new one. Throws {@link StreamExpired}, or ProtocolError for any other baton. */
  acquire(baton: string | null, readOnly: boolean): Stream {
    if (baton === null) {
      const { file, lockTimeoutMs } = this.#options;
      const session = new Session(file, this.#lock, lockTimeoutMs, readOnly);
      const id = randomUUID();
      const made = { id, session, sqls: new Map(), readOnly, sequence: 0, busy: true, closed: false, timer: undefined };
      this.#open.set(id, made);
      return made;
    }
    const [id = '', sequence = ''] = baton.split('.');
    if (this.#sign(id, sequence) !== baton) throw new ProtocolError('Received an invalid baton');
    if (this.#expired.has(id)) throw new StreamExpired();
    const stream = this.#open.get(id);
    if (stream?.readOnly !== readOnly) throw new ProtocolError('Received an invalid baton');
    if (stream.busy || String(stream.sequence) !== sequence) {
      throw new ProtocolError('Received a baton that has already been used');
    }
    clearTimeout(stream.timer);
    stream.busy = true;
    stream.sequence += 1;
    return stream;
  }

  /** Ends a request; gives the baton for the next one, or null when the stream was closed. */
  release(stream: Stream): string | null {
    stream.busy = false;
    if (stream.closed) return null;
    stream.timer = setTimeout(() => {
      this.#expire(stream);
    }, this.#options.streamTtlMs);
    return this.#sign(stream.id, String(stream.sequence));
  }

  close(stream: Stream): void {
    if (stream.closed) return;
    stream.closed = true;
    clearTimeout(stream.timer);
    this.#open.delete(stream.id);
    stream.session.close();
  }

  /** As if the stream of this baton had been idle for too long. */
  expire(baton: string): void {
    const stream = this.#open.get(baton.split('.')[0] ?? '');
    if (stream?.busy === false) this.#expire(stream);
  }

  #expire(stream: Stream): void {
    this.#expired.add(stream.id);
    this.close(stream);
  }

  #sign(id: string, sequence: string): string {
    const payload = `${id}.${sequence}`;
    return `${payload}.${createHmac('sha256', this.#key).update(payload).digest('base64url')}`;
  }
}
