/** Reading files that a user named. */
export interface Files {
  /** What is at a path: a directory, a file, or nothing. Links are followed: the user named it. */
  kind(path: string): Promise<'directory' | 'file' | 'missing'>;
  /**
   * The bytes of a file, decompressed when it starts with the gzip magic number. Fails with `unreadable_input`; a
   * truncated or corrupt gzip fails only after every byte that could be recovered was delivered. Fails with
   * `interrupted` when the signal is aborted.
   */
  read(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The bytes of a file as they are stored, never decompressed. Fails as `read` does. */
  bytes(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Size on disk in bytes, for progress. */
  size(path: string): Promise<number>;
}
