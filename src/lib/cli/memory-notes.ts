import type { Engine } from '../engine/engine.ts';
import { localTraces } from '../feedback/login.ts';
import { grouped } from './progress.ts';
import { oneLine } from './terminal.ts';

/**
 * What somebody should know of whose memory a command used: that it was that of the file's local user although there is a
 * token, or that this user has a memory which could be adopted. One round trip where there is a verified user.
 */
export async function memoryNotes(engine: Engine): Promise<string[]> {
  const { principal, principalProblem, database } = engine;
  if (database.backend !== 'local') return [];
  if (principal?.kind === 'local') {
    if (principalProblem === undefined) return [];
    return [`Your token was not verified (${oneLine(principalProblem)}): this is the memory of the file's local user.`];
  }
  if (principal === null) return [];
  const hint = adoptHint(await localTraces(engine));
  return hint === undefined ? [] : [hint];
}

/** That there is something to adopt; undefined where there is nothing. */
export function adoptHint(localTraces: number): string | undefined {
  if (localTraces === 0) return undefined;
  const some =
    localTraces === 1 ? 'One retrieval of this file belongs' : `${grouped(localTraces)} retrievals of this file belong`;
  return `${some} to its local user, from before your token: gh-rag login --adopt-local makes them yours.`;
}
