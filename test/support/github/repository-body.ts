import type { Repository } from './repository.ts';
import type { Shape } from './shapes.ts';
import type { Thread } from './state.ts';
import type { Quirks } from './world.ts';
import { nodeId, timestamp, type Urls } from './urls.ts';
import { userBody } from './user-body.ts';

/** A repository as pull requests hold it. */
export function repositoryBody(urls: Urls, repository: Repository) {
  const url = urls.repo(repository);
  const page = urls.page(repository);
  const open = repository.threads.shelf.derive(openThreads);
  return {
    ...repositoryLinks(url),
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: repository.fullName,
    owner: userBody(urls, repository.owner),
    private: repository.private,
    visibility: repository.private ? 'private' : 'public',
    html_url: page,
    description: repository.description,
    fork: false,
    url,
    clone_url: `${urls.git}/${repository.fullName}.git`,
    git_url: `git:${page.replace(/^https?:/, '')}.git`,
    ssh_url: `git@example.org:${repository.fullName}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: repository.defaultBranch,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    size: 0,
    open_issues: open,
    open_issues_count: open,
    has_issues: repository.hasIssues,
    has_projects: false,
    has_wiki: repository.hasWiki,
    has_pages: false,
    has_discussions: false,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- GitHub's description still requires it
    has_downloads: true,
    archived: repository.archived,
    disabled: false,
    created_at: timestamp(repository.createdAt),
    updated_at: timestamp(repository.updatedAt),
    pushed_at: timestamp(repository.pushedAt),
  } satisfies Shape<'repository'>;
}

/** The answer to `GET /repos/{owner}/{repo}`. */
export function fullRepositoryBody(
  urls: Urls,
  repository: Repository,
  { tellsHiddenPulls }: Pick<Quirks, 'tellsHiddenPulls'>,
): Shape<'full-repository'> {
  // Newer than the description is the switch of pull requests.
  const newer = { has_pull_requests: repository.hasPulls || !tellsHiddenPulls };
  return { ...repositoryBody(urls, repository), ...newer, network_count: 0, subscribers_count: 0 };
}

function openThreads(threads: Iterable<Thread>): number {
  let open = 0;
  for (const { state } of threads) if (state === 'open') open += 1;
  return open;
}

function repositoryLinks(url: string) {
  return {
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
  };
}
