import { createHash, hash } from 'node:crypto';

/** SHA-256 of UTF-8 text (or bytes) as lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 of UTF-8 text as base64url without padding (43 characters). */
export function sha256Base64Url(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** SHA-256 of UTF-8 text that comes in pieces. */
export class Sha256 {
  readonly #hash = createHash('sha256');

  add(text: string): void {
    this.#hash.update(text, 'utf8');
  }

  /** As lower-case hex; nothing can be added afterwards. */
  hex(): string {
    return this.#hash.digest('hex');
  }
}
