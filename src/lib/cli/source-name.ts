import type * as z from 'zod';
import type { provenance } from '../feedback/wire.ts';
import { oneLine } from './terminal.ts';

/** What a saved source is called: its reference; of a comment or review, whose thread no trace keeps, its GitHub id. */
export function sourceName({ repo, type, identity }: z.output<typeof provenance>): string {
  const [id, path = ''] = Array.isArray(identity) ? identity : [String(identity)];
  return oneLine(`${repo}${placeOf(type, id ?? '', path)}`);
}

function placeOf(type: z.output<typeof provenance>['type'], id: string, path: string): string {
  switch (type) {
    case 'issue':
    case 'pull_request':
      return `#${id}`;
    case 'doc':
      return `:${id}`;
    case 'diff':
      return `@${id.slice(0, 12)}:${path}`;
    case 'release':
      return `/release/${id}`;
    case 'wiki_doc':
      return `/wiki/${id}`;
    case 'issue_comment':
      return ` comment ${id}`;
    case 'pr_review':
      return ` review ${id}`;
    case 'pr_review_comment':
      return ` review comment ${id}`;
  }
}
