import { Failure } from '../../core/failure.ts';
import { EndpointError } from './endpoint-error.ts';

/** What a failure calls an endpoint and the variables that configure it. */
export interface EndpointName {
  readonly kind: 'embedder' | 'reranker';
  readonly host: string;
  readonly hasKey: boolean;
}

/**
 * What a person can do about an error of a request to a model's endpoint. An aborted `signal` makes `interrupted` of
 * everything; errors that are not of the request pass through.
 */
export function endpointFailure(error: unknown, name: EndpointName, signal: AbortSignal): unknown {
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    if (reason instanceof Failure) return reason;
    return new Failure('interrupted', `asking the ${name.kind} was interrupted`, { cause: reason });
  }
  return error instanceof EndpointError ? failureOf(error, name) : error;
}

function failureOf(error: EndpointError, { kind, host, hasKey }: EndpointName): Failure {
  const url = `GH_RAG_${kind.toUpperCase()}`;
  const status = `HTTP status ${String(error.status)}`;
  const later = 'Run the same command again in a while.';
  const unavailable = (message: string, hint: string): Failure =>
    new Failure('endpoint_unavailable', message, { hint, cause: error });
  const unusable = (message: string, hint: string): Failure =>
    new Failure('endpoint_unusable', message, { hint, cause: error });
  switch (error.problem) {
    case 'refused':
      return unavailable(
        `nothing answers at the ${kind} ${host}: connection refused`,
        `Start it, or check host and port in ${url}.`,
      );
    case 'unknown_host':
      return unavailable(`there is no ${kind} ${host}: unknown host`, `Check the host in ${url}, and the network.`);
    case 'tls':
      return unavailable(
        `no secure connection to the ${kind} ${host}: TLS failed (${error.message})`,
        `Check ${url}; for a certificate of your own authority set NODE_EXTRA_CA_CERTS.`,
      );
    case 'timeout':
      return unavailable(`the ${kind} ${host} does not answer in time`, `Check that it is not overloaded. ${later}`);
    case 'network':
    case 'cut':
      return unavailable(`the answer of the ${kind} ${host} broke off`, `Check the network. ${later}`);
    case 'busy':
      return unavailable(`the ${kind} ${host} has too many requests: ${status}${asked(error)}`, later);
    case 'server_error':
      return unavailable(`the ${kind} ${host} has a problem: ${status}${asked(error)}`, `Look at its log. ${later}`);
    case 'credential':
      return new Failure(
        'credential_required',
        hasKey ? `the ${kind} ${host} refuses the key: ${status}` : `the ${kind} ${host} wants a key: ${status}`,
        { hint: `Put a valid key into ${url}_KEY.`, cause: error },
      );
    case 'redirect':
      return unusable(
        `the ${kind} ${host} sends elsewhere: ${status}`,
        `Put the URL it moved to into ${url}; a redirect is not followed.`,
      );
    case 'not_found':
      return unusable(
        `the ${kind} ${host} does not know this path or model: ${status}`,
        `Check ${url} and ${url}_MODEL.`,
      );
    case 'refusal':
      return unusable(
        `the ${kind} ${host} refuses the request: ${status}`,
        `Check ${url}_MODEL, and that the server cuts texts that are too long for the model.`,
      );
    case 'unusable':
      return unusable(
        `the ${kind} ${host} gave an answer that is unusable: ${error.message}`,
        `Check that ${url} names ${kind === 'embedder' ? 'an embeddings' : 'a rerank'} endpoint, and ${url}_MODEL its model.`,
      );
  }
}

function asked({ retryAfterMs }: EndpointError): string {
  return retryAfterMs === undefined ? '' : `, it asks to wait ${String(Math.ceil(retryAfterMs / 1000))} s`;
}
