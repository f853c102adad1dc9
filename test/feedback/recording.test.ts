import { describe, expect, it } from 'vitest';
import type { Provenance } from '../../src/lib/corpus/provenance.ts';
import { type Occurrence, recordingOf } from '../../src/lib/feedback/trace.ts';

const source = (identity: number): Provenance => ({
  repo: 'acme/app',
  type: 'issue',
  identity,
  version: '2024-01-02T00:00:00Z',
  content_source: 'index',
});
const keyword = (location: string, identity: number): Occurrence => ({
  location,
  axis: 'keyword',
  provenance: source(identity),
});
const unresolved = (location: string, exclusion?: Occurrence['exclusion']): Occurrence => ({
  location,
  axis: 'keyword',
  provenance: undefined,
  exclusion,
});
const edge = {
  repo: 'acme/app',
  src_slug: '#1',
  dst_slug: '#2',
  edge_kind: 'reference',
  direction: 'forward',
} as const;

describe('what a trace says that it saved', () => {
  it('of no row is complete and empty', () => {
    expect(recordingOf([])).toEqual({
      status: 'complete',
      recorded_sources: 0,
      excluded_sources: 0,
      exclusions: [],
      excluded_graph_paths: 0,
      graph_exclusions: [],
    });
  });

  it('counts distinct sources, not rows', () => {
    const rows = [keyword('results[0]', 1), keyword('results[0].same_entity.others[0]', 2), keyword('results[1]', 1)];
    expect(recordingOf(rows)).toMatchObject({ status: 'complete', recorded_sources: 2, excluded_sources: 0 });
  });

  it('counts every row that is left out, by its place and reason', () => {
    const rows = [
      keyword('results[0]', 1),
      unresolved('results[0].same_entity.others[0]', 'canonical_identity_unavailable'),
      unresolved('results[1]', 'live_version_unavailable'),
      unresolved('graph_results[0]'),
    ];
    expect(recordingOf(rows)).toEqual({
      status: 'partial',
      recorded_sources: 1,
      excluded_sources: 3,
      exclusions: [
        { location: 'results[0].same_entity.others[0]', reason: 'canonical_identity_unavailable' },
        { location: 'results[1]', reason: 'live_version_unavailable' },
        { location: 'graph_results[0]', reason: 'canonical_identity_unavailable' },
      ],
      excluded_graph_paths: 0,
      graph_exclusions: [],
    });
  });

  it('is partial for a path that could not be verified, although its source is saved', () => {
    const rows: Occurrence[] = [
      keyword('results[0]', 1),
      { ...keyword('graph_results[0]', 2), axis: 'graph', path: [edge] },
      { ...keyword('graph_results[1]', 3), axis: 'graph', path: null },
    ];
    expect(recordingOf(rows)).toEqual({
      status: 'partial',
      recorded_sources: 3,
      excluded_sources: 0,
      exclusions: [],
      excluded_graph_paths: 1,
      graph_exclusions: [{ location: 'graph_results[1]', reason: 'unverifiable_graph_path' }],
    });
  });

  it('is unresolved when rows came and none of them is a source', () => {
    const rows = [unresolved('results[0]', 'canonical_identity_unavailable')];
    expect(recordingOf(rows)).toMatchObject({ status: 'unresolved', recorded_sources: 0, excluded_sources: 1 });
  });
});
