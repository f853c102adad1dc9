import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { devNull } from 'node:os';
import { join } from 'node:path';

/** Settings of GitHub's own servers: partial clones, and any object by its id. */
const CONFIG = { 'uploadpack.allowFilter': 'true', 'uploadpack.allowAnySHA1InWant': 'true', 'safe.directory': '*' };

/**
 * Serves a work tree's repository by `git http-backend`, for reading. `service` is the path below it (`/info/refs`).
 * Gives the status. A `broken` answer ends in the middle of the first bytes after its headers.
 */
export async function serveGit(
  workTree: string,
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
  broken: boolean,
): Promise<number> {
  const { headers } = request;
  const query = (request.url ?? '').split('?')[1] ?? '';
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      ...configuration(),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_PROJECT_ROOT: join(workTree, '.git'),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: service,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      ...(headers['content-length'] !== undefined && { CONTENT_LENGTH: headers['content-length'] }),
      ...(headers['content-encoding'] !== undefined && { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(typeof headers['git-protocol'] === 'string' && { GIT_PROTOCOL: headers['git-protocol'] }),
    },
  });
  // A client that goes away ends the service; git that has read enough closes its end.
  child.stdin.on('error', () => undefined);
  response.on('close', () => child.kill());
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let status = 0;
  const send = (chunk: Buffer): void => {
    if (!broken) response.write(chunk);
    else if (chunk.length > 0) response.write(chunk.subarray(0, chunk.length >> 1), () => request.socket.destroy());
  };
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (status > 0) {
      send(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    status = writeHead(head.subarray(0, end).toString('latin1'), response);
    send(head.subarray(end + 4));
  }
  if (status === 0) response.writeHead((status = 500));
  if (!broken) response.end();
  return status;
}

/** Answers with the headers that the CGI program printed. */
function writeHead(head: string, response: ServerResponse): number {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const [name = '', value = ''] = line.split(/:\s*(.*)/s);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
  return status;
}

function configuration(): Record<string, string> {
  const entries = Object.entries(CONFIG).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${String(index)}`, key],
    [`GIT_CONFIG_VALUE_${String(index)}`, value],
  ]);
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(Object.keys(CONFIG).length) } as Record<
    string,
    string
  >;
}
