import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type ListToolsResult,
  ListToolsResultSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';
import type { Progress } from '../engine/progress.ts';
import { toolContracts } from '../operation/artifact.ts';
import { parseInput } from '../operation/invoke.ts';
import type { AnyOperation, Operation } from '../operation/operation.ts';
import { instructionsFor } from './instructions.ts';
import { type ProgressNotifier, progressNotifier, SILENT } from './progress.ts';
import { answerResult, failureResult } from './result.ts';

export interface ServerOptions {
  readonly operations: readonly AnyOperation[];
  /** Makes the engine of one call. Called for calls only, and only when their input is right. */
  readonly engineFor: (signal: AbortSignal, progress: Progress) => Promise<Engine>;
  readonly version: string;
  /** Is told of errors that nobody expected; the client sees none of their text. */
  readonly report?: (error: unknown) => void;
}

/** A server that is not yet connected. */
export interface McpServer {
  // The high-level class wants zod shapes and has its own mapping of failures; we have JSON Schema and `Failure`. It also
  // takes longer to load. The SDK keeps this class for such uses, and marks it deprecated for all others.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the use that it is kept for
  readonly server: Server;
  /** Resolves when no call is running, also for calls whose client no longer waits. */
  idle(): Promise<void>;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * Serves the operations that have the face `mcp` as tools. Keeps nothing about its caller: every call stands on its
 * arguments alone, whatever `initialize` said.
 */
export function createServer({ operations, engineFor, version, report }: ServerOptions): McpServer {
  const tools = new Map(operations.filter(({ faces }) => faces.includes('mcp')).map((tool) => [tool.name, tool]));
  const running = new Set<Promise<unknown>>();
  let list: ListToolsResult | undefined;

  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see McpServer
  const server = new Server(
    { name: 'gh-rag', title: 'gh-rag', version },
    { capabilities: { tools: {} }, instructions: instructionsFor(new Set(tools.keys())) },
  );
  server.onerror = (error) => report?.(error);
  server.setRequestHandler(ListToolsRequestSchema, () => (list ??= listOf([...tools.values()])));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const call = answer(request.params, extra);
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  });

  async function answer({ name, arguments: input }: CallToolRequest['params'], extra: Extra): Promise<CallToolResult> {
    const tool = tools.get(name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `unknown tool: ${name.slice(0, 64)}`);
    const notifier = notifierFor(extra);
    try {
      return answerResult(await run(tool, input ?? {}, extra.signal, notifier ?? SILENT));
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'internal') report?.(error);
      return failureResult(error);
    } finally {
      await notifier?.settle();
    }
  }

  async function run(tool: Operation, input: unknown, signal: AbortSignal, progress: Progress): Promise<unknown> {
    // Before the engine exists: a call that cannot run opens no database.
    const parsed = parseInput(tool.input, input);
    return tool.handler(await engineFor(signal, progress), parsed);
  }

  return {
    server,
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

function listOf(tools: readonly AnyOperation[]): ListToolsResult {
  return ListToolsResultSchema.parse({ tools: toolContracts(tools) });
}

function notifierFor({ _meta, sendNotification }: Extra): ProgressNotifier | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return progressNotifier((update) =>
    sendNotification({ method: 'notifications/progress', params: { progressToken, ...update } }),
  );
}
