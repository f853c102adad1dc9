import { parseTime } from '../core/time.ts';
import type { DocumentTypeName } from '../corpus/document-types.ts';
import { versionTime } from '../corpus/version.ts';

const TIME_FIELDS = ['created_at', 'updated_at', 'published_at', 'submitted_at', 'closed_at', 'merged_at'] as const;

/** Fields of an export record that hold a time, as they were read. */
export type TimeFields = { readonly [Field in (typeof TIME_FIELDS)[number]]?: unknown };

/** When a document was made and changed (ms), and which version it is. */
export interface RecordTimes {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closed: boolean;
  readonly merged: boolean;
  readonly version: string;
  /** False where the record does not say its version, so that the time of indexing stands for it. */
  readonly versionIsKnown: boolean;
}

/**
 * Times and version of a record. A time that is missing is taken from its nearest relative, at last from `indexedAt`
 * (ms); what is no time counts as missing and is named to `warn`.
 */
export function recordTimes(
  type: DocumentTypeName,
  fields: TimeFields,
  indexedAt: number,
  warn: (warning: string) => void,
): RecordTimes {
  const [created, updated, published, submitted, closed, merged] = TIME_FIELDS.map((field) => {
    const value = fields[field];
    if (value === undefined || value === null || value === '') return undefined;
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    if (time === undefined) warn(`${field} is not a time and was left out`);
    return time;
  });
  const appeared = type === 'release' ? published : type === 'pr_review' ? submitted : undefined;
  const ended = closed ?? merged;
  const createdAt = created ?? appeared ?? updated ?? ended;
  const updatedAt = updated ?? appeared ?? created ?? ended;
  const version = versionMoment(type, { created, updated, fallback: updatedAt });
  return {
    createdAt: createdAt ?? indexedAt,
    updatedAt: updatedAt ?? indexedAt,
    closed: closed !== undefined,
    merged: merged !== undefined,
    version: versionTime(version ?? indexedAt),
    versionIsKnown: version !== undefined,
  };
}

function versionMoment(
  type: DocumentTypeName,
  times: { created: number | undefined; updated: number | undefined; fallback: number | undefined },
): number | undefined {
  switch (type) {
    case 'doc':
    case 'wiki_doc':
      // The snapshot's time, and nothing else: a file's creation says nothing about which text this is.
      return times.updated;
    case 'diff':
      return times.created ?? times.fallback;
    default:
      return times.fallback;
  }
}
