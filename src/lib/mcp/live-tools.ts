import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { Json } from '../core/json.ts';

/** How to start a server that speaks MCP on stdio. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that the SDK passes on (PATH, HOME and the like). */
  readonly env?: Readonly<Record<string, string>>;
}

// Everything of a tool is kept: the SDK's own schema would drop what it does not know.
const toolsResult = ResultSchema.extend({ tools: z.array(z.json()), nextCursor: z.string().optional() });

/** Starts a server, asks it for `tools/list`, stops it. Fails with `internal` when it does not start or answer. */
export async function liveTools({ command, args, env }: ServerCommand, signal: AbortSignal): Promise<Json[]> {
  const client = new Client({ name: 'gh-rag-schema-check', version: '1' });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: 'ignore',
    ...(env !== undefined && { env: { ...env } }),
  });
  try {
    await client.connect(transport, { signal });
    const tools: Json[] = [];
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: 'tools/list', params }, toolsResult, { signal });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  } catch (error) {
    throw new Failure('internal', 'the MCP server did not start or did not list its tools', {
      hint: `Run it by hand: ${[command, ...args].join(' ')}`,
      cause: error,
    });
  } finally {
    await client.close();
  }
}
