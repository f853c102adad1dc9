import { Failure, type FailureCode } from '../core/failure.ts';

/** Whether a text is asked for or is one of those that are searched: some models embed the two differently. */
export type EmbeddingRole = 'query' | 'passage';

/** Turns passages and queries into vectors. Vectors of different ids are never compared. */
export interface Embedder {
  /** Names the model and all that its vectors depend on; holds no secret. */
  readonly id: string;
  /**
   * One vector per text, in their order: finite, of length 1 (L2), of one dimension for the life of this object. The
   * dimension is known from the first answer; whoever stores vectors compares it with what is stored. All or nothing:
   * fails with `endpoint_unavailable` (no answer; it may work later), `endpoint_unusable` (an answer that is none; a person
   * has to look), `credential_required`, or `interrupted` when `signal` is aborted.
   */
  embed(texts: readonly string[], role: EmbeddingRole, signal: AbortSignal): Promise<Float32Array[]>;
}

const EMBEDDER_FAILURES: ReadonlySet<FailureCode> = new Set([
  'endpoint_unavailable',
  'endpoint_unusable',
  'credential_required',
]);

/** Whether what was thrown says that an embedder could not be used: words still can. */
export function isEmbedderFailure(error: unknown): error is Failure {
  return error instanceof Failure && EMBEDDER_FAILURES.has(error.code);
}

/** Why passages are without a vector, by what failed, and what to do until they have theirs. */
export function withoutVectors({ code, message, hint }: Failure): string {
  if (code === 'endpoint_unavailable') return `${message}. Run ${FILL} once it answers.`;
  const first = hint === undefined ? '' : ` ${hint}`;
  return `${message}.${first}${first.includes(FILL) ? '' : ` Then run ${FILL}.`}`;
}

const FILL = 'gh-rag backfill embeddings';
