import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allowedReposNow, chooseDatabase, readConfigFile, readEnvironment } from '../../src/lib/adapters/config.ts';
import { temporaryDirectory } from '../support/repository.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'config.json');
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('the configuration file', () => {
  it('may be missing, empty of fields, or start with a byte order mark', async () => {
    expect(await readConfigFile(directory)).toEqual({});
    expect(await readConfigFile(join(directory, 'none'))).toEqual({});
    writeFileSync(file, '{}');
    expect(await readConfigFile(directory)).toEqual({});
    writeFileSync(file, '\uFEFF{"db": "/tmp/x.db"}');
    expect(await readConfigFile(directory)).toEqual({ db: '/tmp/x.db' });
  });

  it.each([
    ['{"db": 7}', /wrong: db must be a text, not 7$/],
    ['{"db": ""}', /wrong: db must not be empty$/],
    ['{"bd": "x"}', /wrong: unknown field bd$/],
    ['{"embedder_key": "x"}', /wrong: unknown field embedder_key$/],
    ['{"allowed_repos": "acme/app"}', /wrong: allowed_repos must be a list, not a text$/],
    ['{"allowed_repos": null}', /wrong: allowed_repos must be a list, not null$/],
    ['{"allowed_repos": ["acme/app", "acme/a*"]}', /wrong: item 2 of allowed_repos must be owner\/name or owner\/\*$/],
    ['{"allowed_repos": ["acme/*"], "allowed_repos": ["acme/*", "vault/*"]}', /wrong: allowed_repos is there twice$/],
    ['[]', /wrong: it must be an object, not a list$/],
    ['{"db": "x"', /is not JSON$/],
  ])('%s is refused with the name of the file', async (text, message) => {
    writeFileSync(file, text);
    const failure: unknown = await readConfigFile(directory).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) as string });
    expect(String(failure)).toContain(file);
  });

  it.each<[string, string, () => string]>([
    ['a folder', 'it is a folder', () => (mkdirSync(file), directory)],
    [
      'a link that leads nowhere',
      'it is a link that leads nowhere',
      () => (symlinkSync(join(directory, 'gone'), file), directory),
    ],
    ['a link that leads to itself', 'it is a link that leads to itself', () => (symlinkSync(file, file), directory)],
    [
      'below a link that leads nowhere',
      'a folder on the way to it is a link that leads nowhere',
      () => (symlinkSync(join(directory, 'gone'), file), join(file, 'gh-rag')),
    ],
    [
      'below a file',
      'what should be a folder on the way to it is a file',
      () => (writeFileSync(file, '{}'), join(file, 'gh-rag')),
    ],
  ])('that is %s is no empty configuration', async (_, why, place) => {
    const folder = place();
    const message = `cannot read the configuration ${join(folder, 'config.json')}: ${why}`;
    await expect(readConfigFile(folder)).rejects.toMatchObject({ code: 'unreadable_input', message });
  });

  it('that is broken is to be corrected: without it a server goes on with its last list', async () => {
    writeFileSync(file, '{');
    const hint = expect.not.stringContaining('remove') as string;
    await expect(readConfigFile(directory)).rejects.toMatchObject({ hint });
  });

  it('may be missing below folders that are links, and together with them', async () => {
    const link = join(directory, 'link');
    symlinkSync(directory, link);
    expect(await readConfigFile(link)).toEqual({});
    expect(await readConfigFile(join(link, 'a', 'b'))).toEqual({});
    writeFileSync(join(directory, 'other.json'), '{"db": "/tmp/x.db"}');
    symlinkSync('other.json', file);
    expect(await readConfigFile(link)).toEqual({ db: '/tmp/x.db' });
  });

  it('is read anew for what is allowed, and what it said goes on while it is gone', async () => {
    const allowed = allowedReposNow(directory, { allowed_repos: ['acme/*'] });
    expect(await allowed()).toEqual(['acme/*']);
    writeFileSync(file, '{"allowed_repos": []}');
    expect(await allowed()).toEqual([]);
    rmSync(file);
    expect(await allowed()).toEqual([]);
    writeFileSync(file, '');
    await expect(allowed()).rejects.toMatchObject({ code: 'invalid_input' });
    writeFileSync(file, '{}');
    expect(await allowed()).toBeUndefined();
  });
});

describe('the environment', () => {
  it('has defaults, and an empty variable is an absent one', () => {
    const none = readEnvironment({});
    expect(none).toMatchObject({ database: undefined, repo: undefined, host: 'github.com', debug: false });
    expect(readEnvironment({ GH_RAG_DB: '', GH_REPO: '', GH_HOST: '', DEBUG: '', NO_COLOR: '' })).toEqual(none);
  });

  it.each([
    ['1', true],
    ['*', true],
    ['0', false],
    ['false', false],
  ])('DEBUG=%s', (value, debug) => {
    expect(readEnvironment({ DEBUG: value }).debug).toBe(debug);
  });
});

it('chooses the database by flag, environment, configuration', () => {
  const environment = { database: 'environment' };
  expect(chooseDatabase('flag', environment, { db: 'file' })).toBe('flag');
  expect(chooseDatabase(undefined, environment, { db: 'file' })).toBe('environment');
  expect(chooseDatabase(undefined, { database: undefined }, { db: 'file' })).toBe('file');
  expect(chooseDatabase(undefined, { database: undefined }, {})).toBeUndefined();
});
