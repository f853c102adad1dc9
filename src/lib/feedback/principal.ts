import { Failure } from '../core/failure.ts';
import type { Parameters } from '../corpus/filters.ts';
import type { Engine } from '../engine/engine.ts';
import { githubName, type Principal } from '../engine/principal.ts';

/**
 * The principal of a caller. Fails with `principal_required` where nobody could be verified: on a database that others
 * use too, whoever has no credential is nobody.
 */
export function requirePrincipal(engine: Engine): Principal {
  const { principal, database, principalProblem } = engine;
  if (principal?.kind === 'github' || (principal !== null && database.backend === 'local')) return principal;
  const reason = principalProblem === undefined ? '' : `, and ${principalProblem}`;
  throw new Failure('principal_required', `the memory of a shared database needs a verified GitHub user${reason}`, {
    hint: 'Set GH_TOKEN to a token of yours, or run gh auth login.',
  });
}

/** A principal's name as an SQL expression: the local one is known to the database alone. */
export function principalName(principal: Principal, parameters: Parameters): string {
  if (principal.kind === 'github') return parameters.add(githubName(principal));
  return '(SELECT local_principal FROM installations)';
}

/** A principal's row id as an SQL expression; NULL, which equals nothing, for one that never wrote. */
export function principalId(principal: Principal, parameters: Parameters): string {
  return `(SELECT id FROM principals WHERE name = ${principalName(principal, parameters)})`;
}
