import { expect, it } from 'vitest';
import { apiFrom, hostFrom } from '../../../src/lib/adapters/github/api.ts';

it.each<[NodeJS.ProcessEnv, string, string, string]>([
  [{}, 'https://api.github.com', 'github.com', 'GH_HOST'],
  [{ GH_HOST: 'Acme.GHE.com' }, 'https://api.acme.ghe.com', 'acme.ghe.com', 'GH_HOST'],
  [{ GH_HOST: 'git.acme.example' }, 'https://git.acme.example/api/v3', 'git.acme.example', 'GH_HOST'],
  [{ GH_HOST: 'git.acme.example:8443' }, 'https://git.acme.example:8443/api/v3', 'git.acme.example:8443', 'GH_HOST'],
  [{ GITHUB_API_URL: 'https://api.github.com' }, 'https://api.github.com', 'github.com', 'GITHUB_API_URL'],
  [{ GITHUB_API_URL: 'http://127.0.0.1:1/' }, 'http://127.0.0.1:1', '127.0.0.1:1', 'GITHUB_API_URL'],
  [
    { GITHUB_API_URL: 'https://api.git.acme.example' },
    'https://api.git.acme.example',
    'api.git.acme.example',
    'GITHUB_API_URL',
  ],
  [
    { GITHUB_API_URL: 'https://me:secret@git.acme.example/api/v3' },
    'https://me:secret@git.acme.example/api/v3',
    'git.acme.example',
    'GITHUB_API_URL',
  ],
  [
    { GH_HOST: 'git.acme.example', GITHUB_API_URL: 'https://proxy.acme.example/github' },
    'https://proxy.acme.example/github',
    'proxy.acme.example',
    'GITHUB_API_URL',
  ],
  [{ GITHUB_API_URL: 'no address' }, 'no address', 'github.com', 'GITHUB_API_URL'],
])('%j asks %s, called %s by %s', (variables, url, host, setting) => {
  expect(apiFrom(variables)).toEqual({ url, host, setting, proxied: false });
});

it('the host of the web pages is not that of the API', () => {
  expect(hostFrom({ GITHUB_API_URL: 'http://127.0.0.1:1' })).toBe('github.com');
});
