import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { placeInValue, valueProblem } from '../core/value-problem.ts';
import { ALLOW_LIST_ENTRY } from '../engine/allow-list.ts';
import { unreadable } from './config-unreadable.ts';

/** The variables gh-rag's faces obey; an empty one counts as absent. Tokens are read where they are used, not here. */
export interface Environment {
  /** GH_RAG_DB: path or URL of the database. */
  readonly database: string | undefined;
  /** GH_REPO: the repository that commands are about, as gh reads it. */
  readonly repo: string | undefined;
  /** GH_HOST: GitHub Enterprise host; `github.com` by default. */
  readonly host: string;
  /** DEBUG: stack traces. */
  readonly debug: boolean;
  readonly pager: string | undefined;
  readonly noColor: string | undefined;
  readonly forceColor: string | undefined;
  readonly cliColorForce: string | undefined;
  readonly cliColor: string | undefined;
  readonly term: string | undefined;
}

const optional = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const environmentVariables = z.object({
  GH_RAG_DB: optional,
  GH_REPO: optional,
  GH_HOST: optional,
  DEBUG: optional,
  PAGER: optional,
  NO_COLOR: optional,
  FORCE_COLOR: optional,
  CLICOLOR_FORCE: optional,
  CLICOLOR: optional,
  TERM: optional,
});

/** Decodes the environment. Source: process.env. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const given = environmentVariables.parse(variables);
  return {
    database: given.GH_RAG_DB,
    repo: given.GH_REPO,
    host: given.GH_HOST ?? 'github.com',
    debug: given.DEBUG !== undefined && given.DEBUG !== '0' && given.DEBUG !== 'false',
    pager: given.PAGER,
    noColor: given.NO_COLOR,
    forceColor: given.FORCE_COLOR,
    cliColorForce: given.CLICOLOR_FORCE,
    cliColor: given.CLICOLOR,
    term: given.TERM,
  };
}

/** Where a database server is looked for, and what it asks for. */
export interface ServerEnvironment {
  /** GH_RAG_DB_TOKEN. */
  readonly token: string | undefined;
  /** GH_RAG_SYNC_URL: the server that the database file is a copy of. */
  readonly syncUrl: string | undefined;
}

const serverVariables = z.object({ GH_RAG_DB_TOKEN: optional, GH_RAG_SYNC_URL: optional });

/** Decodes what is asked only where a database is opened. Fails with `credential_required` for what is no token. */
export function readServerEnvironment(variables: NodeJS.ProcessEnv = process.env): ServerEnvironment {
  const { GH_RAG_DB_TOKEN: token, GH_RAG_SYNC_URL: syncUrl } = serverVariables.parse(variables);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure('credential_required', 'GH_RAG_DB_TOKEN holds a space or another character that no token has', {
      hint: 'Set it to the token alone, without quotes or a line break.',
    });
  }
  return { token, syncUrl };
}

const configFile = z.strictObject({
  /** Path or URL of the database. */
  db: z.string().min(1).optional(),
  /** `lsa`, `none` or the URL of an embeddings endpoint. */
  embedder: z.string().min(1).optional(),
  embedder_model: z.string().min(1).optional(),
  embedder_query_prefix: z.string().optional(),
  embedder_passage_prefix: z.string().optional(),
  /** `none` or the URL of a rerank endpoint. */
  reranker: z.string().min(1).optional(),
  reranker_model: z.string().min(1).optional(),
  /** Repositories that are read, indexed and answered from, as `owner/name` or `owner/*`; without it all are. */
  allowed_repos: z.array(z.string().regex(ALLOW_LIST_ENTRY, 'must be owner/name or owner/*')).optional(),
});

export type ConfigFile = z.output<typeof configFile>;

/**
 * Reads `config.json` of the configuration directory; a missing file is an empty configuration. Fails with
 * `unreadable_input` for a file that cannot be read, and with `invalid_input` naming the file, and the field where it is
 * one field's fault.
 */
export async function readConfigFile(configDir: string): Promise<ConfigFile> {
  return (await readIfThere(configDir)) ?? {};
}

/**
 * Repositories that are allowed now, for a process that outlives a change of the file: each call reads it anew, and fails
 * as {@link readConfigFile}. While there is no file, what the last one said goes on, since some editors remove a file
 * before they write it again.
 */
export function allowedReposNow(
  configDir: string,
  { allowed_repos: atStart }: ConfigFile,
): () => Promise<readonly string[] | undefined> {
  let last: readonly string[] | undefined = atStart;
  return async () => {
    const config = await readIfThere(configDir);
    if (config !== undefined) last = config.allowed_repos;
    return last;
  };
}

async function readIfThere(configDir: string): Promise<ConfigFile | undefined> {
  const path = join(configDir, 'config.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const failure = await unreadable(path, error);
    if (failure === undefined) return undefined;
    throw failure;
  }
  const value = await parseJson(text.replace(/^\uFEFF/, ''), path);
  const parsed = configFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure('invalid_input', `the configuration ${path} is wrong: ${problemOf(issue, value)}`, {
    hint: `Known fields: ${Object.keys(configFile.shape).join(', ')}. Keys are read from the environment only.`,
    cause: parsed.error,
  });
}

function problemOf(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  if (issue === undefined) return 'it is not understood';
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.join(', ')}`;
  return `${placeInValue(issue.path) || 'it'} ${valueProblem(issue, value)}`;
}

/** Where the database is: the flag, else GH_RAG_DB, else the configuration; undefined for the default file. */
export function chooseDatabase(
  flag: string | undefined,
  environment: Pick<Environment, 'database'>,
  config: ConfigFile,
): string | undefined {
  return flag ?? environment.database ?? config.db;
}

/** JSON without a name that comes twice: JSON.parse takes the last, which may be another than the one that was meant. */
async function parseJson(text: string, path: string): Promise<unknown> {
  // Loaded here, since most have no such file.
  const { parse } = await import('lossless-json');
  const onDuplicateKey = ({ key }: { key: string }): never => {
    throw new Failure('invalid_input', `the configuration ${path} is wrong: ${key} is there twice`, {
      hint: 'Remove one of them.',
    });
  };
  try {
    const value: unknown = JSON.parse(text);
    parse(text, null, { onDuplicateKey });
    return value;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('invalid_input', `the configuration ${path} is not JSON`, {
      // Not to remove it: a server that is running would go on with the list it had.
      hint: 'Correct it, e.g. { "db": "/path/to/index.db" }; {} alone sets nothing.',
      cause: error,
    });
  }
}
