import type { Repository } from './repository.ts';
import type { Shape } from './shapes.ts';
import type { Review, ReviewComment } from './state.ts';
import { pullLinks } from './thread-body.ts';
import { nodeId, timestamp, type Urls } from './urls.ts';
import { optionalUserBody, userOrGhostBody } from './user-body.ts';

export function reviewBody(urls: Urls, repository: Repository, review: Review): Shape<'pull-request-review'> {
  const links = pullLinks(urls, repository, repository.threads.get(review.pull));
  const page = `${links.html_url}#pullrequestreview-${String(review.id)}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: optionalUserBody(urls, review.user),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: links.url,
    author_association: 'MEMBER',
    commit_id: review.commit,
    ...(review.submittedAt !== null && { submitted_at: timestamp(review.submittedAt) }),
    _links: { html: { href: page }, pull_request: { href: links.url } },
  };
}

export function reviewCommentBody(
  urls: Urls,
  repository: Repository,
  comment: ReviewComment,
): Shape<'pull-request-review-comment'> {
  const links = pullLinks(urls, repository, repository.threads.get(comment.pull));
  const url = `${urls.repo(repository)}/pulls/comments/${String(comment.id)}`;
  const page = `${links.html_url}#discussion_r${String(comment.id)}`;
  return {
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    url,
    html_url: page,
    pull_request_url: links.url,
    pull_request_review_id: comment.review,
    diff_hunk: comment.hunk,
    path: comment.path,
    line: comment.line,
    original_line: comment.line,
    side: 'RIGHT',
    subject_type: 'line',
    commit_id: comment.commit,
    original_commit_id: comment.commit,
    ...(comment.replyTo !== null && { in_reply_to_id: comment.replyTo }),
    user: userOrGhostBody(urls, comment.user),
    author_association: 'MEMBER',
    body: comment.body,
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: links.url } },
  };
}
