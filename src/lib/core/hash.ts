import { createHash } from 'node:crypto';

/** SHA-256 of UTF-8 text (or bytes) as lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** SHA-256 of UTF-8 text as base64url without padding (43 characters). */
export function sha256Base64Url(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
