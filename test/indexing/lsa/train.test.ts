import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldIn } from '../../../src/lib/indexing/lsa/fold-in.ts';
import { termCounts } from '../../../src/lib/indexing/lsa/terms.ts';
import { type CountedGroup, type LsaModel, type TrainingSet, trainLsa } from '../../../src/lib/indexing/lsa/train.ts';

/** Texts of invented projects; each is a group and a passage. */
const TEXTS = [
  'The kettle leaks water at the seal',
  'A new seal keeps the water in the kettle',
  'The scheduler starves slow workers',
  'Workers wait for the scheduler to wake',
  'Water damages the floor under the kettle',
];

function counted(counts: ReadonlyMap<string, number>): CountedGroup {
  return { terms: [...counts.keys()], counts: Uint32Array.from(counts.values()) };
}

/** What a model is trained on when each text is a passage and a group. */
function setOf(texts: readonly string[]): TrainingSet {
  const groups = texts.map((text) => counted(termCounts(text)));
  const documentFrequency = new Map<string, number>();
  for (const { terms } of groups) {
    for (const term of terms) documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1);
  }
  return { passages: texts.length, documentFrequency, groups };
}

const train = (set: TrainingSet): Promise<LsaModel | undefined> => trainLsa(set, () => Promise.resolve());

async function trained(texts: readonly string[]): Promise<LsaModel> {
  const model = await train(setOf(texts));
  if (model === undefined) throw new Error('too little to learn from');
  return model;
}

function vectorOf({ terms, dimensions }: LsaModel, text: string): Float32Array {
  const known = new Map(terms.map((term) => [term.term, term]));
  return foldIn(termCounts(text), (term) => known.get(term), dimensions);
}

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);

const words = fc.constantFrom('kettle', 'seal', 'water', 'leak', 'worker', 'queue', 'wake', '水漏れ', 'やかん', 'the');
const texts = fc.array(
  fc.array(words, { maxLength: 8 }).map((each) => each.join(' ')),
  { maxLength: 9 },
);

