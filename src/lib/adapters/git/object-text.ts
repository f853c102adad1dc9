import type { ObjectId, Signature } from '../../engine/git.ts';
import { decodeText } from './text.ts';

/** The latest committer, author or tagger date that is believed, in seconds: the end of the year 9999. */
const LATEST_SECONDS = 253_402_300_799;

const SIGNATURE_START = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----/gm;

interface CommitText {
  readonly parents: readonly ObjectId[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export interface TagText {
  /** What it points to; null when the object names nothing. */
  readonly target: ObjectId | null;
  /** null when the tag names no tagger, as very old ones do. */
  readonly tagger: Signature | null;
  /** Without the signature of a signed tag. */
  readonly message: string;
}

/**
 * Milliseconds of a date as git stores it (decimal seconds). A date that is negative, beyond the year 9999 or no number
 * becomes 0, the epoch: an absurd date must not make a commit the newest one.
 */
export function millisecondsOf(seconds: string): number {
  const value = /^\d{1,15}$/.test(seconds) ? Number(seconds) : 0;
  return value > LATEST_SECONDS ? 0 : value * 1000;
}

/** Reads the contents of a commit object; what is malformed in it comes as empty. */
export function parseCommit(bytes: Buffer): CommitText {
  const { fields, message, encoding } = parseObject(bytes);
  return {
    parents: fields.filter(([key]) => key === 'parent').map(([, value]) => value.toString('latin1')),
    author: parseSignature(field(fields, 'author'), encoding),
    committer: parseSignature(field(fields, 'committer'), encoding),
    message: decodeText(message, encoding),
  };
}

/** Reads the contents of a tag object; what is malformed in it comes as empty. */
export function parseTag(bytes: Buffer): TagText {
  const { fields, message, encoding } = parseObject(bytes);
  const tagger = field(fields, 'tagger');
  const text = decodeText(message, encoding);
  // As git does, the last line that begins a signature counts: the message may quote one.
  const signature = [...text.matchAll(SIGNATURE_START)].at(-1)?.index;
  return {
    target: field(fields, 'object')?.toString('latin1') ?? null,
    tagger: tagger === undefined ? null : parseSignature(tagger, encoding),
    message: text.slice(0, signature),
  };
}

type Fields = readonly (readonly [key: string, value: Buffer])[];

function parseObject(bytes: Buffer): { fields: Fields; message: Buffer; encoding: string | undefined } {
  const fields: [string, Buffer][] = [];
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0x0a) {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(at, end);
    const space = line.indexOf(0x20);
    // A line that starts with a space continues the field before (gpgsig, mergetag): of no interest here.
    if (space > 0) fields.push([line.toString('latin1', 0, space), line.subarray(space + 1)]);
    at = end + 1;
  }
  return { fields, message: bytes.subarray(at + 1), encoding: field(fields, 'encoding')?.toString('latin1') };
}

function field(fields: Fields, key: string): Buffer | undefined {
  return fields.find(([name]) => name === key)?.[1];
}

function parseSignature(line: Buffer | undefined, encoding: string | undefined): Signature {
  if (line === undefined) return { name: '', time: 0 };
  const open = line.indexOf('<');
  const date = /^ ?(\S+)/.exec(line.toString('latin1', line.lastIndexOf('>') + 1));
  return {
    name: decodeText(line.subarray(0, open < 0 ? line.length : open), encoding).trim(),
    time: millisecondsOf(date?.[1] ?? ''),
  };
}
