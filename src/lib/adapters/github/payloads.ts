import * as z from 'zod';
import { parseTime } from '../../core/time.ts';
import type { GitHubList, RemoteItem, RemoteRepository } from '../../engine/github.ts';

const time = z.string().refine((text) => parseTime(text) !== undefined, 'is no time');
const milliseconds = (text: string | null | undefined): number => parseTime(text ?? '') ?? 0;
const positive = z.int().positive();
const login = z
  .object({ login: z.string() })
  .nullish()
  .transform((user) => user?.login ?? null);

/** Number at the end of an address such as `…/issues/12`. */
const numberAtEnd = z.string().transform((url, context) => {
  const digits = /\/(\d+)$/.exec(url)?.[1];
  if (digits !== undefined) return Number(digits);
  context.addIssue({ code: 'custom', message: 'is no address of a thread' });
  return z.NEVER;
});

const repository = z
  .object({
    id: positive,
    full_name: z.string(),
    default_branch: z.string().nullish(),
    private: z.boolean().default(false),
    archived: z.boolean().default(false),
    // Of what is not said, nothing is taken to be gone.
    has_wiki: z.boolean().default(true),
    has_issues: z.boolean().default(true),
    has_pull_requests: z.boolean().default(true),
    clone_url: z.url({ protocol: /^https?$/ }),
  })
  .transform(
    (it): RemoteRepository => ({
      id: it.id,
      fullName: it.full_name,
      defaultBranch: it.default_branch ?? null,
      private: it.private,
      archived: it.archived,
      hasWiki: it.has_wiki,
      hasIssues: it.has_issues,
      hasPulls: it.has_pull_requests,
      cloneUrl: it.clone_url,
    }),
  );

const threadFields = z.object({
  number: positive,
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  user: login,
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
  milestone: z.object({ title: z.string() }).nullish(),
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  html_url: z.string(),
  created_at: z.string(),
  updated_at: time,
  closed_at: z.string().nullish(),
});

const thread = threadFields
  .extend({
    comments: z.int().nonnegative(),
    pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
  })
  .transform((it): RemoteItem => {
    const pull = it.pull_request ?? null;
    return {
      ...threadItem(it, pull === null ? 'issue' : 'pull_request', pull?.merged_at ?? null),
      comments: it.comments,
    };
  });

/** A pull request as the list of pull requests has it, which counts no comments. */
const pull = threadFields
  .extend({ merged_at: z.string().nullish() })
  .transform((it): RemoteItem => threadItem(it, 'pull_request', it.merged_at ?? null));

function threadItem(
  it: z.output<typeof threadFields>,
  type: 'issue' | 'pull_request',
  mergedAt: string | null,
): RemoteItem {
  return {
    id: String(it.number),
    number: it.number,
    updatedAt: milliseconds(it.updated_at),
    record: {
      type,
      number: it.number,
      title: it.title,
      body: it.body ?? '',
      state: it.state,
      labels: it.labels,
      milestone: it.milestone ?? null,
      assignees: it.assignees ?? [],
      author: it.user,
      url: it.html_url,
      created_at: it.created_at,
      updated_at: it.updated_at,
      closed_at: it.closed_at ?? null,
      merged_at: mergedAt,
    },
  };
}

const comment = z.object({
  id: positive,
  body: z.string().nullish(),
  user: login,
  html_url: z.string(),
  created_at: z.string(),
  updated_at: time,
});

const issueComment = comment.extend({ issue_url: numberAtEnd }).transform(
  (it): RemoteItem => ({
    id: String(it.id),
    number: it.issue_url,
    updatedAt: milliseconds(it.updated_at),
    record: { type: 'issue_comment', number: it.issue_url, ...commentFields(it) },
  }),
);

const reviewComment = comment
  .extend({
    pull_request_url: numberAtEnd,
    path: z.string(),
    line: z.int().nullish(),
    original_line: z.int().nullish(),
    commit_id: z.string().nullish(),
    in_reply_to_id: z.int().nullish(),
  })
  .transform(
    (it): RemoteItem => ({
      id: String(it.id),
      number: it.pull_request_url,
      updatedAt: milliseconds(it.updated_at),
      record: {
        type: 'pr_review_comment',
        number: it.pull_request_url,
        ...commentFields(it),
        path: it.path,
        line: it.line ?? it.original_line ?? null,
        commit_sha: it.commit_id ?? null,
        in_reply_to: it.in_reply_to_id ?? null,
      },
    }),
  );

function commentFields(it: z.output<typeof comment>) {
  return {
    id: it.id,
    body: it.body ?? '',
    author: it.user,
    url: it.html_url,
    created_at: it.created_at,
    updated_at: it.updated_at,
  };
}

const release = z
  .object({
    tag_name: z.string().min(1),
    name: z.string().nullish(),
    body: z.string().nullish(),
    draft: z.boolean().default(false),
    author: login,
    html_url: z.string(),
    created_at: z.string(),
    published_at: z.string().nullish(),
    updated_at: z.string().nullish(),
  })
  .transform(
    (it): RemoteItem => ({
      id: it.tag_name,
      number: null,
      updatedAt: milliseconds(it.updated_at ?? it.published_at ?? it.created_at),
      record: {
        type: 'release',
        tag_name: it.tag_name,
        draft: it.draft,
        title: it.name ?? it.tag_name,
        body: it.body ?? '',
        author: it.author,
        url: it.html_url,
        created_at: it.created_at,
        published_at: it.published_at ?? null,
        updated_at: it.updated_at ?? null,
      },
    }),
  );

/** A review of REST: its number is not in it. */
const review = z.object({
  id: positive,
  body: z.string().nullish(),
  state: z.string(),
  user: login,
  html_url: z.string(),
  submitted_at: z.string().nullish(),
});

/** A review, whichever way it was asked for. The time of submission is all that both ways tell. */
export function reviewItem(
  number: number,
  it: Omit<z.output<typeof review>, 'id'> & { id: number | string },
): RemoteItem {
  return {
    id: String(it.id),
    number,
    updatedAt: milliseconds(it.submitted_at),
    record: {
      type: 'pr_review',
      number,
      id: String(it.id),
      body: it.body ?? '',
      state: it.state,
      author: it.user,
      url: it.html_url,
      submitted_at: it.submitted_at ?? null,
    },
  };
}

const ITEMS = {
  threads: thread,
  pulls: pull,
  issue_comments: issueComment,
  review_comments: reviewComment,
  releases: release,
};

/** The repository of an answer; undefined for anything else. */
export function decodeRepository(data: unknown): RemoteRepository | undefined {
  return repository.safeParse(data).data;
}

/** The items of a whole page; undefined for anything else, also where one item of it is not what it should be. */
export function decodePage(list: GitHubList, data: unknown): readonly RemoteItem[] | undefined {
  return z.array(ITEMS[list]).safeParse(data).data;
}

export function decodeItem(list: GitHubList, data: unknown): RemoteItem | undefined {
  return ITEMS[list].safeParse(data).data;
}

export function decodeReviews(number: number, data: unknown): readonly RemoteItem[] | undefined {
  return z
    .array(review)
    .safeParse(data)
    .data?.filter((each) => each.state !== 'PENDING')
    .map((each) => reviewItem(number, each));
}
