import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as z from 'zod';
import { pendingCall } from '../adapters/pending-calls.ts';
import { Failure } from '../core/failure.ts';
import { sha256Hex } from '../core/hash.ts';
import { memoryHistory } from '../feedback/history.ts';
import type { Operation } from '../operation/operation.ts';
import { BaseCommand } from './base-command.ts';
import { feedbackFailure, type GivenSources } from './feedback-failure.ts';
import type { TraceDetail } from './result-number.ts';
import { oneLine, truncate } from './terminal.ts';
import type { ReadHistory } from './trace-choice.ts';

/** `[TRACE] SOURCE...`, taken apart by `splitTrace`. */
export const SOURCE_ARG = Args.string({
  description:
    'Result numbers as search printed them (1, 1.1, g1), or src_ ids; before them a TRACE: its trc_ id, or last (the default), your newest.',
  multiple: true,
  required: true,
  ignoreStdin: true,
});

export const KEY_FLAG = Flags.string({
  summary: 'Idempotency key: the same call with the same key is recorded once. A new one by default.',
  helpValue: '<text>',
});

/** The base of the commands that write to the feedback memory. */
export abstract class FeedbackCommand extends BaseCommand {
  static override usesMemory = true;
  static override interruptHint: string | undefined = 'Run the same command again: it is recorded once.';

  /** Reads the caller's history. */
  protected readonly readHistory: ReadHistory = (input) => this.invoke(memoryHistory, input);

  /**
   * Runs a mutation under the key given, or one of its own, which stays the same for the same command line until its
   * outcome is known. Refusals come in the words of the command line.
   */
  protected async record<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    key: unknown,
    input: Readonly<Record<string, unknown>>,
    given: GivenSources = { sources: [], steps: 1 },
  ): Promise<z.output<Output>> {
    const { entropy, database } = await this.engine();
    const call = sha256Hex(JSON.stringify([database.location, operation.name, input]));
    const pending =
      typeof key === 'string'
        ? undefined
        : await pendingCall(this.config.dataDir, call, () => `cli_${entropy.token()}`);
    try {
      const output = await this.invoke(operation, { ...input, idempotency_key: pending?.key ?? key });
      await pending?.settle();
      return output;
    } catch (error) {
      if (isSettled(error)) await pending?.settle();
      throw feedbackFailure(error, given);
    }
  }
}

/** Whether a failure says that nothing was recorded. */
function isSettled(error: unknown): boolean {
  return error instanceof Failure && !['database_unavailable', 'interrupted', 'internal'].includes(error.code);
}

/** Which retrieval a receipt is about, for standard error. */
export function aboutTrace({ trace_id, request }: TraceDetail): string {
  const { query } = request;
  return `In ${oneLine(trace_id)}${typeof query === 'string' && query !== '' ? `: ${truncate(oneLine(query), 200)}` : ''}`;
}

/** The words of an argument that takes several. */
export function wordsOf(argument: unknown): string[] {
  return Array.isArray(argument) ? argument.map(String) : [];
}
