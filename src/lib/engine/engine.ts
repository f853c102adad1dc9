import type { Allowed } from './allow-list.ts';
import type { Clock } from './clock.ts';
import type { Contracts } from './contracts.ts';
import type { Database } from './database.ts';
import type { Databases } from './databases.ts';
import type { Embedder } from './embedder.ts';
import type { Entropy } from './entropy.ts';
import type { Files } from './files.ts';
import type { Git } from './git.ts';
import type { GitHub, GitHubSource } from './github.ts';
import type { Identity } from './identity.ts';
import type { Presence } from './presence.ts';
import type { Principal } from './principal.ts';
import type { Progress } from './progress.ts';
import type { Reranker } from './reranker.ts';
import type { SchemaAdmin } from './schema-admin.ts';

/**
 * Everything an operation may touch. Cheap to make: one per caller over a shared database, so no caller's state lives
 * in the process.
 */
export interface Engine {
  readonly database: Database;
  /** Repositories that there are for the caller: nothing of any other is answered, and none is indexed. */
  readonly allowed: Allowed;
  readonly schema: SchemaAdmin;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly presence: Presence;
  /** Whose feedback memory this is; null: nobody could be verified, and nothing of it is read or written. */
  readonly principal: Principal | null;
  /** Why nobody could be verified, e.g. `there is no token`; on a local file only where there is a token. */
  readonly principalProblem?: string | undefined;
  /** Asks GitHub who the caller is; only the login does. */
  readonly identity?: Identity | undefined;
  readonly files: Files;
  readonly git: Git;
  /** `lsa`: the index's own latent semantic model, which lives in the database; null: no dense side, sparse retrieval answers alone. */
  readonly embedder: Embedder | 'lsa' | null;
  readonly reranker: Reranker | null;
  /** Texts as they are on GitHub now; null: nothing is read live. */
  readonly github: GitHub | null;
  /** Projects on GitHub; the token is looked for at the first use. Only indexing and its repairs ask. */
  readonly source?: GitHubSource | undefined;
  /** Waits, until the signal is aborted at most. Only watching asks. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  readonly progress: Progress;
  /** Aborted when the caller no longer wants the answer. */
  readonly signal: AbortSignal;
  /** Databases beside this one; only the copy from one to another asks. */
  readonly databases?: Databases | undefined;
  /** Where tool contracts are written down; only the check of schemas asks. */
  readonly contracts?: Contracts | undefined;
}
