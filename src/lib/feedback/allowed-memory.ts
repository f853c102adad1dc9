import type { Json } from '../core/json.ts';
import { allowedSlug, type Parameters } from '../corpus/filters.ts';
import { nodeOf, repoOf } from '../corpus/node.ts';
import { splitReference } from '../corpus/reference.ts';
import { type Allowed, isAllowed } from '../engine/allow-list.ts';
import type { Receipt } from './receipts.ts';
import type { WireEdge, WirePath } from './wire.ts';

/**
 * What is shown of a memory that began before the list of allowed repositories did. Of others nothing is told but the ids
 * of their sources, where a receipt names them; what is stored stays as it is.
 */

/** Conditions on a source `s` of a trace, as `documentPredicate` has them on documents. */
export function allowedSource(allowed: Allowed, parameters: Parameters): string[] {
  return allowedSlug(allowed, "(s.provenance ->> 'repo')", parameters);
}

/** A saved path; empty, as one that could not be verified, where it leads through a repository that is not allowed. */
export function allowedPath(path: WirePath, allowed: Allowed): WirePath {
  return path.every((edge) => isAllowedEdge(edge, allowed)) ? path : [];
}

function isAllowedEdge({ repo, src_slug, dst_slug }: WireEdge, allowed: Allowed): boolean {
  if (allowed === 'all') return true;
  return [src_slug, dst_slug].every((slug) => isAllowed(allowed, repoOf(nodeOf(repo, slug))));
}

/** A receipt without edges of repositories that are not allowed. */
export function allowedReceipt(receipt: Receipt, allowed: Allowed): Receipt {
  switch (receipt.kind) {
    case 'source_use':
      return receipt;
    case 'confirmation': {
      const sources = receipt.sources.map((source) => ({ ...source, path: allowedPath(source.path, allowed) }));
      const credits = receipt.credits.filter(({ edge }) => edge === null || isAllowedEdge(edge, allowed));
      return { ...receipt, sources, credits };
    }
    case 'reversal':
      return { ...receipt, reversals: receipt.reversals.filter(({ edge }) => isAllowedEdge(edge, allowed)) };
  }
}

/**
 * The request of a trace without references to repositories that are not allowed: the caller may have named them by the
 * number of a result. Its other words are the caller's own.
 */
export function allowedRequest<Request extends Readonly<Record<string, Json>>>(
  request: Request,
  allowed: Allowed,
): Request {
  const { sources } = request;
  if (!Array.isArray(sources)) return request;
  const isShown = (source: unknown): boolean => {
    const named = typeof source === 'string' ? splitReference(source)?.repo : undefined;
    return named === undefined || isAllowed(allowed, named);
  };
  return { ...request, sources: sources.filter(isShown) };
}
