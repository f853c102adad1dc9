import { describe, expect, test } from 'vitest';
import type { DocumentTypeName } from '../../src/lib/corpus/document-types.ts';
import { recordTimes, type TimeFields } from '../../src/lib/ingest/record-times.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const at = (day: number): string => `2024-05-${String(day).padStart(2, '0')}T10:00:00Z`;
const ms = (day: number): number => Date.UTC(2024, 4, day, 10);

function read(type: DocumentTypeName, fields: TimeFields) {
  const warnings: string[] = [];
  const times = recordTimes(type, fields, NOW, (warning) => warnings.push(warning));
  return { ...times, warnings };
}

describe('times', () => {
  test('fall back on each other, then on the end, then on the time of indexing', () => {
    expect(read('issue', { created_at: at(1), updated_at: at(2) })).toMatchObject({
      createdAt: ms(1),
      updatedAt: ms(2),
    });
    expect(read('issue', { created_at: at(1) })).toMatchObject({ createdAt: ms(1), updatedAt: ms(1) });
    expect(read('issue', { updated_at: at(2) })).toMatchObject({ createdAt: ms(2), updatedAt: ms(2) });
    expect(read('issue', { closed_at: at(3), merged_at: at(4) })).toMatchObject({ createdAt: ms(3), updatedAt: ms(3) });
    expect(read('pull_request', { merged_at: at(4) })).toMatchObject({ createdAt: ms(4), merged: true, closed: false });
    expect(read('issue', {})).toMatchObject({ createdAt: NOW, updatedAt: NOW, versionIsKnown: false, warnings: [] });
  });

  test('that are none count as absent and are named', () => {
    const times = read('issue', {
      created_at: at(1),
      updated_at: '2024-02-30T00:00:00Z',
      closed_at: 17,
      merged_at: '',
    });
    expect(times).toMatchObject({ updatedAt: ms(1), closed: false, merged: false });
    expect(times.warnings).toEqual([
      'updated_at is not a time and was left out',
      'closed_at is not a time and was left out',
    ]);
  });

  test('of one instant are one version, whatever the zone', () => {
    const versions = ['2024-05-01T12:00:00+02:00', '2024-05-01T10:00:00', '2024-05-01 05:30:00-04:30', at(1)].map(
      (updated_at) => read('issue', { updated_at }).version,
    );
    expect(versions).toEqual([at(1), at(1), at(1), at(1)]);
    expect(read('issue', { updated_at: '2024-05-01T10:00:00.250Z' }).version).toBe('2024-05-01T10:00:00.250Z');
    expect(read('issue', { updated_at: '2024-05-01T10:00:00.000Z' }).version).toBe(at(1));
  });
});

describe('version', () => {
  test('of a release is its update, else its publication, else its creation', () => {
    const all = { created_at: at(1), published_at: at(2), updated_at: at(3) };
    expect(read('release', all).version).toBe(at(3));
    expect(read('release', { ...all, updated_at: null }).version).toBe(at(2));
    expect(read('release', { created_at: at(1) }).version).toBe(at(1));
  });

  test('of a review is its update, else its submission', () => {
    expect(read('pr_review', { submitted_at: at(2), updated_at: at(3) }).version).toBe(at(3));
    expect(read('pr_review', { submitted_at: at(2) })).toMatchObject({
      version: at(2),
      createdAt: ms(2),
      updatedAt: ms(2),
    });
  });

  test('of a diff is the date of its commit', () => {
    expect(read('diff', { created_at: at(1), updated_at: at(3) }).version).toBe(at(1));
    expect(read('diff', { updated_at: at(3) }).version).toBe(at(3));
  });

  test('of a file is its snapshot and nothing else', () => {
    for (const type of ['doc', 'wiki_doc'] as const) {
      expect(read(type, { updated_at: at(3) })).toMatchObject({ version: at(3), versionIsKnown: true });
      expect(read(type, { created_at: at(1) })).toMatchObject({
        version: '2030-01-01T12:00:00Z',
        versionIsKnown: false,
        updatedAt: ms(1),
      });
    }
  });
});
