import { execute, GraphQLError, parse, validate } from 'graphql';
import * as z from 'zod';
import { maySee, needsSso, type Token } from './access.ts';
import { type Answer, json, notFound, refusal } from './answer.ts';
import { actorData, repositoryData } from './graphql-data.ts';
import { schemaWithout } from './graphql-schema.ts';
import type { Hub } from './hub.ts';
import type { Limits } from './limits.ts';
import { timestamp, type Urls } from './urls.ts';

/**
 * How GraphQL is there: it works; `refused` with status 403; `forbidden`, which is status 200 with an error in place of
 * every repository; or `absent`.
 */
export interface GraphqlSettings {
  access: 'works' | 'refused' | 'forbidden' | 'absent';
  /** Fields that an older server does not have: `PullRequestReview.fullDatabaseId`. */
  without: readonly string[];
}

const NOT_ACCESSIBLE = 'Resource not accessible by personal access token';

const asked = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** Answers `POST /graphql`. A query that fails has status 200 and `errors`, as on GitHub. */
export async function graphql(
  body: string,
  call: { urls: Urls; hub: Hub; limits: Limits; token: Token; settings: GraphqlSettings },
): Promise<Answer> {
  const { hub, token, urls, settings } = call;
  if (settings.access === 'refused') return refusal(403, NOT_ACCESSIBLE);
  if (settings.access === 'absent') return notFound();
  const request = asked.safeParse(parsedJson(body));
  if (!request.success) return refusal(400, 'Problems parsing JSON');
  const schema = schemaWithout(settings.without);
  try {
    const document = parse(request.data.query);
    const problems = validate(schema, document);
    if (problems.length > 0) return json(200, { errors: problems.map(errorBody) });
    const result = await execute({
      schema,
      document,
      variableValues: request.data.variables ?? {},
      operationName: request.data.operationName,
      rootValue: {
        viewer: () => actorData(urls, token.user),
        rateLimit: () => {
          const { limit, remaining, used, reset } = call.limits.shape('graphql', false);
          return { cost: 1, limit, remaining, used, resetAt: timestamp(reset * 1000) };
        },
        repository: (args: { owner: string; name: string; followRenames: boolean }) => {
          const name = `${args.owner}/${args.name}`;
          const repository = hub.named(name);
          const former = repository?.fullName.toLowerCase() !== name.toLowerCase();
          if (repository === undefined || !maySee(token, repository) || (former && !args.followRenames)) {
            const message = `Could not resolve to a Repository with the name '${name}'.`;
            throw new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
          }
          if (needsSso(token, repository) || settings.access === 'forbidden') {
            throw new GraphQLError(NOT_ACCESSIBLE, { extensions: { type: 'FORBIDDEN' } });
          }
          return repositoryData(urls, repository);
        },
      },
    });
    const { data, errors } = result;
    return json(200, errors === undefined ? { data } : { data: data ?? null, errors: errors.map(errorBody) });
  } catch (error) {
    if (error instanceof GraphQLError) return json(200, { errors: [errorBody(error)] });
    throw error;
  }
}

/** GitHub has the type of an error beside its message, not among the extensions. */
function errorBody({ message, path, locations, extensions }: GraphQLError): object {
  return { ...extensions, path, locations, message };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
