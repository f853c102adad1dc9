import { hash } from 'node:crypto';

/** SHA-256 of UTF-8 text (or bytes) as lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 of UTF-8 text as base64url without padding (43 characters). */
export function sha256Base64Url(text: string): string {
  return hash('sha256', text, 'base64url');
}
