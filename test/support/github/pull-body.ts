import type { Repository } from './repository.ts';
import { repositoryBody } from './repository-body.ts';
import type { Shape } from './shapes.ts';
import type { Pull, Thread } from './state.ts';
import { pullLinks, threadFields } from './thread-body.ts';
import { nodeId, optionalTimestamp, type Urls } from './urls.ts';
import { userBody, userOrGhostBody } from './user-body.ts';

/** Gives the bodies of one answer; the repository that each of them repeats is built once. */
export function pullBodies(urls: Urls, repository: Repository) {
  const repo = repositoryBody(urls, repository);
  const owner = userBody(urls, repository.owner);
  const branch = (ref: string, sha: string) => ({ label: `${owner.login}:${ref}`, ref, sha, user: owner, repo });

  const simple = (thread: Thread, pull: Pull) => {
    const number = String(thread.number);
    const links = pullLinks(urls, repository, thread);
    const issue = `${urls.repo(repository)}/issues/${number}`;
    const more = {
      issue_url: issue,
      comments_url: `${issue}/comments`,
      commits_url: `${links.url}/commits`,
      review_comments_url: `${links.url}/comments`,
      review_comment_url: `${urls.repo(repository)}/pulls/comments{/number}`,
      statuses_url: `${urls.repo(repository)}/statuses/${pull.headSha}`,
    };
    return {
      ...threadFields(urls, repository, thread),
      ...links,
      ...more,
      id: pull.id,
      node_id: nodeId('PR', thread.id),
      state: thread.state,
      draft: pull.draft,
      merged_at: optionalTimestamp(pull.mergedAt),
      merge_commit_sha: pull.mergedAt === null ? null : pull.headSha,
      requested_reviewers: [],
      requested_teams: [],
      auto_merge: null,
      head: branch(pull.head, pull.headSha),
      base: branch(pull.base, '0'.repeat(40)),
      _links: {
        self: { href: links.url },
        html: { href: links.html_url },
        issue: { href: issue },
        comments: { href: more.comments_url },
        review_comments: { href: more.review_comments_url },
        review_comment: { href: more.review_comment_url },
        commits: { href: more.commits_url },
        statuses: { href: more.statuses_url },
      },
    } satisfies Shape<'pull-request-simple'>;
  };

  const full = (thread: Thread, pull: Pull): Shape<'pull-request'> => ({
    ...simple(thread, pull),
    user: userOrGhostBody(urls, thread.user),
    additions: 1,
    deletions: 1,
    changed_files: 1,
    commits: 1,
    comments: thread.comments.size,
    review_comments: pull.comments.size,
    maintainer_can_modify: false,
    mergeable: null,
    mergeable_state: 'unknown',
    merged: pull.mergedAt !== null,
    merged_by: null,
  });

  return { simple, full };
}
