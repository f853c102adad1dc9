import { describe, expect, it } from 'vitest';
import { githubSlug } from '../../../src/lib/adapters/git/slug.ts';

describe('githubSlug', () => {
  it.each([
    'https://github.com/octo/engine.rs',
    'https://github.com/octo/engine.rs.git',
    'https://github.com/octo/engine.rs/',
    'https://GitHub.com/octo/engine.rs.git/',
    'https://name:secret@github.com/octo/engine.rs.git',
    'https://secret@www.github.com/octo/engine.rs',
    'http://github.com/octo/engine.rs',
    'git://github.com/octo/engine.rs.git',
    'ssh://git@github.com/octo/engine.rs.git',
    'ssh://git@github.com:22/octo/engine.rs',
    'ssh://git@ssh.github.com:443/octo/engine.rs.git',
    'git+ssh://git@github.com/octo/engine.rs.git',
    'git@github.com:octo/engine.rs.git',
    'git@ssh.github.com:octo/engine.rs.git',
    'org-1@github.com:/octo/engine.rs',
    'github.com:octo/engine.rs',
    ' https://github.com/octo/engine.rs\n',
  ])('finds it in %j', (url) => {
    expect(githubSlug(url)).toBe('octo/engine.rs');
  });

  it('takes an owner for one as everything else does', () => {
    expect(githubSlug('git@github.com:mona_acme/app.git')).toBe('mona_acme/app');
    expect(githubSlug('https://github.com/mona_of_acme/app')).toBeNull();
  });

  it.each([
    '',
    'https://gitlab.com/octo/engine',
    'https://github.com.example.org/octo/engine',
    'https://github.com@example.org/octo/engine',
    'https://example.org/github.com/octo/engine',
    'https://api.github.com/octo/engine',
    'https://gist.github.com/octo/engine',
    'https://github.com/octo',
    'https://github.com/octo/engine/tree/main',
    'https://github.com/octo/..',
    'https://github.com/octo/.git',
    'https://github.com/-octo/engine',
    'https://github.com/octo/eng%20ine',
    'https://:bad:url@',
    'git@example.org:octo/engine.git',
    'git@github.com/octo/engine.git',
    'ext::sh -c github.com:octo/engine',
    'file:///github.com/octo/engine',
    '/srv/github.com/octo/engine.git',
    '../octo/engine',
    'C:\\octo\\engine',
  ])('finds none in %j', (url) => {
    expect(githubSlug(url)).toBeNull();
  });
});
