import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pace } from '../../src/lib/adapters/http/pace.ts';

/** A request as it arrived. */
export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

/** How one request is answered: an object as JSON, a text as it is, or whatever a function does. */
export type Reply = object | string | ((response: ServerResponse, asked: Asked) => void);

/** A server of models on loopback. Answers with `replies` in order, then with `otherwise`. */
export interface ModelEndpoint {
  readonly origin: string;
  readonly asked: Asked[];
  replies: Reply[];
  otherwise: (asked: Asked) => Reply;
  close(): Promise<void>;
}

export async function startModelEndpoint(otherwise: (asked: Asked) => Reply): Promise<ModelEndpoint> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const asked: Asked = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(text) as Record<string, unknown>,
    };
    endpoint.asked.push(asked);
    const reply = endpoint.replies.shift() ?? endpoint.otherwise(asked);
    if (typeof reply === 'function') reply(response, asked);
    else if (typeof reply === 'string') response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint: ModelEndpoint = {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked: [],
    replies: [],
    otherwise,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return endpoint;
}

/** An answer with a status; its body repeats the key, as the complaints of some servers do. */
export function status(code: number, headers: Record<string, string> = {}): Reply {
  return (response, { authorization = '' }) => {
    response.writeHead(code, { 'content-type': 'text/html', ...headers }).end(`<p>${authorization} is wrong</p>`);
  };
}

/** Half of an answer, then the end of the connection. */
export const truncated: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999' });
  response.write('{"data":', () => response.destroy());
};

export const reset: Reply = (response) => response.destroy();

/** Never answers. */
export const silence: Reply = () => undefined;

/** A clock that is moved by sleeping alone. */
export function testPace(random = 0.5): Pace & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => slept.reduce((sum, pause) => sum + pause, 0),
    sleep: (milliseconds, signal) => {
      signal.throwIfAborted();
      slept.push(milliseconds);
      return Promise.resolve();
    },
    random: () => random,
  };
}
