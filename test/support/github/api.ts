import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../src/lib/engine/clock.ts';
import { type Caller, callerOf, maySee, needsSso, type Token } from './access.ts';
import type { Address } from './address.ts';
import { type Answer, json, moved, notFound, Refused, refusal } from './answer.ts';
import type { GraphqlSettings } from './graphql.ts';
import type { Hub } from './hub.ts';
import type { Limits, Resource } from './limits.ts';
import { rateLimit, tokenHeaders } from './routes.ts';
import type { Urls } from './urls.ts';
import { publicUserBody } from './user-body.ts';

/** A request for the API. */
export interface ApiRequest {
  readonly method: string;
  readonly address: Exclude<Address, { readonly kind: 'git' }>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly urls: Urls;
}

/** The REST API: who asks, whether they may, what they get, and what it costs them. */
export class Api {
  readonly tokens = new Map<string, Token>();
  readonly limits: Limits;
  readonly graphql: GraphqlSettings = { access: 'works', without: [] };
  readonly #clock: Clock;
  readonly #hub: Hub;

  constructor(hub: Hub, limits: Limits, clock: Clock) {
    this.#clock = clock;
    this.#hub = hub;
    this.limits = limits;
  }

  callerOf(headers: IncomingHttpHeaders): Caller {
    return callerOf(headers, this.tokens, this.#clock.now());
  }

  async answer(request: ApiRequest): Promise<Answer> {
    const caller = this.callerOf(request.headers);
    if (caller === 'refused') return refusal(401, 'Bad credentials');
    const anonymous = caller === 'anonymous';
    const resource: Resource = request.address.kind === 'graphql' ? 'graphql' : 'core';
    const free = request.address.kind === 'rate_limit';
    if (!free && !this.limits.take(resource, anonymous)) return this.exhausted(request);
    const plain = await this.#content(request, caller);
    const { answer, unchanged } = conditional(request, plain);
    // Only with a credential is an answer that nothing has changed free.
    if (unchanged && !anonymous) this.limits.giveBack(resource, anonymous);
    const about = anonymous ? {} : tokenHeaders(caller);
    return { ...answer, headers: { ...answer.headers, ...this.limits.headers(resource, anonymous), ...about } };
  }

  /** How a request is refused when the hour's requests are used up, with the headers that say so. */
  exhausted(request: ApiRequest): Answer {
    const anonymous = this.callerOf(request.headers) === 'anonymous';
    const resource: Resource = request.address.kind === 'graphql' ? 'graphql' : 'core';
    const headers = { ...this.limits.headers(resource, anonymous), 'x-ratelimit-remaining': '0' };
    const message = 'API rate limit exceeded for user ID 101.';
    // GraphQL tells this with status 200.
    if (resource === 'graphql') return json(200, { errors: [{ type: 'RATE_LIMITED', message }] }, headers);
    return refusal(403, message, headers);
  }

  async #content(request: ApiRequest, caller: Token | 'anonymous'): Promise<Answer> {
    const { method, address, urls } = request;
    if (address.kind === 'graphql') return this.#graphql(request, caller);
    const reads = method === 'GET' || method === 'HEAD';
    if (!reads) return notFound();
    switch (address.kind) {
      case 'user':
        return caller === 'anonymous'
          ? refusal(401, 'Requires authentication')
          : json(200, publicUserBody(urls, caller.user));
      case 'login':
        return address.user === undefined ? notFound() : json(200, publicUserBody(urls, address.user));
      case 'rate_limit':
        return json(
          200,
          rateLimit((resource) => this.limits.shape(resource, caller === 'anonymous')),
        );
      case 'repository':
        return this.#repository(request, address, caller);
      case 'unknown':
        return notFound();
    }
  }

  async #graphql({ method, body, urls }: ApiRequest, token: Token | 'anonymous'): Promise<Answer> {
    if (method !== 'POST') return notFound();
    if (token === 'anonymous') return refusal(401, 'This endpoint requires you to be authenticated.');
    // Loaded at the first query: most tests ask none.
    const { graphql } = await import('./graphql.ts');
    return graphql(body, { urls, hub: this.#hub, limits: this.limits, token, settings: this.graphql });
  }

  async #repository(
    request: ApiRequest,
    address: Extract<Address, { readonly kind: 'repository' }>,
    caller: Token | 'anonymous',
  ): Promise<Answer> {
    const { urls, query, headers } = request;
    const { repository, below, route, id } = address;
    if (repository === undefined || !maySee(caller, repository)) return notFound();
    if (needsSso(caller, repository)) return ssoRefusal(urls, repository.owner.login);
    const byId = `${urls.api}/repositories/${String(repository.id)}${below}`;
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    if (address.formerName) return moved(`${byId}${search}`);
    const { accept = '' } = headers;
    const token = caller === 'anonymous' ? undefined : caller;
    const { quirks } = this.#hub.world;
    try {
      return await route.answer({ urls, repository, token, query, accept, address: byId, quirks }, id, this.#hub);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }
}

function ssoRefusal(urls: Urls, owner: string): Answer {
  const message = 'Resource protected by organization SAML enforcement. You must grant this token access.';
  return refusal(403, message, {
    'x-github-sso': `required; url=${urls.html}/orgs/${owner}/sso?authorization_request=A1`,
  });
}

/** Adds the ETag, which differs by credential and kind of text; 304 for who has that version. */
function conditional({ address, headers }: ApiRequest, answer: Answer): { answer: Answer; unchanged: boolean } {
  if (answer.status !== 200 || address.kind === 'graphql') return { answer, unchanged: false };
  const digest = createHash('sha256').update(answer.body);
  digest.update(`${headers.authorization ?? ''}\n${headers.accept ?? ''}\n${answer.headers['link'] ?? ''}`);
  const etag = `W/"${digest.digest('hex')}"`;
  const known = (headers['if-none-match'] ?? '').split(/\s*,\s*/);
  const unchanged = known.some((candidate) => candidate.replace(/^W\//, '') === etag.slice(2));
  if (!unchanged) return { answer: { ...answer, headers: { ...answer.headers, etag } }, unchanged };
  return { answer: { status: 304, headers: { etag }, body: Buffer.alloc(0) }, unchanged };
}
