import { stripVTControlCharacters } from 'node:util';
import { Failure } from '../core/failure.ts';
import { stripForTerminal } from '../core/text.ts';
import { nearestWords } from './suggest.ts';

/** What the command line offered when oclif refused it. */
export interface UsageContext {
  /** As typed, e.g. `gh-rag search`. */
  readonly command: string;
  readonly flags: readonly string[];
  readonly args: readonly string[];
}

interface Rule {
  readonly pattern: RegExp;
  readonly describe: (match: RegExpExecArray, context: UsageContext) => { message: string; hint?: string | undefined };
}

// oclif names its parse errors only in their text (class names do not survive minification). The first rule that matches
// decides; what no rule knows keeps oclif's first line.
const RULES: readonly Rule[] = [
  {
    pattern: /^Nonexistent flags?: (.+)$/m,
    describe: ([, list = ''], { flags }) => {
      // Anything after a space or an equals sign is a value, or a query that starts with a dash: not ours to repeat.
      const typed = list.split(', ')[0] ?? '';
      const flag = typed.split(/[=\s]/)[0] ?? '';
      const near = flag.startsWith('--') ? nearestWords(flag.slice(2), flags) : [];
      const hint = /\s/.test(typed) ? 'Put -- before text that starts with a dash.' : undefined;
      return { message: `unknown flag ${flag}`, hint: didYouMean(near.map((name) => `--${name}`)) ?? hint };
    },
  },
  {
    pattern: /^Unexpected arguments?: /m,
    describe: (_, { args }) => ({
      message:
        args.length === 0
          ? 'unexpected argument: this command takes none'
          : `unexpected argument: this command takes ${args.map((name) => name.toUpperCase()).join(' ')}`,
    }),
  },
  {
    pattern: /^Missing \d+ required args?(?::\n(\S+))?/,
    describe: ([, name = 'argument']) => ({ message: `${name.toUpperCase()}: is required` }),
  },
  {
    pattern: /Missing required flag (\S+)/,
    describe: ([, name = '']) => ({ message: `--${name}: is required` }),
  },
  {
    pattern: /^Expected --([\w-]+)=(.*) to be one of: (.+)$/m,
    describe: ([, name = '', value = '', options = '']) => oneOf(`--${name}`, value, options),
  },
  {
    pattern: /^Expected (.*) to be one of: (.+)$/m,
    describe: ([, value = '', options = ''], { args }) => oneOf((args[0] ?? 'argument').toUpperCase(), value, options),
  },
  {
    pattern: /^Flag --([\w-]+) expects one of these values: (.+)$/m,
    describe: ([, name = '', options = '']) => ({ message: `--${name}: expects one of ${options}` }),
  },
  {
    pattern: /^Flag --([\w-]+) expects a value/m,
    describe: ([, name = '']) => ({ message: `--${name}: expects a value` }),
  },
  {
    pattern: /^Flag --([\w-]+) can only be specified once/m,
    describe: ([, name = '']) => ({ message: `--${name}: can be given only once` }),
  },
];

/** Turns an error of oclif's parser into a failure in our words; undefined for an error that is none of oclif's. */
export function usageFailure(error: unknown, context: UsageContext): Failure | undefined {
  if (!(error instanceof Error) || !('oclif' in error)) return undefined;
  const text = stripVTControlCharacters(error.message);
  const help = `See ${context.command} --help.`;
  for (const { pattern, describe } of RULES) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const { message, hint } = describe(match, context);
    return new Failure('invalid_input', message, { hint: hint ?? help, cause: error });
  }
  return new Failure('invalid_input', stripForTerminal(text.split('\n')[0] ?? ''), { hint: help, cause: error });
}

/** The failure for a command that does not exist. */
export function unknownCommand(typed: string, commands: readonly string[], bin: string): Failure {
  const near = nearestWords(typed, commands);
  return new Failure('invalid_input', `unknown command ${shorten(typed)}`, {
    hint: didYouMean(near.map((name) => `${bin} ${name}`)) ?? `See ${bin} --help for the commands.`,
  });
}

/** A given value, fit for an error line. */
export function shorten(value: string): string {
  const line = stripForTerminal(value).replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function oneOf(label: string, value: string, options: string): { message: string; hint: string | undefined } {
  return {
    message: `${label}: must be one of ${options} (given: ${shorten(value)})`,
    hint: didYouMean(nearestWords(value, options.split(', '))),
  };
}

function didYouMean(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
}
