import * as z from 'zod';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { KnownHistory } from './doc-times.ts';
import type { GitSource } from './git-source.ts';
import { covers } from './mark.ts';

/**
 * Watermark. Every stored doc is as the commit `head` has it, and `head` has no others but those that were left out by
 * `rules`, for what they hold, or because they were touched last before `since` (ms).
 */
export const docsMark = z.object({
  format: z.literal(INDEX_FORMAT),
  head: z.string().nullable(),
  since: z.number().nullable(),
  rules: z.string(),
  cut: z.string(),
  branch: z.string().nullable(),
  /** Newest time of any path in the history of `head`, ms. */
  newest: z.number(),
  /** Whether the time of every stored doc is that of a commit. */
  timed: z.boolean(),
  /** Commit that a run on its way, or an interrupted one, is about to bring the docs to. */
  toward: z.string().nullable(),
  /** Whether docs may be stored in the form of an older format. */
  outdated: z.boolean(),
});
export type DocsMark = z.output<typeof docsMark>;

/** The mark of a run that has nothing to start from. */
export function freshMark({ rules, cut, repository }: GitSource, since: number | null, outdated: boolean): DocsMark {
  return {
    format: INDEX_FORMAT,
    head: null,
    since,
    rules: rules.digest,
    cut,
    branch: repository.defaultBranch,
    newest: 0,
    timed: true,
    toward: null,
    outdated,
  };
}

/** Whether the docs are those of HEAD already, from `since` on. */
export function isDone(mark: DocsMark, { head, rules, cut, repository }: GitSource, since: number | null): boolean {
  const sameView = mark.rules === rules.digest && mark.cut === cut && mark.branch === repository.defaultBranch;
  return mark.head === head && mark.toward === null && sameView && covers(mark.since, since);
}

/** Whether the docs can be brought to HEAD from where they stand, or must all be looked at anew. */
export async function isBase(mark: DocsMark, { head, rules, cut, repository }: GitSource, since: number | null) {
  const sameView = mark.rules === rules.digest && mark.cut === cut && mark.timed && covers(mark.since, since);
  if (!sameView || mark.head === null || !(await repository.isAncestor(mark.head, head))) return false;
  // An interrupted run left docs of the commit that it went to.
  return mark.toward === null || (await repository.isAncestor(mark.toward, head));
}

/** The history that the times of the stored docs are from. */
export function knownHistory(base: DocsMark | undefined): KnownHistory | undefined {
  return base === undefined || base.head === null ? undefined : { head: base.head, newest: base.newest };
}
