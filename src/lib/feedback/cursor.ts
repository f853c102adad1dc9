import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a page of history ended, and for whom: the principal, and the trace where receipts are paged. */
export interface CursorScope {
  readonly principal: string;
  /** Null: a page of traces. */
  readonly traceId: string | null;
}

const SIGNATURE_BYTES = 16;
const SEQUENCE_BYTES = 8;
const CURSOR = /^[A-Za-z0-9_-]{32}$/;

/**
 * A cursor is a sequence number and an HMAC-SHA-256 (cut to 128 bits) over it and its scope, by a key that never leaves
 * the database: it cannot be made up, altered, or used for another principal or trace.
 */
export function encodeCursor(key: string, scope: CursorScope, seq: number): string {
  const sequence = Buffer.alloc(SEQUENCE_BYTES);
  sequence.writeBigUInt64BE(BigInt(seq));
  return Buffer.concat([sequence, signature(key, scope, sequence)]).toString('base64url');
}

/** The sequence number that a text claims, before it is verified; undefined when it has not the form of a cursor. */
export function claimedSequence(cursor: string): number | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const seq = Buffer.from(cursor, 'base64url').readBigUInt64BE();
  return seq <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seq) : undefined;
}

/** Whether a cursor was issued here, for this scope. */
export function isGenuine(key: string, scope: CursorScope, cursor: string): boolean {
  if (!CURSOR.test(cursor)) return false;
  const bytes = Buffer.from(cursor, 'base64url');
  return timingSafeEqual(bytes.subarray(SEQUENCE_BYTES), signature(key, scope, bytes.subarray(0, SEQUENCE_BYTES)));
}

function signature(key: string, { principal, traceId }: CursorScope, sequence: Uint8Array): Buffer {
  return createHmac('sha256', Buffer.from(key, 'hex'))
    .update(JSON.stringify([principal, traceId]))
    .update(sequence)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}
