import type { components, paths } from '@octokit/openapi-types';

/** A schema of GitHub's OpenAPI description. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

type Ok<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;

/** What GitHub's OpenAPI description says a GET of this path answers. */
export type BodyOf<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Ok<Operation> : never;
