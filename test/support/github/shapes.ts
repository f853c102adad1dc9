// By the name of its file: the package has nothing to run, so that its own name leads nowhere but in the compiler.
import type { components, paths } from '@octokit/openapi-types/types.d.ts';

/** A schema of GitHub's OpenAPI description. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

type Ok<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;

/** What GitHub's OpenAPI description says a GET of this path answers. */
type BodyOf<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Ok<Operation> : never;

/** An element of the list that it has at this path. */
export type ElementAt<Path extends keyof paths> = BodyOf<Path> extends readonly (infer Element)[] ? Element : never;

export type ApiPath = keyof paths;
