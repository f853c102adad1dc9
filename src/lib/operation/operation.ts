import type * as z from 'zod';
import type { Engine } from '../engine/engine.ts';

/** What an operation does to the database; the annotations of its MCP tool follow from it. */
export type Effect = 'read' | 'record' | 'apply' | 'repair';

export type Face = 'cli' | 'mcp';

/** Annotations of an MCP tool, as the protocol names them. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const HINTS: Record<Effect, Omit<Annotations, 'openWorldHint'>> = {
  // Changes nothing.
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  // Answers and adds to the history: the same call twice leaves two entries.
  record: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  // Applies a change once; repeating the call changes nothing more.
  apply: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  // May replace or remove what was stored.
  repair: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

/** One thing gh-rag can do, said once: the command, the MCP tool, the artifact and the types derive from it. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Must be representable as JSON Schema in its input form: it is the flag table and the tool schema. */
  readonly input: Input;
  readonly output: Output;
  readonly effect: Effect;
  /** Whether it reaches beyond the database, e.g. to GitHub. */
  readonly openWorld: boolean;
  readonly faces: readonly Face[];
  handler(engine: Engine, input: z.output<Input>): Promise<z.output<Output>>;
}

/** An operation of any shape, for lists. Call it through {@link invoke}, which parses its input. */
export type AnyOperation = Omit<Operation, 'handler'> & { handler(engine: Engine, input: never): Promise<unknown> };

/** Defines an operation; exists to infer its types. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}

export function annotationsOf(operation: Pick<Operation, 'effect' | 'openWorld'>): Annotations {
  return { ...HINTS[operation.effect], openWorldHint: operation.openWorld };
}
