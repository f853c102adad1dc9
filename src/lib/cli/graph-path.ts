import type { WireEdge, WirePath } from '../feedback/wire.ts';
import { oneLine } from './terminal.ts';

const OWN_KEY = /^(?:[#:@]|wiki\/|release\/)/;

/**
 * A path as it was walked: `acme/app#8 ─closes→ #7 ←mention─ wiki/Home`. Arrows point as the edges do; nodes of the
 * repository that the path begins in are named without it, but for the first.
 */
export function pathText(path: WirePath): string {
  const [first] = path;
  if (first === undefined) return '';
  const start = first.direction === 'forward' ? first.src_slug : first.dst_slug;
  const steps = path.map(({ direction, edge_kind, ...edge }) =>
    direction === 'forward'
      ? ` ─${edge_kind}→ ${nodeText(edge.repo, edge.dst_slug, first.repo)}`
      : ` ←${edge_kind}─ ${nodeText(edge.repo, edge.src_slug, first.repo)}`,
  );
  return `${nodeText(first.repo, start, undefined)}${steps.join('')}`;
}

/** An edge as it was stated: `acme/app#8 ─closes→ #7`. */
export function edgeText(edge: WireEdge): string {
  return pathText([{ ...edge, direction: 'forward' }]);
}

/** A node key within `repo`, for a reader who has `base` in mind. Ids of commits are cut to twelve digits. */
function nodeText(repo: string, key: string, base: string | undefined): string {
  const own = OWN_KEY.test(key);
  const whole = !own ? key : `${repo}${/^[#:@]/.test(key) ? '' : '/'}${key}`;
  const rest = base !== undefined && whole.startsWith(base) ? whole.slice(base.length).replace(/^\//, '') : whole;
  const text = OWN_KEY.test(rest) ? rest : whole;
  return oneLine(text).replace(/@([0-9a-f]{12})[0-9a-f]+/, '@$1');
}
