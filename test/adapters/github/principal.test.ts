import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCredential } from '../../../src/lib/adapters/github/credential.ts';
import { verifiedPrincipal, verifyNow } from '../../../src/lib/adapters/github/principal.ts';
import { temporaryDirectory } from '../../support/repository.ts';

/** A server that knows two users by their tokens, as `GET /user` of GitHub does. */

let server: Server;
let apiUrl: string;
/** Of another API than that of github.com a user is part of the name. */
let host: string;
let configDir: string;
let asked: { url: string | undefined; agent: string | undefined }[];
let answer: { status: number; body: string } | undefined;

const USERS: Readonly<Record<string, number>> = { 'token-of-ada': 11, 'token-of-bob': 12 };

beforeEach(async () => {
  configDir = join(temporaryDirectory(), 'config');
  asked = [];
  answer = undefined;
  server = createServer((request, response) => {
    asked.push({ url: request.url, agent: request.headers['user-agent'] });
    const id = USERS[(request.headers.authorization ?? '').replace(/^\w+ /, '')];
    const usual =
      id === undefined
        ? { status: 401, body: '{"message":"Bad credentials"}' }
        : { status: 200, body: JSON.stringify({ id, login: 'someone' }) };
    const { status, body } = answer ?? usual;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  apiUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(join(configDir, '..'), { recursive: true, force: true });
});

const now = (): string => '2024-06-01T12:00:00.000Z';
const options = (token: string, more: NodeJS.ProcessEnv = {}) => ({
  configDir,
  now,
  variables: { PATH: '', GITHUB_API_URL: apiUrl, GH_TOKEN: token, ...more },
});
const verify = (token: string, more: NodeJS.ProcessEnv = {}) => verifiedPrincipal(options(token, more));
const login = (token: string) => verifyNow(options(token), new AbortController().signal);

test('GitHub is asked once for each token; what it said is kept for the owner alone, without the token', async () => {
  const ada = { principal: { kind: 'github', userId: 11, host } };
  expect(await verify('token-of-ada')).toEqual(ada);
  expect(await verify('token-of-ada')).toEqual(ada);
  expect(asked).toEqual([{ url: '/user', agent: expect.stringContaining('gh-rag') as string }]);
  expect(await verify('token-of-bob')).toEqual({ principal: { kind: 'github', userId: 12, host } });
  expect(await verify('token-of-ada')).toEqual(ada);
  expect(asked).toHaveLength(2);
  const file = join(configDir, 'principals.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain('token');
  expect(readdirSync(configDir)).toEqual(['principals.json']);
});

test('who is known stays known while GitHub is away; who is not is nobody', async () => {
  await verify('token-of-ada');
  server.close();
  server.closeAllConnections();
  expect(await verify('token-of-ada')).toEqual({ principal: { kind: 'github', userId: 11, host } });
  expect(await verify('token-of-bob')).toEqual({
    principal: null,
    principalProblem: expect.stringMatching(/^127.*reached: /) as string,
    hasToken: true,
  });
});

test.each<[string, { status: number; body: string } | undefined, RegExp]>([
  ['a wrong token', undefined, /refuses the token: it is wrong, was revoked or has expired$/],
  ['a token of no user', { status: 403, body: '{"message":"Resource not accessible by integration"}' }, /of no user/],
  ['an answer without an id', { status: 200, body: '{}' }, /is none of GitHub/],
  ['a truncated answer', { status: 200, body: '{"id": 1' }, /cut off, or is none of GitHub/],
  ['a page of something else', { status: 200, body: '"hello"' }, /is none of GitHub/],
  ['a server in trouble', { status: 502, body: '' }, /HTTP status 502$/],
  ['a server that has no users', { status: 404, body: '{}' }, /something that is not GitHub's \(HTTP status 404\)$/],
])('%s verifies nobody, and nothing is kept', async (_, given, problem) => {
  answer = given;
  const verification = await verify('token-of-eve');
  expect(verification).toEqual({
    principal: null,
    principalProblem: expect.stringMatching(problem) as string,
    hasToken: true,
  });
  expect(JSON.stringify(verification)).not.toContain('token-of-eve');
  expect(() => readdirSync(configDir)).toThrow('ENOENT');
});

test('without a token nobody is asked', async () => {
  expect(await verify('', { GITHUB_TOKEN: ' ' })).toEqual({
    principal: null,
    principalProblem: 'there is no token',
    hasToken: false,
  });
  expect(asked).toEqual([]);
});

test('a login asks whatever is known, and forgets a token that is refused', async () => {
  const ada = { principal: { kind: 'github', userId: 11, host }, login: 'someone', host };
  await verify('token-of-ada');
  expect(await login('token-of-ada')).toEqual(ada);
  expect(asked).toHaveLength(2);
  await verify('token-of-ada');
  expect(asked).toHaveLength(2);
  answer = { status: 401, body: '{"message":"Bad credentials"}' };
  await expect(login('token-of-ada')).rejects.toMatchObject({ code: 'credential_required' });
  expect(readFileSync(join(configDir, 'principals.json'), 'utf8')).toBe('{}\n');
});

test.each<[string, { status: number; body: string } | undefined, string, RegExp]>([
  ['a wrong token', undefined, 'credential_required', /gh auth login, or set GH_TOKEN/],
  [
    'a token of no user',
    { status: 403, body: '{"message":"Not accessible"}' },
    'credential_required',
    /personal token/,
  ],
  ['a server in trouble', { status: 503, body: '' }, 'github_unavailable', /^Run the same command again later/],
  ['another server', { status: 200, body: '{}' }, 'github_unavailable', /again/],
])('a login with %s fails with the next step', async (_, given, code, hint) => {
  answer = given;
  await expect(login('token-of-eve')).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) as string });
});

test('a login without a token names the variables', async () => {
  await expect(login(' ')).rejects.toMatchObject({
    code: 'credential_required',
    hint: expect.stringMatching(/GH_TOKEN/) as string,
  });
});

test('a server that does not answer is waited for no longer than said', async () => {
  server.removeAllListeners('request');
  const late = await verifiedPrincipal({ ...options('token-of-ada'), timeoutMs: 20 });
  expect(late).toMatchObject({ principal: null, principalProblem: expect.stringMatching(/no answer/) as string });
});

test('a damaged file is written anew', async () => {
  mkdirSync(configDir);
  writeFileSync(join(configDir, 'principals.json'), '{"a": {"user_id": "11"}}');
  expect(await verify('token-of-ada')).toEqual({ principal: { kind: 'github', userId: 11, host } });
  await verify('token-of-ada');
  expect(asked).toHaveLength(1);
});

test.each<[NodeJS.ProcessEnv, { token: string; apiUrl: string } | undefined]>([
  [
    { GH_TOKEN: 'a', GITHUB_TOKEN: 'b' },
    { token: 'a', apiUrl: 'https://api.github.com' },
  ],
  [
    { GITHUB_TOKEN: 'b', GH_ENTERPRISE_TOKEN: 'c' },
    { token: 'b', apiUrl: 'https://api.github.com' },
  ],
  [
    { GH_HOST: 'git.acme.example', GH_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'c' },
    { token: 'c', apiUrl: 'https://git.acme.example/api/v3' },
  ],
  [{ GH_HOST: 'git.acme.example', GH_TOKEN: 'a' }, undefined],
  [
    { GH_HOST: 'Acme.GHE.com', GH_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'c' },
    { token: 'a', apiUrl: 'https://api.acme.ghe.com' },
  ],
  [{}, undefined],
])('%j has the credential %j', async (variables, credential) => {
  expect(await findCredential({ PATH: '', ...variables })).toEqual(credential);
});

test('gh is asked where no variable holds a token', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'gh'), '#!/bin/sh\n[ "$*" = "auth token --hostname github.com" ] && echo from-gh\n', {
    mode: 0o755,
  });
  try {
    expect(await findCredential({ PATH: `${folder}:/bin:/usr/bin` })).toMatchObject({ token: 'from-gh' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
