import type * as z from 'zod';
import { firstCodePoints, normalizeText, stripInvisible } from '../core/text.ts';
import type { Document } from '../corpus/document.ts';
import { DOCUMENT_TYPES } from '../corpus/document-types.ts';
import { type ExportRecord, exportRecord } from './export-schema.ts';
import { parseJsonLine } from './json-line.ts';
import { MAX_PATCH_LENGTH, patchStat } from './patch.ts';
import { canonicalId, commitId, distinctNames, positiveInteger, repositoryPath, webAddress } from './record-fields.ts';
import { type RecordTimes, recordTimes } from './record-times.ts';

/** A line as a document, or why it is none: one sentence that holds nothing of the line but a field and its type. */
export type DecodedRecord =
  | {
      readonly document: Document;
      /** Fields that were left out, and why. */
      readonly warnings: readonly string[];
    }
  | { readonly problem: string; readonly isJson: boolean };

/** Decodes one line of an export (design/export.md). Never throws. `indexedAt` (ms) stands for times that are missing. */
export function decodeRecord(line: string, indexedAt: number): DecodedRecord {
  let value: unknown;
  try {
    value = parseJsonLine(line);
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'the record is nested too deeply', isJson: true };
    return { problem: 'the line is not valid JSON', isJson: false };
  }
  return decodeValue(value, indexedAt);
}

/** Decodes a record that came another way than as a line. Never throws. `indexedAt` (ms) as in {@link decodeRecord}. */
export function decodeValue(value: unknown, indexedAt: number): DecodedRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'the line is not a JSON object', isJson: true };
  }
  const parsed = exportRecord.safeParse(value);
  if (!parsed.success) return { problem: describe(parsed.error.issues, value), isJson: true };
  try {
    return toDocument(parsed.data, indexedAt);
  } catch (error) {
    if (error instanceof BadRecord) return { problem: error.message, isJson: true };
    throw error;
  }
}

/** A record that lacks what its type needs. */
class BadRecord extends Error {}

function toDocument(record: ExportRecord, indexedAt: number): DecodedRecord {
  const warnings: string[] = [];
  const warn = (warning: string): void => {
    warnings.push(warning);
  };
  const { type } = record;
  const { identity, entity } = DOCUMENT_TYPES[type];
  const isInline = type === 'pr_review_comment';
  const isThread = identity === 'number';
  const times = recordTimes(type, record, indexedAt, warn);
  const id =
    identity === 'comment_id' || identity === 'review_id' ? optional('id', record.id, canonicalId, warn) : null;
  const commit = record.commit_sha ?? record.commit_id;
  const path = {
    isNeeded: identity === 'path' || identity === 'commit_path',
    rule: 'must be a path inside the repository',
  };
  const document: Document = {
    repo: record.repo,
    type,
    number:
      entity === 'thread' ? needed('number', record.number, positiveInteger, 'must be a whole number above 0') : null,
    commentId: identity === 'comment_id' ? id : null,
    reviewId: identity === 'review_id' ? id : null,
    tag: identity === 'tag' ? needed('tag_name', record.tag_name, tagName, 'must not be empty') : null,
    path: path.isNeeded
      ? needed('path', record.path, repositoryPath, path.rule)
      : isInline
        ? optional('path', record.path, repositoryPath, warn)
        : null,
    commit:
      identity === 'commit_path'
        ? needed('commit_sha', commit, commitId, 'must be 7 to 64 hexadecimal digits')
        : isInline
          ? optional('commit_sha', commit, commitId, warn)
          : null,
    line: isInline ? optional('line', record.line, positiveInteger, warn) : null,
    inReplyTo: isInline
      ? optional('in_reply_to', record.in_reply_to ?? record.in_reply_to_id, canonicalId, warn)
      : null,
    ...content(record),
    state: stateOf(record, times, warn),
    labels: isThread ? distinctNames(record.labels) : [],
    milestone: isThread ? (distinctNames([record.milestone ?? null])[0] ?? null) : null,
    assignees: isThread ? distinctNames(record.assignees) : [],
    author: distinctNames([record.author ?? record.user ?? null])[0] ?? null,
    url: optional('url', record.url, webAddress, warn),
    createdAt: times.createdAt,
    updatedAt: times.updatedAt,
    version: times.version,
    versionIsKnown: times.versionIsKnown,
    blob: null,
  };
  return { document, warnings };
}

function content(record: ExportRecord): Pick<Document, 'title' | 'body' | 'preface'> {
  const title = normalizeText(record.title ?? '');
  const body = normalizeText(record.body ?? '');
  if (record.type !== 'diff') return { title, body, preface: '' };
  const message = normalizeText(record.message ?? record.title ?? '');
  const subject = firstLine(title === '' ? message : title);
  return { title: subject, body: body.length <= MAX_PATCH_LENGTH ? body : patchStat(body), preface: message };
}

const THREAD_STATES = new Set(['open', 'closed', 'merged']);
const REVIEW_STATES = new Set(['approved', 'changes_requested', 'commented', 'dismissed', 'pending']);

function stateOf(record: ExportRecord, times: RecordTimes, warn: (warning: string) => void): string | null {
  const { type } = record;
  const known =
    DOCUMENT_TYPES[type].identity === 'number' ? THREAD_STATES : type === 'pr_review' ? REVIEW_STATES : null;
  if (known === null) return null;
  const given = optional(
    'state',
    record.state,
    (state) => {
      const lower = state.trim().toLowerCase();
      return known.has(lower) ? lower : undefined;
    },
    warn,
  );
  if (type === 'pr_review') return given;
  const state = given ?? (times.closed || times.merged ? 'closed' : null);
  return type === 'pull_request' && times.merged && state === 'closed' ? 'merged' : state;
}

function needed<Value, Result>(
  field: string,
  value: Value | null | undefined,
  read: (value: Value) => Result | undefined,
  rule: string,
): Result {
  if (value === undefined || value === null) throw new BadRecord(`${field} is missing`);
  const result = read(value);
  if (result === undefined) throw new BadRecord(`${field} ${rule}`);
  return result;
}

function optional<Value, Result>(
  field: string,
  value: Value | null | undefined,
  read: (value: Value) => Result | null | undefined,
  warn: (warning: string) => void,
): Result | null {
  if (value === undefined || value === null || value === '') return null;
  const result = read(value);
  if (result === undefined) warn(`${field} is not usable and was left out`);
  return result ?? null;
}

function tagName(value: string): string | undefined {
  const name = normalizeText(value).trim();
  return name === '' ? undefined : name;
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.trimEnd() ?? '';
}

const MAX_SHOWN_TYPE = 40;

function describe(issues: readonly z.core.$ZodIssue[], value: object): string {
  const [issue] = issues;
  const field = String(issue?.path[0] ?? 'record');
  const type: unknown = 'type' in value ? value.type : undefined;
  if (field !== 'type' || typeof type !== 'string') return `${field} ${issue?.message ?? 'is not usable'}`;
  const shown = firstCodePoints(stripInvisible(normalizeText(type)).replace(/\s+/g, ' '), MAX_SHOWN_TYPE);
  return `type "${shown}" is unknown`;
}
