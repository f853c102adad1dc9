import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { Interfaces } from '@oclif/core';
import type * as z from 'zod';
import { type Field, fieldsOf } from './fields.ts';

type Char = NonNullable<Interfaces.OptionFlag<string>['char']>;

/** What a command says about its operation's fields beyond their schema. */
export interface Presentation {
  /** Fields that are given by position, in order. A list must be the only or the last one after required ones. */
  readonly positional?: readonly Positional[];
  /** One-letter forms, by field. */
  readonly chars?: Readonly<Record<string, Char>>;
  /** Fields whose flag works but is not in the help. */
  readonly hidden?: readonly string[];
  /** Fields that the command line does not offer. */
  readonly omit?: readonly string[];
  /** Shorter help, by field, where the description speaks to an agent. */
  readonly summaries?: Readonly<Record<string, string>>;
}

export interface Positional {
  readonly field: string;
  /** Name in the usage line; the field's name where absent. */
  readonly name?: string;
  /** Takes several words and joins them with spaces, so a question needs no quotes. For text fields. */
  readonly joined?: boolean;
  /** Required by this command although the operation can do without. */
  readonly required?: boolean;
}

/** The args and flags of a command, and the way back from what was given to the operation's input. */
export interface CommandShape {
  readonly args: Interfaces.ArgInput;
  readonly flags: Interfaces.FlagInput;
  readonly bindings: ReadonlyMap<string, Binding>;
}

interface Binding {
  readonly field: Field;
  readonly place: 'flag' | 'arg';
  /** Key in oclif's table. */
  readonly key: string;
  readonly joined: boolean;
}

/** What oclif's parser hands on. */
export interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly flags: Readonly<Record<string, { readonly setFromDefault?: boolean } | undefined>> };
}

/** Derives a command's args and flags from an operation's input schema. Throws a TypeError where that is impossible. */
export function commandShape(schema: z.ZodType, presentation: Presentation = {}): CommandShape {
  const fields = fieldsOf(schema, presentation.omit);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const bindings = new Map<string, Binding>();
  const args: Interfaces.ArgInput = {};
  for (const positional of presentation.positional ?? []) {
    const field = byName.get(positional.field);
    if (field === undefined) throw new TypeError(`there is no field ${positional.field} to give by position`);
    const key = positional.name ?? field.name;
    const joined = positional.joined === true;
    args[key] = arg(field, joined, positional.required ?? field.required, presentation);
    bindings.set(field.name, { field, place: 'arg', key, joined });
  }
  const flags: Interfaces.FlagInput = {};
  for (const field of fields) {
    if (bindings.has(field.name)) continue;
    const key = flagName(field.name);
    flags[key] = flag(field, presentation);
    bindings.set(field.name, { field, place: 'flag', key, joined: false });
  }
  return { args, flags, bindings };
}

/** The raw input that was given, and nothing that was not: defaults are the schema's to fill in. */
export function toInput(shape: CommandShape, parsed: Parsed): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, { field, place, key, joined }] of shape.bindings) {
    if (place === 'flag' && parsed.metadata.flags[key]?.setFromDefault === true) continue;
    const given = place === 'flag' ? parsed.flags[key] : parsed.args[key];
    if (given === undefined) continue;
    if (joined && Array.isArray(given)) input[name] = given.join(' ');
    else if (Array.isArray(given)) input[name] = given.map((value: unknown) => convert(field, value));
    else input[name] = field.many ? [convert(field, given)] : convert(field, given);
  }
  return input;
}

/** How a person names a field: `--top-k`, or `QUERY` for a positional one. Undefined for what the command does not take. */
export function fieldLabel(shape: CommandShape, name: string): string | undefined {
  const binding = shape.bindings.get(name);
  if (binding === undefined) return undefined;
  return binding.place === 'flag' ? `--${binding.key}` : binding.key.toUpperCase();
}

/** `top_k` as a flag: `top-k`. */
export function flagName(field: string): string {
  return field.replaceAll('_', '-');
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Numbers become numbers; what is none stays text, so that the schema refuses it in its own words. */
function convert(field: Field, given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const option = field.options?.find((candidate) => String(candidate) === given);
  if (option !== undefined) return option;
  const numeric = field.kind === 'integer' || field.kind === 'number';
  return numeric && NUMBER.test(given) ? Number(given) : given;
}

function arg(
  field: Field,
  joined: boolean,
  required: boolean,
  presentation: Presentation,
): Interfaces.ArgInput[string] {
  const common = {
    description: summaryOf(field, presentation),
    required,
    // Otherwise oclif waits for standard input, and eats it, whenever the argument is missing.
    ignoreStdin: true,
    ...(field.options === undefined ? {} : { options: field.options.map(String) }),
  };
  return field.many || joined ? Args.string({ ...common, multiple: true }) : Args.string(common);
}

function flag(field: Field, presentation: Presentation): Interfaces.FlagInput[string] {
  const char = presentation.chars?.[field.name];
  const common = {
    summary: summaryOf(field, presentation),
    required: field.required,
    ...(presentation.hidden?.includes(field.name) === true ? { hidden: true } : {}),
    ...(char === undefined ? {} : { char }),
  };
  if (field.kind === 'boolean') return Flags.boolean({ ...common, allowNo: field.default === true });
  const helpValue = helpValueOf(field);
  const option = {
    ...common,
    ...(field.options === undefined ? {} : { options: field.options.map(String) }),
    ...(helpValue === undefined ? {} : { helpValue }),
  };
  if (field.many) {
    const values = Array.isArray(field.default) ? { default: field.default.map(String) } : {};
    // Non-greedy: in `--labels bug crash` the second word is the query, not a label.
    return Flags.string({ ...option, ...values, multiple: true, multipleNonGreedy: true });
  }
  const given = field.default;
  const value = typeof given === 'string' || typeof given === 'number' ? { default: String(given) } : {};
  return Flags.string({ ...option, ...value });
}

function summaryOf(field: Field, presentation: Presentation): string {
  return presentation.summaries?.[field.name] ?? field.description;
}

// zod bounds every integer by the safe range; that is no bound worth showing.
function helpValueOf(field: Field): string | undefined {
  if (field.options !== undefined || (field.kind !== 'integer' && field.kind !== 'number')) return undefined;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field;
  const low = minimum > Number.MIN_SAFE_INTEGER ? String(minimum) : '';
  const high = maximum < Number.MAX_SAFE_INTEGER ? String(maximum) : '';
  return low === '' && high === '' ? '<number>' : `<${low}..${high}>`;
}
