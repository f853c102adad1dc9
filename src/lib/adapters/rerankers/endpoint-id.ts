/** A rerank endpoint as it is configured. */
export interface RerankerEndpoint {
  /** Of `…/rerank`; holds no credential. */
  readonly url: string;
  /** undefined where the server has one model and needs no name for it. */
  readonly model: string | undefined;
  readonly key: string | undefined;
}

/** `endpoint:HOST:MODEL`, or `endpoint:HOST`. */
export function endpointRerankerId({ url, model }: RerankerEndpoint): string {
  return ['endpoint', new URL(url).host, ...(model === undefined ? [] : [model])].join(':');
}
