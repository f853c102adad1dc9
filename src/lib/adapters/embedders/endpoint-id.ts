import { sha256Hex } from '../../core/hash.ts';

/** An embeddings endpoint as it is configured. */
export interface EmbedderEndpoint {
  /** Of `…/embeddings`; holds no credential. */
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
  /** Put before each text of its role; empty for none. */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

/** `endpoint:HOST:MODEL`, with eight digits of a hash of the prefixes where there are any, since vectors depend on them. */
export function endpointEmbedderId({ url, model, queryPrefix, passagePrefix }: EmbedderEndpoint): string {
  const name = `endpoint:${new URL(url).host}:${model}`;
  if (queryPrefix === '' && passagePrefix === '') return name;
  return `${name}#${sha256Hex(JSON.stringify([queryPrefix, passagePrefix])).slice(0, 8)}`;
}
