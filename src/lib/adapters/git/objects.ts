import type { ObjectId } from '../../engine/git.ts';
import type { GitChild, GitRunner } from './child.ts';

const NEWLINE = 0x0a;
const RESPONSE_LIMIT = 1024;

/** Whether a string is a whole object id, and so is safe in a line of a request: nothing else reaches git. */
export function isObjectId(id: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id);
}

interface ObjectInfo {
  /** `commit`, `tag`, `tree` or `blob`. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** Answers what objects are, in the order asked: `git cat-file --batch-check`. */
export class ObjectInspector {
  protected readonly child: GitChild;

  constructor(git: GitRunner, mode: '--batch-check' | '--batch' = '--batch-check') {
    this.child = git.start(['cat-file', mode]);
  }

  /** Asks for an object; {@link isObjectId} must hold. */
  request(id: ObjectId): void {
    this.child.write(`${id}\n`);
  }

  /** The answer to the oldest open request; null when there is no such object. Fails as `GitChild.unexpectedEnd`. */
  async info(): Promise<ObjectInfo | null> {
    const line = await this.child.output.record(NEWLINE, RESPONSE_LIMIT);
    if (line === null) throw await this.child.unexpectedEnd();
    const [, type, size] = /^[0-9a-f]+ (commit|tag|tree|blob) (\d+)$/.exec(line.toString('latin1')) ?? [];
    return type === undefined ? null : { type, size: Number(size) };
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }
}

/** Answers what objects hold, in the order asked: `git cat-file --batch`, whose answers carry their length. */
export class ObjectReader extends ObjectInspector {
  constructor(git: GitRunner) {
    super(git, '--batch');
  }

  /** The oldest request's object with the first `keep` bytes of its contents; null when there is no such object. */
  async contents(keep: number): Promise<{ type: string; bytes: Buffer } | null> {
    const info = await this.info();
    if (info === null) return null;
    const bytes = await this.child.output.exactly(info.size, keep);
    if (bytes === null || (await this.child.output.exactly(1)) === null) throw await this.child.unexpectedEnd();
    return { type: info.type, bytes };
  }
}
