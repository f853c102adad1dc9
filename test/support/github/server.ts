import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../src/lib/engine/clock.ts';
import { maySee } from './access.ts';
import { type Address, addressOf } from './address.ts';
import { type Answer, bytes, json, refusal } from './answer.ts';
import type { Api, ApiRequest } from './api.ts';
import type { Fault, Faults } from './faults.ts';
import { serveGit } from './git-http.ts';
import type { Hub } from './hub.ts';
import type { RequestRecord } from './requests.ts';
import { Urls } from './urls.ts';
import { type BodyFault, write } from './write.ts';

export interface Settings {
  /** Every answer of the API waits so long; for benchmarks. */
  latencyMs: number;
  /** How far the Date header is ahead of the clock. */
  skewMs: number;
}

const HTML = 'https://github.com';

/** The HTTP side: takes requests, records them, lets their faults happen, and answers by the API or by git. */
export class GitHubServer {
  readonly settings: Settings = { latencyMs: 0, skewMs: 0 };
  readonly requests: RequestRecord[] = [];
  /** What went wrong in the fake itself. */
  readonly problems: unknown[] = [];
  readonly http: Server;
  readonly #hub: Hub;
  readonly #api: Api;
  readonly #faults: Faults;
  readonly #clock: Clock;

  constructor(parts: { hub: Hub; api: Api; faults: Faults; clock: Clock }) {
    this.#hub = parts.hub;
    this.#api = parts.api;
    this.#faults = parts.faults;
    this.#clock = parts.clock;
    this.http = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.problems.push(error);
        response.destroy();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = 'GET', url = '/' } = request;
    const root = `http://${headers.host ?? '127.0.0.1'}`;
    const enterprise = /^\/api(\/v3)?(?=\/)/.exec(url)?.[0] ?? '';
    const path = url.slice(enterprise.length);
    const { pathname, searchParams: query } = new URL(path, root);
    const address = addressOf(pathname, this.#hub);
    const record: RequestRecord = {
      method,
      url,
      path,
      ...asked(address),
      page: Number(query.get('page') ?? 1),
      headers,
      authorized: headers.authorization !== undefined,
      status: 0,
    };
    this.requests.push(record);
    const faults = this.#faults.of(record);
    for (const fault of faults) {
      if (fault.kind === 'before') await fault.run();
      if (fault.kind === 'hold') await fault.until;
    }
    if (this.settings.latencyMs > 0) await delay(this.settings.latencyMs);
    if (faults.some(({ kind }) => kind === 'reset')) {
      request.socket.resetAndDestroy();
      return;
    }
    response.setHeader('date', new Date(this.#clock.now() + this.settings.skewMs).toUTCString());
    const bodyFault = faults.find((fault): fault is BodyFault => ['truncated', 'cut', 'short'].includes(fault.kind));
    if (address.kind === 'git') {
      const answer = faultAnswer(faults) ?? this.#gitRefusal(address, request, root);
      record.status = answer?.status ?? 200;
      if (answer !== undefined) write(request, response, answer, bodyFault);
      else record.status = await this.#git(address, request, response, bodyFault !== undefined);
      return;
    }
    const urls = new Urls(`${root}${enterprise === '' ? '' : '/api/v3'}`, root, HTML);
    const call: ApiRequest = { method, address, query, headers, body: await text(request), urls };
    const exhausted = faults.some(({ kind }) => kind === 'primaryLimit') ? this.#api.exhausted(call) : undefined;
    const answer = exhausted ?? faultAnswer(faults) ?? (await this.#api.answer(call));
    record.status = answer.status;
    response.setHeader('x-github-request-id', `F${this.requests.length.toString(16).padStart(7, '0')}`);
    if (enterprise !== '') response.setHeader('x-github-enterprise-version', '3.12.0');
    write(request, response, answer, bodyFault);
  }

  /** What keeps a caller from reading by git; undefined where nothing does. */
  #gitRefusal(address: GitAddress, { headers, url }: IncomingMessage, root: string): Answer | undefined {
    const caller = this.#api.callerOf(headers);
    const { repository, wiki, service } = address;
    const challenge = { 'www-authenticate': 'Basic realm="GitHub"' };
    if (caller === 'refused') return bytes(401, 'Invalid username or token.', challenge);
    const seen = repository !== undefined && maySee(caller, repository);
    if (!seen || (wiki && repository.existingWiki === undefined)) {
      // Who is nobody is asked for a credential, whether there is such a repository or not.
      return caller === 'anonymous' && !seen
        ? bytes(401, 'Repository not found.', challenge)
        : bytes(404, 'Repository not found.');
    }
    if (service.endsWith('receive-pack') || url?.includes('service=git-receive-pack')) return bytes(403, 'Read only.');
    if (!address.formerName) return undefined;
    const query = (url ?? '').split('?')[1];
    const target = `${root}/${repository.fullName}${wiki ? '.wiki' : ''}.git${service}`;
    return bytes(301, '', { location: query === undefined ? target : `${target}?${query}` });
  }

  async #git(
    { repository, wiki, service }: GitAddress,
    request: IncomingMessage,
    response: ServerResponse,
    broken: boolean,
  ): Promise<number> {
    const served = wiki ? repository?.existingWiki : repository?.git;
    if (served === undefined) throw new Error('refused before');
    return serveGit(served.path, service, request, response, broken);
  }
}

type GitAddress = Extract<Address, { readonly kind: 'git' }>;

function asked(address: Address): { route: string; repository: string } {
  switch (address.kind) {
    case 'repository':
      return { route: address.route.name, repository: address.repository?.fullName ?? '' };
    case 'git':
      return { route: 'git', repository: `${address.repository?.fullName ?? ''}${address.wiki ? '.wiki' : ''}` };
    case 'user':
    case 'rate_limit':
      return { route: `/${address.kind}`, repository: '' };
    case 'login':
      return { route: '/users/{username}', repository: '' };
    case 'graphql':
    case 'unknown':
      return { route: address.kind, repository: '' };
  }
}

/** The answer that a fault gives in place of the true one. */
function faultAnswer(faults: readonly Fault[]): Answer | undefined {
  for (const fault of faults) {
    if (fault.kind === 'secondaryLimit') {
      const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      return refusal(fault.status ?? 403, message, headers);
    }
    if (fault.kind !== 'status') continue;
    const { status, body = { message: `Status ${String(status)}` }, headers = {} } = fault;
    return typeof body === 'string'
      ? bytes(status, body, { 'content-type': 'text/html; charset=utf-8', ...headers })
      : json(status, body, headers);
  }
  return undefined;
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
