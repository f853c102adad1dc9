import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isResultNumber,
  numberOf,
  resultNumbers,
  sourceIn,
  splitTrace,
  type TraceDetail,
} from '../../src/lib/cli/result-number.ts';
import type { GraphResult, SearchResult } from '../../src/lib/retrieval/search-contract.ts';

const source = (source_id: string, location: string): TraceDetail['sources'][number] => ({
  source_id,
  location,
  provenance: { repo: 'acme/app', type: 'issue', identity: 1, version: '1', content_source: 'index' },
  axis: 'keyword',
  stage: 'retrieved',
  activation: { retrieved: 0.1, usage: 0, total: 0.1, updated_at: '2024-06-01T12:00:00.000Z' },
  path: [],
});

function trace(locations: readonly string[], excluded: readonly string[] = []): TraceDetail {
  return {
    trace_id: 'trc_1',
    timestamp: '2024-06-01T12:00:00.000Z',
    request: {},
    settings: {},
    memory_recording: {
      status: 'complete',
      recorded_sources: locations.length,
      excluded_sources: excluded.length,
      exclusions: excluded.map((location) => ({ location, reason: 'canonical_identity_unavailable' })),
      excluded_graph_paths: 0,
      graph_exclusions: [],
    },
    sources: locations.map((location) => source(`src_${location}`, location)),
  };
}

describe('a result number', () => {
  it('names a place in the answer, and leads back to the source there', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(400), fc.option(fc.nat(400), { nil: undefined }), (graph, index, other) => {
        const folded = other === undefined ? '' : `.same_entity.others[${String(other)}]`;
        const location = `${graph ? 'graph_' : ''}results[${String(index)}]${folded}`;
        expect(isResultNumber(numberOf(location))).toBe(true);
        expect(sourceIn(trace(['results[500]', location]), numberOf(location))).toBe(`src_${location}`);
      }),
    );
    expect(numberOf('results[0].same_entity.others[1]')).toBe('1.2');
    expect(numberOf('graph_results[9]')).toBe('g10');
  });

  it('is one for each source: that of the first place where it was returned', () => {
    const row = (source_id: string | undefined, others: string[] = []) =>
      ({
        source_id,
        same_entity: { count: others.length, others: others.map((id) => ({ source_id: id })) },
      }) as unknown;
    const results = [row('a', ['b', 'c']), row(undefined), row('d')] as SearchResult[];
    const graph_results = [row('e'), row('c'), row(undefined), row('a')] as GraphResult[];
    expect([...resultNumbers({ results, graph_results }).values()]).toEqual([
      '1',
      '1.1',
      '1.2',
      '2',
      '3',
      'g1',
      '1.2',
      'g3',
      '1',
    ]);
  });

  it('that is wrong is answered with the valid ones', () => {
    const refused = (detail: TraceDetail, given: string): unknown => {
      try {
        return sourceIn(detail, given);
      } catch (error) {
        return (error as Error).message;
      }
    };
    const some = trace(
      [
        'results[0]',
        'results[0].same_entity.others[0]',
        'results[1]',
        'results[3]',
        'graph_results[0]',
        'graph_results[2]',
      ],
      ['results[2]'],
    );
    expect(refused(some, '9')).toBe('SOURCE: must be 1 to 4, 1.1, g1 or g3 (given: 9)');
    expect(refused(some, 'g2')).toBe('SOURCE: must be 1 to 4, 1.1, g1 or g3 (given: g2)');
    expect(refused(some, '3')).toBe('SOURCE: this row could not be recorded (given: 3)');
    expect(refused(trace(['results[0]']), '1.1')).toBe('SOURCE: must be 1 (given: 1.1)');
    expect(refused(trace([]), '1')).toBe('SOURCE: there is none, this retrieval found nothing (given: 1)');
    expect(sourceIn(some, 'src_elsewhere')).toBe('src_elsewhere');
  });
});

describe('[TRACE] SOURCE...', () => {
  it('is taken apart by its first word', () => {
    expect(splitTrace(['1', 'g2', 'src_x'])).toEqual({ trace: undefined, sources: ['1', 'g2', 'src_x'] });
    expect(splitTrace(['last', '1.2'])).toEqual({ trace: 'last', sources: ['1.2'] });
    expect(splitTrace(['trc_x', '3'])).toEqual({ trace: 'trc_x', sources: ['3'] });
  });

  it('never repeats what it does not understand: it may be a handle', () => {
    for (const words of [['secret'], ['0'], ['1', '-1'], ['1', 'last'], ['g'], ['1.0']]) {
      expect(() => splitTrace(words)).toThrow(/^SOURCE: must be a result number or a source id$/);
    }
    for (const words of [[], ['last'], ['trc_x']]) expect(() => splitTrace(words)).toThrow('SOURCE: is required');
  });
});
