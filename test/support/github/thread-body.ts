import type { Repository } from './repository.ts';
import type { Shape } from './shapes.ts';
import type { IssueComment, Label, Milestone, Thread } from './state.ts';
import { nodeId, optionalTimestamp, timestamp, type Urls } from './urls.ts';
import { optionalUserBody } from './user-body.ts';

/** An issue; a pull request in the shape of an issue, marked by `pull_request`. */
export function issueBody(urls: Urls, repository: Repository, thread: Thread): Shape<'issue'> {
  const url = `${urls.repo(repository)}/issues/${String(thread.number)}`;
  return {
    ...threadFields(urls, repository, thread),
    id: thread.id,
    node_id: nodeId(thread.pull === null ? 'I' : 'PR', thread.id),
    url,
    repository_url: urls.repo(repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: threadPage(urls, repository, thread),
    state: thread.state,
    state_reason: thread.stateReason,
    comments: thread.comments.size,
    ...(thread.pull !== null && {
      draft: thread.pull.draft,
      pull_request: {
        ...pullLinks(urls, repository, thread),
        merged_at: optionalTimestamp(thread.pull.mergedAt),
      },
    }),
  };
}

export function issueCommentBody(urls: Urls, repository: Repository, comment: IssueComment): Shape<'issue-comment'> {
  const thread = repository.threads.get(comment.thread);
  return {
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    url: `${urls.repo(repository)}/issues/comments/${String(comment.id)}`,
    html_url: `${threadPage(urls, repository, thread)}#issuecomment-${String(comment.id)}`,
    issue_url: `${urls.repo(repository)}/issues/${String(comment.thread)}`,
    user: optionalUserBody(urls, comment.user),
    author_association: 'MEMBER',
    body: comment.body,
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
  };
}

/** What the shapes of an issue and of a pull request have in common. */
export function threadFields(urls: Urls, repository: Repository, thread: Thread) {
  return {
    number: thread.number,
    title: thread.title,
    body: thread.body,
    user: optionalUserBody(urls, thread.user),
    labels: thread.labels.map((label) => labelBody(urls, repository, label)),
    milestone: thread.milestone === null ? null : milestoneBody(urls, repository, thread.milestone),
    assignee: null,
    assignees: [],
    author_association: 'MEMBER',
    active_lock_reason: null,
    locked: thread.locked,
    created_at: timestamp(thread.createdAt),
    updated_at: timestamp(thread.updatedAt),
    closed_at: optionalTimestamp(thread.closedAt),
  } satisfies Partial<Shape<'pull-request-simple'>>;
}

/** Links that a pull request has in both of its shapes. */
export function pullLinks(urls: Urls, repository: Repository, thread: Thread) {
  const page = `${urls.page(repository)}/pull/${String(thread.number)}`;
  const url = `${urls.repo(repository)}/pulls/${String(thread.number)}`;
  return { url, html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch` };
}

function threadPage(urls: Urls, repository: Repository, thread: Thread): string {
  return `${urls.page(repository)}/${thread.pull === null ? 'issues' : 'pull'}/${String(thread.number)}`;
}

function labelBody(urls: Urls, repository: Repository, label: Label) {
  return {
    ...label,
    node_id: nodeId('LA', label.id),
    url: `${urls.repo(repository)}/labels/${encodeURIComponent(label.name)}`,
    default: false,
  } satisfies Shape<'label'>;
}

function milestoneBody(urls: Urls, repository: Repository, milestone: Milestone): Shape<'milestone'> {
  const url = `${urls.repo(repository)}/milestones/${String(milestone.number)}`;
  const { open, closed } = repository.threads.shelf.derive(byMilestone).get(milestone.id) ?? { open: 0, closed: 0 };
  return {
    id: milestone.id,
    node_id: nodeId('MI', milestone.id),
    number: milestone.number,
    title: milestone.title,
    description: null,
    state: 'open',
    url,
    html_url: `${urls.page(repository)}/milestone/${String(milestone.number)}`,
    labels_url: `${url}/labels`,
    creator: null,
    open_issues: open,
    closed_issues: closed,
    created_at: timestamp(milestone.createdAt),
    updated_at: timestamp(milestone.createdAt),
    closed_at: null,
    due_on: null,
  };
}

function byMilestone(threads: Iterable<Thread>): Map<number, { open: number; closed: number }> {
  const counts = new Map<number, { open: number; closed: number }>();
  for (const { milestone, state } of threads) {
    if (milestone === null) continue;
    const count = counts.get(milestone.id) ?? { open: 0, closed: 0 };
    count[state] += 1;
    counts.set(milestone.id, count);
  }
  return counts;
}
