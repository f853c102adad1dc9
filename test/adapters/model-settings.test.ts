import { describe, expect, it } from 'vitest';
import { readModelSettings } from '../../src/lib/adapters/model-settings.ts';
import { Failure } from '../../src/lib/core/failure.ts';

const OLLAMA = { GH_RAG_EMBEDDER: 'http://localhost:11434/v1', GH_RAG_EMBEDDER_MODEL: 'nomic-embed-text' };

describe('the models that help a search', () => {
  it('are the index’s own without any configuration, and an empty variable is an absent one', () => {
    const none = { embedder: 'lsa', reranker: null };
    expect(readModelSettings({}, {})).toEqual(none);
    expect(readModelSettings({}, { GH_RAG_EMBEDDER: '', GH_RAG_RERANKER: '', GH_RAG_EMBEDDER_KEY: '' })).toEqual(none);
    expect(readModelSettings({}, { GH_RAG_EMBEDDER: 'lsa' })).toEqual(none);
    expect(readModelSettings({}, { GH_RAG_EMBEDDER: 'none' })).toEqual({ embedder: null, reranker: null });
  });

  it('are read from the environment, keys too', () => {
    const variables = {
      ...OLLAMA,
      GH_RAG_EMBEDDER_KEY: 'k1',
      GH_RAG_EMBEDDER_QUERY_PREFIX: 'search_query: ',
      GH_RAG_RERANKER: 'https://api.example.com/v2/rerank',
      GH_RAG_RERANKER_MODEL: 'r',
      GH_RAG_RERANKER_KEY: 'k2',
    };
    expect(readModelSettings({}, variables)).toEqual({
      embedder: {
        url: 'http://localhost:11434/v1/embeddings',
        model: 'nomic-embed-text',
        key: 'k1',
        queryPrefix: 'search_query: ',
        passagePrefix: '',
      },
      reranker: { url: 'https://api.example.com/v2/rerank', model: 'r', key: 'k2' },
    });
  });

  it('are those of the configuration file where the environment names none', () => {
    const config = {
      embedder: 'https://file.example.com',
      embedder_model: 'a',
      embedder_passage_prefix: 'p: ',
      reranker: 'https://r.example.com',
    };
    expect(readModelSettings(config, { GH_RAG_EMBEDDER_MODEL: 'b' })).toMatchObject({
      embedder: { url: 'https://file.example.com/v1/embeddings', model: 'b', passagePrefix: 'p: ', key: undefined },
      reranker: { url: 'https://r.example.com/rerank', model: undefined },
    });
    expect(readModelSettings(config, { GH_RAG_EMBEDDER: 'none', GH_RAG_RERANKER: 'none' })).toEqual({
      embedder: null,
      reranker: null,
    });
  });
});

it.each([
  ['http://h:1', 'http://h:1/v1/embeddings'],
  ['http://h/', 'http://h/v1/embeddings'],
  ['http://h/api/v3/', 'http://h/api/v3/embeddings'],
  ['https://h/v1/embeddings', 'https://h/v1/embeddings'],
  ['HTTPS://H/embeddings/', 'https://h/embeddings'],
])('the embedder %s is asked at %s', (GH_RAG_EMBEDDER, url) => {
  expect(readModelSettings({}, { ...OLLAMA, GH_RAG_EMBEDDER }).embedder).toMatchObject({ url });
});

describe('what is refused names the variable, never its value', () => {
  it.each([
    [{ GH_RAG_EMBEDDER: 'SECRET' }, 'invalid_input', /^GH_RAG_EMBEDDER: must be lsa, none or the URL/],
    [{ GH_RAG_EMBEDDER: 'ftp://SECRET/' }, 'invalid_input', /^GH_RAG_EMBEDDER: must be lsa, none or the URL/],
    [{ GH_RAG_EMBEDDER: 'http://u:SECRET@h/v1' }, 'invalid_input', /^GH_RAG_EMBEDDER: must not hold a user, a key/],
    [{ GH_RAG_EMBEDDER: 'http://h/v1?key=SECRET' }, 'invalid_input', /^GH_RAG_EMBEDDER: must not hold a user, a key/],
    [{ GH_RAG_EMBEDDER_MODEL: '' }, 'invalid_input', /^GH_RAG_EMBEDDER_MODEL: must name the model of localhost:11434$/],
    [
      { GH_RAG_EMBEDDER_MODEL: 'SECRET SECRET' },
      'invalid_input',
      /^GH_RAG_EMBEDDER_MODEL: must be the name of a model/,
    ],
    [{ GH_RAG_EMBEDDER_KEY: 'SECRET\nSECRET' }, 'credential_required', /^GH_RAG_EMBEDDER_KEY holds a space/],
    [{ GH_RAG_RERANKER: './SECRET' }, 'invalid_input', /^GH_RAG_RERANKER: must be none or the URL/],
    [{ GH_RAG_RERANKER: 'http://h/#SECRET' }, 'invalid_input', /^GH_RAG_RERANKER: must not hold a user, a key/],
    [
      { GH_RAG_RERANKER: 'http://h', GH_RAG_RERANKER_KEY: ' SECRET' },
      'credential_required',
      /^GH_RAG_RERANKER_KEY holds/,
    ],
  ])('%j', (variables, code, message) => {
    let refused: unknown;
    try {
      readModelSettings({}, { ...OLLAMA, ...variables });
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(Failure);
    expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(refused instanceof Failure && `${refused.message} ${String(refused.hint)}`).not.toContain('SECRET');
  });

  it('or the field', () => {
    expect(() => readModelSettings({ embedder: 'no' }, {})).toThrow(/^embedder of the configuration: must be lsa/);
  });
});
