import type { Embedder } from '../engine/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import { isAllowed } from '../engine/allow-list.ts';
import { embeddable } from './active-embedder.ts';

/** A text of a passage as an embedder is given it, and the repository (`owner/name`) whose it is. */
export interface PassageInput {
  readonly repo: string;
  readonly text: string;
}

/**
 * The vectors of passages, in their order; undefined of what the embedder may not see, which it is not given. The one place
 * where text of documents reaches an embedder (the linter knows no other). Fails as the embedder does.
 */
export async function embedPassages(
  engine: Pick<Engine, 'embedder' | 'allowed' | 'signal'>,
  embedder: Embedder,
  passages: readonly PassageInput[],
): Promise<(Float32Array | undefined)[]> {
  const allowed = embeddable(engine);
  const given = passages.filter(({ repo }) => isAllowed(allowed, repo));
  if (given.length === 0) return passages.map(() => undefined);
  const texts = given.map(({ text }) => text);
  const vectors = await embedder.embed(texts, 'passage', engine.signal);
  const of = new Map(given.map((passage, at) => [passage, vectors[at]]));
  return passages.map((passage) => of.get(passage));
}
