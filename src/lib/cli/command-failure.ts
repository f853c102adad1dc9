import type { Interfaces } from '@oclif/core';
import { Failure, toFailure } from '../core/failure.ts';
import type { CommandShape } from './flags.ts';
import { describeForFlags } from './report.ts';
import { type UsageContext, usageFailure } from './usage.ts';

/** What the failure of a command depends on. */
export interface FailureContext extends UsageContext {
  readonly interrupted: boolean;
  /** What an interruption says on how to go on, where there is anything to say. */
  readonly interruptHint: string | undefined;
  /** What was given, where the command line was parsed by an operation's shape. */
  readonly given: { readonly shape: CommandShape; readonly input: Readonly<Record<string, unknown>> } | undefined;
}

/** Whatever a command threw, as the failure that its user is told. */
export function commandFailure(error: unknown, context: FailureContext): Failure {
  const failure = usageFailure(error, context) ?? toFailure(error);
  const { code, message, hint } = failure;
  // The failure itself is the cause, so that its stack is shown when debugging.
  const cause = failure;
  // After Ctrl-C everything fails in its own way; to the user it is one thing.
  if (context.interrupted && code !== 'interrupted') {
    return interrupted('interrupted', context.interruptHint, error);
  }
  switch (code) {
    case 'interrupted':
      return interrupted(message, hint ?? context.interruptHint, cause);
    case 'internal':
      return new Failure(code, message, { hint: hint ?? 'DEBUG=1 shows where; please report it.', cause });
    case 'invalid_input': {
      const told =
        context.given === undefined ? message : describeForFlags(message, context.given.shape, context.given.input);
      return new Failure(code, told, { hint: hint ?? `See ${context.command} --help.`, cause });
    }
    default: {
      if (context.given === undefined) return failure;
      const told = describeForFlags(message, context.given.shape, {});
      return told === message ? failure : new Failure(code, told, { ...(hint !== undefined && { hint }), cause });
    }
  }
}

function interrupted(message: string, hint: string | undefined, cause: unknown): Failure {
  return new Failure('interrupted', message, { ...(hint !== undefined && { hint }), cause });
}

/** Every name that may follow two dashes, for suggestions. */
export function flagNames(flags: Interfaces.FlagInput): string[] {
  const negations = Object.entries(flags).filter(([, flag]) => flag.type === 'boolean' && flag.allowNo);
  return [...Object.keys(flags), ...negations.map(([name]) => `no-${name}`), 'help'];
}