describe('a model', () => {
  test('brings texts together whose words went together elsewhere', async () => {
    const talk = ['The kettle drips', 'Water leaks from its spout'];
    const others = ['The scheduler starves slow workers', 'A dialog covers the window'];
    const set = setOf([...talk, ...others]);
    const groups = [talk.join(' '), ...others].map((text) => counted(termCounts(text)));
    const model = await train({ ...set, groups });
    if (model === undefined) throw new Error('too little to learn from');
    const question = vectorOf(model, 'dripping');
    const [, answer = question, scheduler = question, dialog = question] = [...talk, ...others].map((text) =>
      vectorOf(model, text),
    );
    expect(cosine(question, answer)).toBeGreaterThan(0.9);
    expect(Math.abs(cosine(question, scheduler))).toBeLessThan(0.1);
    expect(Math.abs(cosine(question, dialog))).toBeLessThan(0.1);
  });

  test('is the same whatever the order of texts and terms, and another for other texts', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.infiniteStream(fc.nat({ max: 1000 })), async (given, keys) => {
        const set = setOf(given);
        const shuffled = <Each>(all: readonly Each[]): Each[] =>
          all
            .map((each) => ({ each, key: keys.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ each }) => each);
        const groups = set.groups.map(({ terms, counts }) =>
          counted(new Map(shuffled(terms.map((term, at) => [term, counts[at] ?? 0] as const)))),
        );
        const documentFrequency = new Map(shuffled([...set.documentFrequency]));
        expect(await train({ ...set, groups, documentFrequency })).toEqual(await train(set));
      }),
      { numRuns: 30 },
    );
    expect((await trained(TEXTS)).name).not.toBe((await trained([...TEXTS, 'Floors dry by themselves'])).name);
    expect((await trained(TEXTS)).name).toMatch(/^lsa-\d+-[0-9a-f]{12}$/);
  });

  test('of whatever texts has finite numbers, or there is none', async () => {
    await fc.assert(
      fc.asyncProperty(texts, words, async (given, asked) => {
        const model = await train(setOf(given));
        if (model === undefined) return;
        expect(model.dimensions).toBeGreaterThanOrEqual(2);
        expect(model.dimensions).toBeLessThanOrEqual(given.length);
        for (const { weight, scale, vector } of model.terms) {
          expect(weight).toBeGreaterThan(0);
          expect(Number.isFinite(weight) && Number.isFinite(scale) && scale >= 0).toBe(true);
          expect(vector).toHaveLength(model.dimensions);
        }
        for (const text of [...given, asked, `${asked} ${given.join(' ')}`]) {
          const vector = vectorOf(model, text);
          const length = Math.sqrt(cosine(vector, vector));
          expect(vector).toHaveLength(model.dimensions);
          if (vector.some((value) => value !== 0)) expect(length).toBeCloseTo(1, 5);
          else expect(length).toBe(0);
        }
      }),
      { numRuns: 40 },
    );
  });

  test.each<[string, readonly string[]]>([
    ['nothing', []],
    ['one text', ['The kettle leaks water']],
    ['texts without a word', ['', '…', '!?']],
    ['equal texts', Array.from({ length: 6 }, () => 'The kettle leaks water')],
    ['texts of one word each time', ['kettle', 'kettle', 'kettle']],
    ['texts of function words', ['the of and', 'the of and', 'and of the']],
  ])('is not made of %s', async (_, given) => {
    expect(await train(setOf(given))).toBeUndefined();
  });

  test('has fewer dimensions than texts where texts repeat', async () => {
    const twice = [...TEXTS, ...TEXTS];
    expect((await trained(twice)).dimensions).toBe((await trained(TEXTS)).dimensions);
  });

  test('leaves out what most texts have, and in a large index what only one has', async () => {
    const many = Array.from({ length: 600 }, (_, at) => `common word${String(at % 50)} only${String(at)}`);
    const terms = new Set((await trained(many)).terms.map(({ term }) => term));
    expect(terms.size).toBe(50);
    expect(terms).toContain('word7');
    const few = new Set((await trained(many.slice(0, 100))).terms.map(({ term }) => term));
    expect(few).toContain('only7');
    expect(few).not.toContain('common');
  });

  test('comes to checkpoints all along, and ends by what one throws', async () => {
    const many = Array.from({ length: 300 }, (_, at) => `word${String(at % 290)} word${String((at * 7) % 270)}`);
    let passed = 0;
    const stoppingAt = (stop: number) => (): Promise<void> => {
      passed += 1;
      return passed === stop ? Promise.reject(new Error('stop')) : Promise.resolve();
    };
    expect((await trainLsa(setOf(many), stoppingAt(0)))?.terms).toHaveLength(290);
    const all = passed;
    expect(all).toBeGreaterThan(10);
    for (const stop of [1, Math.ceil(all / 2), all]) {
      passed = 0;
      await expect(trainLsa(setOf(many), stoppingAt(stop))).rejects.toThrow('stop');
      expect(passed).toBe(stop);
    }
  });

  test('stores each element of a vector within half a step of what it was', async () => {
    const { terms, dimensions } = await trained(TEXTS);
    // The axes are orthonormal: with all groups linearly independent their columns are of length 1.
    for (let axis = 0; axis < dimensions; axis += 1) {
      const column = terms.map(({ scale, vector }) => scale * (vector[axis] ?? Number.NaN));
      const bound = Math.sqrt(terms.reduce((sum, { scale }) => sum + (scale / 2) ** 2, 0));
      expect(Math.abs(Math.sqrt(column.reduce((sum, value) => sum + value * value, 0)) - 1)).toBeLessThanOrEqual(bound);
    }
    for (const { scale, vector } of terms) {
      const greatest = Math.max(...vector.map((value) => Math.abs(value)));
      expect(greatest).toBe(scale === 0 ? 0 : 127);
    }
  });
});

describe('a text', () => {
  test('that a model does not know is all zero', async () => {
    const model = await trained(TEXTS);
    for (const text of ['', 'the', 'xyzzy plugh', '水漏れ']) {
      expect(vectorOf(model, text)).toEqual(new Float32Array(model.dimensions));
    }
  });

  test('has the same vector whatever case and forms its words have', async () => {
    const model = await trained(TEXTS);
    expect(vectorOf(model, 'LEAKING kettles')).toEqual(vectorOf(model, 'leaks Kettle'));
    expect(vectorOf(model, 'leaks')).not.toEqual(vectorOf(model, 'scheduler'));
  });
});

test('tokens of more than 64 characters are no terms', () => {
  expect([...termCounts(`${'a'.repeat(65)} ${'b'.repeat(64)}`).keys()]).toEqual(['b'.repeat(64)]);
});
