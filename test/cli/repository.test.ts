import { describe, expect, it } from 'vitest';
import { chooseRepositories, parseRepository, type RepositoryQuestion } from '../../src/lib/cli/repository.ts';

const unasked = () => Promise.reject(new Error('asked without need'));

function question(over: Partial<RepositoryQuestion>): RepositoryQuestion {
  return {
    flag: undefined,
    allRepos: false,
    environment: undefined,
    directoryRepo: unasked,
    indexedAs: unasked,
    ...over,
  };
}

describe('chooseRepositories', () => {
  const here = { directoryRepo: () => Promise.resolve('Acme/App') };

  it('takes the flag before everything else', async () => {
    const choice = await chooseRepositories(question({ flag: ['acme/app', 'acme/lib'], environment: 'else/where' }));
    expect(choice).toEqual({ repos: ['acme/app', 'acme/lib'], note: undefined });
  });

  it('takes GH_REPO before the directory, and says so', async () => {
    const choice = await chooseRepositories(question({ environment: 'github.com/acme/app' }));
    expect(choice).toEqual({ repos: ['acme/app'], note: 'in acme/app (GH_REPO); --all-repos searches everything' });
  });

  it('takes the directory when it is indexed, as the index spells it', async () => {
    const choice = await chooseRepositories(
      question({ ...here, indexedAs: (slug) => Promise.resolve(slug.toLowerCase()) }),
    );
    expect(choice).toEqual({
      repos: ['acme/app'],
      note: 'in acme/app (this directory); --all-repos searches everything',
    });
  });

  it('takes all when the directory is not indexed, is none, or all are asked for', async () => {
    const all = { repos: undefined, note: undefined };
    expect(await chooseRepositories(question({ ...here, indexedAs: () => Promise.resolve(undefined) }))).toEqual(all);
    expect(await chooseRepositories(question({ directoryRepo: () => Promise.resolve(null) }))).toEqual(all);
    expect(await chooseRepositories(question({ allRepos: true, environment: 'acme/app' }))).toEqual(all);
  });

  it('refuses a contradiction', async () => {
    await expect(chooseRepositories(question({ flag: ['acme/app'], allRepos: true }))).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});

describe('parseRepository', () => {
  it.each([
    'acme/app',
    'github.com/acme/app',
    'https://github.com/acme/app',
    'https://github.com/acme/app.git',
    'https://github.com/acme/app/',
    'git@github.com:acme/app.git',
    'ssh://git@github.com/acme/app.git',
    'ghe.example.com/acme/app',
  ])('reads %s', (given) => {
    expect(parseRepository(given, '--repo')).toBe('acme/app');
  });

  it.each(['acme', 'acme/app/more', '/app', 'acme/', '', 'a b/c', 'acme/..'])(
    'refuses "%s", naming argument and value',
    (given) => {
      expect(() => parseRepository(given, '--repo')).toThrow(`--repo: must be owner/name (given: ${given})`);
    },
  );

  it('does not repeat what may be a credential', () => {
    expect(() => parseRepository('https://user:ghp_secret@github.com/acme', '--repo')).toThrow(
      /^--repo: must be owner\/name$/,
    );
  });
});
