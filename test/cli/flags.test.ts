import fc from 'fast-check';
import { type Config, Config as OclifConfig } from '@oclif/core/config';
import { Command } from '@oclif/core/command';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { commandShape, fieldLabel, flagName, toInput } from '../../src/lib/cli/flags.ts';
import { measure, measureShape } from './example.ts';

/** Only parses: an oclif command with the derived args and flags. */
class Parse extends Command {
  static override id = 'parse';
  static override args = measureShape.args;
  static override flags = measureShape.flags;

  override async run() {
    const parsed = await this.parse(Parse);
    return toInput(measureShape, parsed);
  }
}

let config: Config;

beforeAll(async () => {
  const pjson = { name: 'gh-rag', version: '1.0.0', oclif: { bin: 'gh-rag' } };
  config = await OclifConfig.load({ root: '/', pjson, userPlugins: false, devPlugins: false });
});

const parse = (argv: string[]) => Parse.run(argv, config);

// A value that starts with a dash is a flag to oclif; text after -- is tried on the positional field below.
const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.startsWith('-'));
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 4 });

const anyInput = fc.record(
  {
    query: fc.string({ unit: 'grapheme', maxLength: 30 }),
    top_k: fc.integer({ min: -5, max: 99 }),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((ratio) => (Object.is(ratio, -0) ? 0 : ratio)),
    sort: fc.constantFrom('size', 'name'),
    repo: list(value),
    type: list(fc.constantFrom('issue', 'doc', 'diff')),
    size: list(fc.integer()),
    level: fc.constantFrom(1, 2),
    note: value,
    rerank: fc.boolean(),
    include_content: fc.constant(true),
  },
  { requiredKeys: [] },
);

type Given = Record<string, unknown> & { readonly query?: string };

/** The command line a person would write for an input; `glued` puts values behind an equals sign. */
function argvOf(input: Given, glued: boolean): string[] {
  const flags = Object.entries(input).flatMap(([name, given]) => {
    if (name === 'query') return [];
    const flag = `--${flagName(name)}`;
    if (typeof given === 'boolean') return [given ? flag : `--no-${flagName(name)}`];
    const values: unknown[] = Array.isArray(given) ? given : [given];
    return values.flatMap((each) => (glued ? [`${flag}=${String(each)}`] : [flag, String(each)]));
  });
  return input.query === undefined ? flags : [...flags, '--', input.query];
}

describe('flags and input', () => {
  it('are each other’s inverse: what was given, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(anyInput, fc.boolean(), async (input, glued) => {
        expect(await parse(argvOf(input, glued))).toEqual(input);
      }),
      { numRuns: 150 },
    );
  });

  it('leave defaults to the schema', async () => {
    expect(await parse([])).toEqual({});
    expect(measure.input.parse(await parse([]))).toEqual({
      top_k: 10,
      sort: 'size',
      rerank: true,
      include_content: false,
    });
  });

  it('leave words behind a list to the query', async () => {
    expect(await parse(['--type', 'issue', 'why', 'did it', '--type', 'doc', 'break'])).toEqual({
      type: ['issue', 'doc'],
      query: 'why did it break',
    });
    expect(await parse(['-R', 'a/b', '-Rc/d'])).toEqual({ repo: ['a/b', 'c/d'] });
  });

  it('hand what is no number to the schema as it is', async () => {
    expect(await parse(['--top-k', 'ten', '--ratio', '', '--size', '0x10'])).toEqual({
      top_k: 'ten',
      ratio: '',
      size: ['0x10'],
    });
    expect(await parse(['--top-k', '1e3', '--ratio', '.5', '--size', '-3'])).toEqual({
      top_k: 1000,
      ratio: 0.5,
      size: [-3],
    });
  });
});

describe('help', () => {
  const { flags, args } = measureShape;

  it('shows bounds, choices, defaults and negations of the schema', () => {
    expect(flags['top-k']).toMatchObject({
      summary: 'How many.',
      helpValue: '<1..50>',
      default: '10',
      required: false,
    });
    expect(flags.sort).toMatchObject({ options: ['size', 'name'], default: 'size' });
    expect(flags.rerank).toMatchObject({ type: 'boolean', allowNo: true });
    expect(flags['include-content']).toMatchObject({ type: 'boolean', allowNo: false });
    expect(flags.repo).toMatchObject({ multiple: true, char: 'R' });
    expect(flags.size).toMatchObject({ multiple: true, helpValue: '<number>' });
    expect(flags.fail).toMatchObject({ hidden: true });
    expect(args.query).toMatchObject({ description: 'The text.', multiple: true, required: false, ignoreStdin: true });
    expect(Object.keys(flags)).not.toContain('query');
    expect(Object.keys(flags)).not.toContain('inner');
  });

  it('names a field as a person gave it', () => {
    expect(['top_k', 'query', 'inner'].map((name) => fieldLabel(measureShape, name))).toEqual([
      '--top-k',
      'QUERY',
      undefined,
    ]);
  });
});

describe('a schema', () => {
  it('may name its parts and be nullable', () => {
    const slug = z.string().meta({ id: 'Slug', description: 'A slug.' });
    const { flags, args } = commandShape(
      z.object({ slug, list: z.array(slug).nullable(), mode: z.enum(['a']).nullish() }),
      {
        positional: [{ field: 'list', name: 'ref', required: true }],
        summaries: { mode: 'The mode.' },
      },
    );
    expect(flags.slug).toMatchObject({ summary: 'A slug.', required: true });
    expect(flags.mode).toMatchObject({ summary: 'The mode.', options: ['a'] });
    expect(args.ref).toMatchObject({ multiple: true, required: true });
  });

  it.each([
    ['an object', z.object({ bad: z.object({}) })],
    ['a list of lists', z.object({ bad: z.array(z.array(z.string())) })],
    ['a mixture', z.object({ bad: z.union([z.string(), z.int()]) })],
    ['anything', z.object({ bad: z.unknown() })],
    ['no object at all', z.string()],
  ])('that is or holds %s has no flags', (_, schema) => {
    expect(() => commandShape(schema)).toThrow(TypeError);
  });

  it('must have the fields that are given by position', () => {
    expect(() => commandShape(z.object({}), { positional: [{ field: 'query' }] })).toThrow('no field query');
  });
});
