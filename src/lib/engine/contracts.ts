import type { Json, JsonObject } from '../core/json.ts';

/** What a caller may rely on in one tool, as `tools/list` shows it and an artifact records it. */
export interface ToolContract {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
}

/** The places where contracts are written down: in code, in the committed artifacts, and in a running server. */
export interface Contracts {
  /** The artifacts as the code makes them: text by file name. */
  contracts(): ReadonlyMap<string, string>;
  /** The committed artifact; undefined where there is none. */
  readArtifact(name: string): Promise<string | undefined>;
  /** Replaces the committed artifact. */
  writeArtifact(name: string, text: string): Promise<void>;
  /** What `tools/list` of a freshly started server gives, as it came over the wire. */
  liveTools(signal: AbortSignal): Promise<readonly Json[]>;
}
