import { buildASTSchema, type DocumentNode, type GraphQLSchema, parse, visit } from 'graphql';

/** The part of GitHub's schema that the fake has; a test holds it against the published one, which takes 1.5 s to load. */
export const SDL = `
scalar BigInt
scalar DateTime
scalar URI

type Query {
  rateLimit(dryRun: Boolean = false): RateLimit
  repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  viewer: User!
}

type RateLimit {
  cost: Int!
  limit: Int!
  remaining: Int!
  resetAt: DateTime!
  used: Int!
}

interface Node {
  id: ID!
}

interface Actor {
  login: String!
  url: URI!
}

type User implements Actor & Node {
  databaseId: Int
  id: ID!
  login: String!
  name: String
  url: URI!
}

type Bot implements Actor & Node {
  databaseId: Int
  id: ID!
  login: String!
  url: URI!
}

type Organization implements Actor & Node {
  databaseId: Int
  id: ID!
  login: String!
  name: String
  url: URI!
}

type Repository implements Node {
  databaseId: Int
  hasWikiEnabled: Boolean!
  id: ID!
  isArchived: Boolean!
  isPrivate: Boolean!
  name: String!
  nameWithOwner: String!
  pullRequest(number: Int!): PullRequest
  pullRequests(after: String, first: Int, orderBy: IssueOrder, states: [PullRequestState!]): PullRequestConnection!
  pushedAt: DateTime
  updatedAt: DateTime!
  url: URI!
}

input IssueOrder {
  direction: OrderDirection!
  field: IssueOrderField!
}

enum OrderDirection {
  ASC
  DESC
}

enum IssueOrderField {
  CREATED_AT
  UPDATED_AT
}

enum PullRequestState {
  CLOSED
  MERGED
  OPEN
}

type PageInfo {
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
}

type PullRequestConnection {
  nodes: [PullRequest]
  pageInfo: PageInfo!
  totalCount: Int!
}

type PullRequest implements Node {
  author: Actor
  createdAt: DateTime!
  databaseId: Int
  fullDatabaseId: BigInt
  id: ID!
  number: Int!
  reviews(after: String, first: Int, states: [PullRequestReviewState!]): PullRequestReviewConnection
  state: PullRequestState!
  title: String!
  updatedAt: DateTime!
  url: URI!
}

enum PullRequestReviewState {
  APPROVED
  CHANGES_REQUESTED
  COMMENTED
  DISMISSED
  PENDING
}

type PullRequestReviewConnection {
  nodes: [PullRequestReview]
  pageInfo: PageInfo!
  totalCount: Int!
}

type PullRequestReview implements Node {
  author: Actor
  body: String!
  createdAt: DateTime!
  databaseId: Int
  fullDatabaseId: BigInt
  id: ID!
  state: PullRequestReviewState!
  submittedAt: DateTime
  updatedAt: DateTime!
  url: URI!
}
`;

let document: DocumentNode | undefined;

/** The schema without fields such as `PullRequestReview.fullDatabaseId`, as an older server has it. */
export function schemaWithout(fields: readonly string[]): GraphQLSchema {
  document ??= parse(SDL, { noLocation: true });
  const left = visit(document, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: (type.fields ?? []).filter((field) => !fields.includes(`${type.name.value}.${field.name.value}`)),
    }),
  });
  return buildASTSchema(left);
}
