import { GraphQLError } from 'graphql';
import { connection, type Paging } from './graphql-page.ts';
import type { Repository } from './repository.ts';
import type { Pull, Review, Thread, User } from './state.ts';
import { nodeId, optionalTimestamp, timestamp, type Urls } from './urls.ts';

/** The largest value of GraphQL's Int. GitHub has no `databaseId` beyond it, only a `fullDatabaseId`. */
const MAX_INT = 2 ** 31 - 1;

interface PullsArguments extends Paging {
  readonly states?: readonly string[] | null;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
}

/** Gives the values of a schema's types: what is a function is asked with its arguments, as graphql-js does it. */
export function repositoryData(urls: Urls, repository: Repository) {
  return {
    ...ids('R', repository.id),
    name: repository.name,
    nameWithOwner: repository.fullName,
    url: urls.page(repository),
    isPrivate: repository.private,
    isArchived: repository.archived,
    hasWikiEnabled: repository.hasWiki,
    updatedAt: timestamp(repository.updatedAt),
    pushedAt: timestamp(repository.pushedAt),
    pullRequest: ({ number }: { readonly number: number }) => {
      const thread = repository.threads.find(number);
      if (repository.hasPulls && thread?.pull) return pullData(urls, repository, thread, thread.pull);
      const message = `Could not resolve to a PullRequest with the number of ${String(number)}.`;
      throw new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
    },
    pullRequests: (args: PullsArguments) => {
      const { field, direction } = args.orderBy ?? { field: 'CREATED_AT', direction: 'ASC' };
      const key = field === 'UPDATED_AT' ? 'updated' : 'created';
      const seen = repository.threads.shelf.ordered(key).flatMap((thread) => {
        const { pull } = thread;
        const wanted = pull !== null && (args.states?.includes(pullState(thread, pull)) ?? true);
        return wanted ? [{ thread, pull }] : [];
      });
      if (direction === 'DESC') seen.reverse();
      return connection('pullRequests', args, {
        all: seen,
        place: ({ thread }) => [key === 'updated' ? thread.updatedAt : thread.createdAt, thread.id],
        descending: direction === 'DESC',
        node: ({ thread, pull }) => pullData(urls, repository, thread, pull),
      });
    },
  };
}

export function actorData(urls: Urls, user: User) {
  return {
    __typename: user.type,
    ...ids('U', user.id),
    // The login of an app ends with [bot] in REST only.
    login: user.type === 'Bot' ? user.login.replace(/\[bot\]$/, '') : user.login,
    name: user.name,
    url: `${urls.html}/${user.login}`,
  };
}

function pullData(urls: Urls, repository: Repository, thread: Thread, pull: Pull) {
  const url = `${urls.page(repository)}/pull/${String(thread.number)}`;
  return {
    ...ids('PR', pull.id),
    number: thread.number,
    title: thread.title,
    state: pullState(thread, pull),
    url,
    author: thread.user === null ? null : actorData(urls, thread.user),
    createdAt: timestamp(thread.createdAt),
    updatedAt: timestamp(thread.updatedAt),
    reviews: (args: Paging & { readonly states?: readonly string[] | null }) =>
      connection('reviews', args, {
        all: repository.reviews.of(thread.number).filter(({ state }) => args.states?.includes(state) ?? true),
        place: (review) => [0, review.id],
        descending: false,
        node: (review) => reviewData(urls, url, review),
      }),
  };
}

function reviewData(urls: Urls, pullUrl: string, review: Review) {
  return {
    ...ids('PRR', review.id),
    author: review.user === null ? null : actorData(urls, review.user),
    body: review.body,
    state: review.state,
    createdAt: timestamp(review.submittedAt ?? review.updatedAt),
    submittedAt: optionalTimestamp(review.submittedAt),
    updatedAt: timestamp(review.updatedAt),
    url: `${pullUrl}#pullrequestreview-${String(review.id)}`,
  };
}

function ids(kind: string, id: number) {
  return { id: nodeId(kind, id), databaseId: id > MAX_INT ? null : id, fullDatabaseId: String(id) };
}

function pullState(thread: Thread, pull: Pull): 'OPEN' | 'CLOSED' | 'MERGED' {
  return pull.mergedAt !== null ? 'MERGED' : thread.state === 'open' ? 'OPEN' : 'CLOSED';
}
