import type { Shape } from './shapes.ts';
import { type Answer, json, moved, notFound, refusal } from './answer.ts';
import type { Token } from './access.ts';
import { contents } from './contents.ts';
import type { Hub } from './hub.ts';
import {
  issueComments,
  issues,
  issuesDisabled,
  pulls,
  releases,
  reviewComments,
  reviews,
  threadComments,
  type View,
} from './lists.ts';
import { pullBodies } from './pull-body.ts';
import { releaseBody } from './release-body.ts';
import { fullRepositoryBody } from './repository-body.ts';
import { reviewCommentBody } from './review-body.ts';
import { issueBody, issueCommentBody } from './thread-body.ts';

export interface Route {
  /** As the OpenAPI description names it. */
  readonly name: string;
  readonly pattern: RegExp;
  readonly answer: (view: View, id: string, hub: Hub) => Answer | Promise<Answer>;
}

const REPOSITORY = '/repos/{owner}/{repo}';

/** What there is below `/repos/{owner}/{repo}`. The first that matches is it. */
export const ROUTES: readonly Route[] = [
  route('', ({ urls, repository, quirks }) => json(200, fullRepositoryBody(urls, repository, quirks))),
  route('/issues', issues),
  route('/issues/comments', issueComments),
  route('/issues/comments/{comment_id}', ({ urls, repository }, id) => {
    const comment = repository.comments.shelf.find(Number(id));
    const seen = comment !== undefined && repository.shows(repository.threads.get(comment.thread));
    return !seen ? notFound() : json(200, issueCommentBody(urls, repository, comment));
  }),
  route('/issues/{issue_number}', issue),
  route('/issues/{issue_number}/comments', threadComments),
  route('/pulls', pulls),
  route('/pulls/comments', reviewComments),
  route('/pulls/comments/{comment_id}', ({ urls, repository }, id) => {
    const comment = repository.reviews.comments.find(Number(id));
    return comment === undefined ? notFound() : json(200, reviewCommentBody(urls, repository, comment));
  }),
  route('/pulls/{pull_number}', ({ urls, repository }, number) => {
    const thread = repository.threads.find(Number(number));
    if (!repository.hasPulls || !thread?.pull) return notFound();
    return json(200, pullBodies(urls, repository).full(thread, thread.pull));
  }),
  route('/pulls/{pull_number}/reviews', reviews),
  route('/releases', releases),
  route('/releases/tags/{tag}', ({ urls, repository }, tag) => {
    const release = [...repository.releases.shelf.values()].find((each) => each.tag === decodeURIComponent(tag));
    return release === undefined || release.draft ? notFound() : json(200, releaseBody(urls, repository, release));
  }),
  route('/releases/{release_id}', ({ urls, repository, token }, id) => {
    const release = repository.releases.shelf.find(Number(id));
    const seen = release !== undefined && (!release.draft || token !== undefined);
    return seen ? json(200, releaseBody(urls, repository, release)) : notFound();
  }),
  { name: `${REPOSITORY}/contents/{path}`, pattern: /^\/contents(?:\/(.*))?$/, answer: contents },
];

function issue({ urls, repository }: View, id: string, hub: Hub): Answer {
  const number = Number(id);
  const thread = repository.threads.find(number);
  if (!repository.hasIssues && !thread?.pull) return issuesDisabled();
  if (!repository.hasPulls && thread?.pull) return notFound();
  if (thread !== undefined) return json(200, issueBody(urls, repository, thread));
  const gone = repository.threads.gone(number);
  if (gone === undefined) return notFound();
  if (gone === 'deleted') return refusal(410, 'This issue was deleted');
  const target = hub.withId(gone.repository);
  if (target === undefined) return notFound();
  return moved(`${urls.api}/repositories/${String(target.id)}/issues/${String(gone.number)}`);
}

/** The answer to `GET /rate_limit`, which is free. */
export function rateLimit(shape: (resource: 'core' | 'graphql') => Shape<'rate-limit'>): Shape<'rate-limit-overview'> {
  const core = shape('core');
  const search = { limit: 30, remaining: 30, reset: core.reset, used: 0 };
  return { resources: { core, graphql: shape('graphql'), search }, rate: core };
}

/** Scopes and expiry of a token, as every answer to it tells. */
export function tokenHeaders(token: Token): Record<string, string> {
  return {
    ...(token.scopes !== null && { 'x-oauth-scopes': token.scopes.join(', '), 'x-accepted-oauth-scopes': 'repo' }),
    ...(token.expiresAt !== null && {
      'github-authentication-token-expiration': new Date(token.expiresAt).toISOString(),
    }),
  };
}

/** `{…}` in a name is one segment of the path; it is handed to the answer. */
function route(path: string, answer: Route['answer']): Route {
  const pattern = path.replace(/\{[^}]+\}/g, '([^/]+)');
  return { name: `${REPOSITORY}${path}`, pattern: new RegExp(`^${pattern}$`), answer };
}
