import { decodeWindows1252 } from './windows-1252.ts';

/** Git calls a file binary when its first 8000 bytes hold a NUL; so does this. */
const BINARY_PROBE_BYTES = 8000;

/**
 * Text of a file: by its byte order mark, else UTF-8, else Windows-1252 (which reads every byte). Undefined for binary
 * files.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeWindows1252(bytes);
  }
}
