import type { Token } from './access.ts';
import { type Answer, json, notFound, refusal } from './answer.ts';
import { choice, type Page, page, type SortKey, since } from './listing.ts';
import { pullBodies } from './pull-body.ts';
import { releaseBody } from './release-body.ts';
import type { Repository } from './repository.ts';
import { reviewBody, reviewCommentBody } from './review-body.ts';
import type { ApiPath, ElementAt } from './shapes.ts';
import type { Shelf } from './shelf.ts';
import { issueBody, issueCommentBody } from './thread-body.ts';
import type { Urls } from './urls.ts';
import type { World } from './world.ts';

/** A request for something in a repository that the caller may see. */
export interface View {
  readonly urls: Urls;
  readonly repository: Repository;
  /** Undefined for a caller without one. */
  readonly token: Token | undefined;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** Address of what is asked, with the id of the repository in place of its name. */
  readonly address: string;
  readonly quirks: World['quirks'];
}

/** How what is switched off is refused where it is asked for as an issue. */
export function issuesDisabled(): Answer {
  return refusal(410, 'Issues are disabled for this repo');
}

/**
 * Newest by creation first unless asked otherwise; `state=open` is the default. Pull requests are among them. Everything
 * since the epoch is answered with nothing.
 */
export function issues(view: View): Answer {
  const { urls, repository, query } = view;
  if (!repository.hasIssues) return issuesDisabled();
  const state = choice(query, 'state', ['open', 'closed', 'all']);
  const sort = choice(query, 'sort', ['created', 'updated', 'comments']);
  const ordered = repository.threads.shelf.ordered(sort === 'updated' ? 'updated' : 'created');
  const byComments = sort === 'comments' ? [...ordered].sort((a, b) => a.comments.size - b.comments.size) : ordered;
  const given = since(query);
  const from = Number.isFinite(given) && given <= 0 ? Number.POSITIVE_INFINITY : given;
  const shown = byComments.filter((thread) => repository.shows(thread));
  const seen = shown.filter((thread) => thread.updatedAt >= from && (state === 'all' || thread.state === state));
  if (choice(query, 'direction', ['desc', 'asc']) === 'desc') seen.reverse();
  const { items, link } = cut(view, seen);
  const bodies = items.map((thread) => issueBody(urls, repository, thread));
  return listed<'/repos/{owner}/{repo}/issues'>(bodies, link);
}

/** Comments on issues and pull requests, oldest first unless asked otherwise. */
export function issueComments(view: View): Answer {
  const { urls, repository, quirks } = view;
  if (!repository.hasIssues && !repository.hasPulls) return notFound();
  if (!repository.hasIssues && quirks.hiddenComments === 'refused') return issuesDisabled();
  const all = comments(view, repository.comments.shelf);
  const hides = quirks.hiddenComments !== 'listed' || !repository.hasPulls;
  const seen = hides ? all.filter(({ thread }) => repository.shows(repository.threads.get(thread))) : all;
  const { items, link } = cut(view, seen);
  const bodies = items.map((comment) => issueCommentBody(urls, repository, comment));
  return listed<'/repos/{owner}/{repo}/issues/comments'>(bodies, link);
}

/** Comments on lines of pull requests, oldest first unless asked otherwise. */
export function reviewComments(view: View): Answer {
  const { urls, repository } = view;
  if (!repository.hasPulls) return notFound();
  const seen = comments(view, repository.reviews.comments);
  const { items, link } = cut(view, seen);
  const bodies = items.map((comment) => reviewCommentBody(urls, repository, comment));
  return listed<'/repos/{owner}/{repo}/pulls/comments'>(bodies, link);
}

/** Comments of one issue or pull request, oldest first. */
export function threadComments(view: View, number: string): Answer {
  const { urls, repository, query } = view;
  const thread = repository.threads.find(Number(number));
  if (thread === undefined) return notFound();
  if (!repository.shows(thread)) return thread.pull === null ? issuesDisabled() : notFound();
  const from = since(query);
  const seen = [...thread.comments]
    .map((id) => repository.comments.shelf.get(id))
    .filter(({ updatedAt }) => updatedAt >= from);
  const { items, link } = cut(view, seen);
  const bodies = items.map((comment) => issueCommentBody(urls, repository, comment));
  return listed<'/repos/{owner}/{repo}/issues/{issue_number}/comments'>(bodies, link);
}

/** There is no `since` here. Descending is the default for `created`, ascending for the other orders. */
export function pulls(view: View): Answer {
  const { urls, repository, query } = view;
  if (!repository.hasPulls) return notFound();
  const state = choice(query, 'state', ['open', 'closed', 'all']);
  const sort = choice(query, 'sort', ['created', 'updated', 'popularity', 'long-running']);
  const seen = repository.threads.shelf
    .ordered(sort === 'updated' ? 'updated' : 'created')
    .flatMap((thread) => (thread.pull === null ? [] : [{ thread, pull: thread.pull }]))
    .filter(({ thread }) => state === 'all' || thread.state === state);
  if (choice(query, 'direction', sort === 'created' ? ['desc', 'asc'] : ['asc', 'desc']) === 'desc') seen.reverse();
  const { simple } = pullBodies(urls, repository);
  const { items, link } = cut(view, seen);
  const bodies = items.map(({ thread, pull }) => simple(thread, pull));
  return listed<'/repos/{owner}/{repo}/pulls'>(bodies, link);
}

/** Reviews of one pull request, oldest first, without pending ones. */
export function reviews(view: View, number: string): Answer {
  const { urls, repository } = view;
  if (!repository.hasPulls || !repository.threads.find(Number(number))?.pull) return notFound();
  const seen = repository.reviews.of(Number(number));
  const { items, link } = cut(view, seen);
  const bodies = items.map((review) => reviewBody(urls, repository, review));
  return listed<'/repos/{owner}/{repo}/pulls/{pull_number}/reviews'>(bodies, link);
}

/** Newest first; drafts are seen with a token only. */
export function releases(view: View): Answer {
  const { urls, repository, token } = view;
  const seen = repository.releases.shelf.ordered('created').filter(({ draft }) => !draft || token !== undefined);
  seen.reverse();
  const { items, link } = cut(view, seen);
  const bodies = items.map((release) => releaseBody(urls, repository, release));
  return listed<'/repos/{owner}/{repo}/releases'>(bodies, link);
}

function listed<Path extends ApiPath>(bodies: readonly ElementAt<Path>[], link: string | undefined): Answer {
  return json(200, bodies, link === undefined ? {} : { link });
}

function cut<Item>(view: View, all: readonly Item[]): Page<Item> {
  return page(all, view.query, view.address, view.quirks);
}

function comments<Item extends { readonly id: number; readonly createdAt: number; readonly updatedAt: number }>(
  { query }: View,
  shelf: Shelf<Item>,
): Item[] {
  const sort: SortKey = choice(query, 'sort', ['created', 'updated']);
  const from = since(query);
  const seen = shelf.ordered(sort).filter(({ updatedAt }) => updatedAt >= from);
  // GitHub ignores the direction where no order is asked for.
  if (query.has('sort') && choice(query, 'direction', ['desc', 'asc']) === 'desc') seen.reverse();
  return seen;
}
