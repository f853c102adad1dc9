import { expect, it } from 'vitest';
import { type EmbedderEndpoint, endpointEmbedderId } from '../../../src/lib/adapters/embedders/endpoint-id.ts';

const NAMED: EmbedderEndpoint = {
  url: 'http://localhost:11434/v1/embeddings',
  model: 'm',
  key: 'canary-51e0d2',
  queryPrefix: '',
  passagePrefix: '',
};

it('is host and model, tells prefixes apart, and is the same for every key', () => {
  const [plain, ...prefixed] = [
    endpointEmbedderId(NAMED),
    endpointEmbedderId({ ...NAMED, queryPrefix: 'a' }),
    endpointEmbedderId({ ...NAMED, passagePrefix: 'a' }),
  ];
  expect(plain).toBe('endpoint:localhost:11434:m');
  expect(endpointEmbedderId({ ...NAMED, key: undefined })).toBe(plain);
  for (const id of prefixed) expect(id).toMatch(/^endpoint:localhost:11434:m#[0-9a-f]{8}$/);
  expect(new Set(prefixed).size).toBe(2);
});
