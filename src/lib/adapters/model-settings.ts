import { Failure } from '../core/failure.ts';
import type { ConfigFile } from './config.ts';

/** Which models help a search: an endpoint of each kind, `lsa` for the index's own, null for none. */
export interface ModelSettings {
  readonly embedder:
    | {
        readonly url: string;
        readonly model: string;
        readonly key: string | undefined;
        readonly queryPrefix: string;
        readonly passagePrefix: string;
      }
    | 'lsa'
    | null;
  readonly reranker: {
    readonly url: string;
    readonly model: string | undefined;
    readonly key: string | undefined;
  } | null;
}

/** A value and where it was read, in the words of a failure. */
interface Setting {
  readonly value: string;
  readonly name: string;
}

/**
 * Decodes which models help a search: each variable, else its field of the configuration file; keys from the environment
 * alone. Fails with `invalid_input` or `credential_required` naming the variable (or field); values are never repeated,
 * since a URL may hold a key. Source: process.env.
 */
export function readModelSettings(config: ConfigFile, variables: NodeJS.ProcessEnv = process.env): ModelSettings {
  const setting = (field: SettingField): Setting | undefined => {
    const variable = `GH_RAG_${field.toUpperCase()}`;
    const value = variables[variable];
    if (value !== undefined && value !== '') return { value, name: variable };
    const configured = config[field];
    return configured === undefined ? undefined : { value: configured, name: `${field} of the configuration` };
  };
  return { embedder: embedderOf(setting, variables), reranker: rerankerOf(setting, variables) };
}

type SettingField = Exclude<keyof ConfigFile, 'db' | 'allowed_repos'>;
type Settings = (field: SettingField) => Setting | undefined;

function embedderOf(setting: Settings, variables: NodeJS.ProcessEnv): ModelSettings['embedder'] {
  const given = setting('embedder');
  if (given === undefined || given.value === 'lsa') return 'lsa';
  if (given.value === 'none') return null;
  const url = endpointUrl(given, {
    what: 'must be lsa, none or the URL of an embeddings endpoint',
    example: 'http://localhost:11434/v1',
    path: '/embeddings',
    root: '/v1',
  });
  const model = modelOf(setting('embedder_model'));
  if (model === undefined) {
    throw new Failure('invalid_input', `GH_RAG_EMBEDDER_MODEL: must name the model of ${new URL(url).host}`, {
      hint: 'Vectors are kept under its name, so that those of different models never meet, e.g. nomic-embed-text.',
    });
  }
  return {
    url,
    model,
    key: keyOf('GH_RAG_EMBEDDER_KEY', variables),
    queryPrefix: setting('embedder_query_prefix')?.value ?? '',
    passagePrefix: setting('embedder_passage_prefix')?.value ?? '',
  };
}

function rerankerOf(setting: Settings, variables: NodeJS.ProcessEnv): ModelSettings['reranker'] {
  const given = setting('reranker');
  // `none` takes away what the configuration file names.
  if (given === undefined || given.value === 'none') return null;
  const url = endpointUrl(given, {
    what: 'must be none or the URL of a rerank endpoint',
    example: 'http://localhost:8080/rerank',
    path: '/rerank',
    root: '',
  });
  return { url, model: modelOf(setting('reranker_model')), key: keyOf('GH_RAG_RERANKER_KEY', variables) };
}

interface EndpointRule {
  readonly what: string;
  readonly example: string;
  /** How the path of the endpoint ends; added to a URL of the API it is part of. */
  readonly path: string;
  /** Comes before it where the URL has no path at all. */
  readonly root: string;
}

function endpointUrl({ value, name }: Setting, { what, example, path, root }: EndpointRule): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Failure('invalid_input', `${name}: ${what}`, { hint: `For example ${example}.` });
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure('invalid_input', `${name}: must not hold a user, a key or anything else after the path`, {
      hint: `Put the key into ${/rerank/.test(path) ? 'GH_RAG_RERANKER_KEY' : 'GH_RAG_EMBEDDER_KEY'}.`,
    });
  }
  const given = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${given === '' ? root : given}${given.endsWith(path) ? '' : path}`;
}

function modelOf(setting: Setting | undefined): string | undefined {
  if (setting === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,200}$/.test(setting.value)) {
    throw new Failure('invalid_input', `${setting.name}: must be the name of a model, without spaces`, {
      hint: 'Set it to the name alone, without quotes or a line break.',
    });
  }
  return setting.value;
}

function keyOf(variable: string, variables: NodeJS.ProcessEnv): string | undefined {
  const key = variables[variable];
  if (key === undefined || key === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Failure('credential_required', `${variable} holds a space or another character that no key has`, {
      hint: 'Set it to the key alone, without quotes or a line break.',
    });
  }
  return key;
}
