import type { IncomingHttpHeaders } from 'node:http';
import type { Asked } from './faults.ts';

/** A request as it arrived, and how it was answered. */
export interface RequestRecord extends Asked {
  /** As they came, the credential too. */
  readonly headers: IncomingHttpHeaders;
  /** Whether a credential came along. */
  readonly authorized: boolean;
  /** Where the repository was asked for by its id in place of its name, or the prefix of GHES was used: as it came. */
  readonly url: string;
  /** Of the answer; 0 while there is none, and where the connection was cut before one. */
  status: number;
}

/** Counts requests by what they asked for: `{ '/repos/{owner}/{repo}/issues': 3, git: 2 }`. */
export function countByRoute(requests: readonly RequestRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { route } of requests) counts[route] = (counts[route] ?? 0) + 1;
  return counts;
}
