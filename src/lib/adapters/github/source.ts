import { Failure } from '../../core/failure.ts';
import type { GitMirror } from '../../engine/git-mirror.ts';
import type {
  ClonedRepository,
  GitHubList,
  GitHubSource,
  PageQuery,
  RemoteItem,
  RemotePage,
  RemoteRepository,
  RemoteReviews,
  RequestBudget,
} from '../../engine/github.ts';
import { hostFrom } from './api.ts';
import { type ClientAnswer, type ClientOptions, GitHubClient } from './client.ts';
import { nonsense } from './failures.ts';
import { gitRemote } from './git-remote.ts';
import { decodeItem, decodePage, decodeRepository } from './payloads.ts';
import { readReviews } from './reviews.ts';

const PATHS: Readonly<Record<GitHubList, string>> = {
  threads: '/issues',
  pulls: '/pulls',
  issue_comments: '/issues/comments',
  review_comments: '/pulls/comments',
  releases: '/releases',
};

/** Deleted, or kept from us. */
const GONE = [404, 410, 451] as const;

export interface SourceOptions extends Omit<ClientOptions, 'variables'> {
  readonly mirror: GitMirror;
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** Most items of a page; 100, which is GitHub's limit, unless a smaller one is wanted. */
  readonly pageSize?: number | undefined;
}

/** GitHub by its REST and GraphQL interfaces, with the caller's own token. Asks nothing before the first use. */
export function githubSource({
  mirror,
  variables = process.env,
  pageSize = 100,
  ...options
}: SourceOptions): GitHubSource {
  return new OctokitSource(hostFrom(variables), new GitHubClient({ variables, ...options }), mirror, pageSize);
}

class OctokitSource implements GitHubSource {
  readonly host: string;
  readonly #client: GitHubClient;
  readonly #mirror: GitMirror;
  readonly #pageSize: number;

  constructor(host: string, client: GitHubClient, mirror: GitMirror, pageSize: number) {
    this.host = host;
    this.#client = client;
    this.#mirror = mirror;
    this.#pageSize = pageSize;
  }

  get asked(): string {
    return this.#client.api.host;
  }

  get requests(): number {
    return this.#client.requests;
  }

  get budget(): RequestBudget | undefined {
    return this.#client.budget;
  }

  async repository(repo: string, signal: AbortSignal): Promise<RemoteRepository> {
    const answer = await this.#client.get(repo, '', {}, signal, GONE);
    if (answer === 'gone') throw await this.#missing(repo, signal);
    const repository = decodeRepository(answer?.data);
    if (repository === undefined) throw nonsense(this.asked, 'repository');
    return repository;
  }

  async list(repo: string, list: GitHubList, query: PageQuery, signal: AbortSignal): Promise<RemotePage | undefined> {
    const { order, open, since, page, perPage, etag } = query;
    const sort = order === 'made_last' ? 'created' : 'updated';
    const sorted = { sort, direction: order === 'oldest' ? 'asc' : 'desc' };
    const parameters = {
      ...((list === 'threads' || list === 'pulls') && { state: open === true ? 'open' : 'all' }),
      ...(list !== 'releases' && sorted),
      // Asked for everything since the epoch, GitHub answers that there is nothing.
      ...(since !== undefined && since > 0 && { since: new Date(since).toISOString().replace('.000Z', 'Z') }),
      per_page: Math.min(perPage, this.#pageSize),
      page,
      ...(etag !== undefined && { headers: { 'if-none-match': etag } }),
    };
    const answer = await this.#client.get(repo, PATHS[list], parameters, signal);
    return answer === undefined ? undefined : this.#page(list, answer);
  }

  async count(repo: string, list: GitHubList, signal: AbortSignal): Promise<number | undefined> {
    const page = await this.list(repo, list, { order: 'oldest', page: 1, perPage: 1 }, signal);
    if (page === undefined) return undefined;
    return page.more ? page.pages : page.items.length;
  }

  async item(repo: string, list: GitHubList, id: string, signal: AbortSignal): Promise<RemoteItem | undefined> {
    const path = list === 'releases' ? `/releases/tags/${encodeURIComponent(id)}` : `${PATHS[list]}/${id}`;
    const answer = await this.#client.get(repo, path, {}, signal, GONE);
    if (answer === 'gone') return undefined;
    const item = decodeItem(list, answer?.data);
    if (item === undefined) throw nonsense(this.asked, path);
    // A transferred thread is found where it is now, which may be here again under another number.
    return item.id === id && isOf(repo, item) ? item : undefined;
  }

  async threadComments(repo: string, number: number, page: number, signal: AbortSignal): Promise<RemotePage> {
    const path = `/issues/${String(number)}/comments`;
    const answer = await this.#client.get(repo, path, { per_page: this.#pageSize, page }, signal, GONE);
    if (answer === undefined) throw nonsense(this.asked, path);
    return this.#page('issue_comments', answer);
  }

  reviews(
    repo: string,
    numbers: readonly number[],
    signal: AbortSignal,
    others: readonly number[] = [],
  ): Promise<RemoteReviews> {
    return readReviews(this.#client, repo, numbers, signal, others);
  }

  async clone(of: RemoteRepository, part: 'code' | 'wiki', signal: AbortSignal): Promise<ClonedRepository> {
    const credential = await this.#client.credential(of.fullName);
    return this.#mirror.update(gitRemote(of, part, credential, this.asked), signal);
  }

  #page(list: GitHubList, answer: ClientAnswer | 'gone'): RemotePage {
    if (answer === 'gone') return { items: [], more: false, pages: undefined, etag: undefined };
    const items = decodePage(list, answer.data);
    if (items === undefined) throw nonsense(this.asked, PATHS[list]);
    const link = String(answer.headers.link ?? '');
    const last = /<[^>]*[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1];
    const etag = answer.headers.etag;
    return {
      items,
      more: /rel="next"/.test(link),
      pages: last === undefined ? undefined : Number(last),
      etag: typeof etag === 'string' ? etag : undefined,
    };
  }

  /** GitHub does not tell a repository that is not there from one that the token may not see. Its owner tells more. */
  async #missing(repo: string, signal: AbortSignal): Promise<Failure> {
    const [owner = ''] = repo.split('/', 1);
    if (!(await this.#client.hasOwner(repo, signal))) {
      return new Failure('not_found', `there is no user or organisation ${owner} on ${this.asked}`, {
        hint: `Check the spelling of owner/name, and ${this.#client.api.setting} where another host is meant.`,
      });
    }
    return new Failure('credential_required', `${this.asked} shows this token no repository ${repo}`, {
      hint: 'Check its spelling; if it is private, use a token that may read it (gh auth refresh -s repo).',
    });
  }
}

/** False for a thread that was transferred: its old address leads to where it is now. */
function isOf(repo: string, { record: { url } }: RemoteItem): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return true;
  return new URL(url).pathname.toLowerCase().startsWith(`/${repo.toLowerCase()}/`);
}
