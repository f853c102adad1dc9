import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/lib/cli/display-width.ts';
import { renderSearch } from '../../src/lib/cli/render-search.ts';
import { NOTHING_INDEXED, searchHints, searchNotes } from '../../src/lib/cli/search-notes.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import {
  type GraphResult,
  type SearchOutput,
  type SearchResult,
  searchOutput,
} from '../../src/lib/retrieval/search-contract.ts';

const NOW = Date.parse('2024-06-01T12:00:00Z');
const NO_COLOR = {
  noColor: '1',
  forceColor: undefined,
  cliColorForce: undefined,
  cliColor: undefined,
  term: undefined,
};
const COLOR = { ...NO_COLOR, noColor: undefined };
const wide = { isTTY: true, columns: 76 };
const screen = terminalOf(NO_COLOR, wide);
const colored = terminalOf(COLOR, wide);
const pipe = terminalOf(COLOR, { isTTY: false, columns: undefined });

const scores = {
  score: 0.03,
  dense_score: null,
  sparse_score: 9.5,
  dense_rank: null,
  sparse_rank: 1,
  rerank_score: null,
};

const issue: SearchResult = {
  ...scores,
  repo: 'acme/app',
  type: 'issue',
  reference: 'acme/app#12',
  number: 12,
  title: 'Drop the v1 cache',
  state: 'closed',
  author: 'ada',
  url: 'https://github.com/acme/app/issues/12',
  created_at: '2024-02-01T00:00:00.000Z',
  updated_at: '2024-05-29T12:00:00.000Z',
  snippet:
    'The «cache» kept entries of the old schema, so a restore served rows that no longer existed; «caching» nothing was faster than checking each entry against the ledger, as the measurements in the thread below show in some detail for three kinds of load.',
  same_entity: {
    count: 3,
    others: [],
  },
};

const diff: SearchResult = {
  ...scores,
  repo: 'acme/app',
  type: 'diff',
  reference: `acme/app@${'0123456789'.repeat(4)}:src/a/very/long/path/to/the/implementation/of/the/cache.ts`,
  title: 'Remove the cache',
  author: 'Ada Example',
  url: 'https://github.com/acme/app/commit/0123456789012345678901234567890123456789#diff-1',
  created_at: '2024-01-01T00:00:00.000Z',
  updated_at: '2024-01-01T00:00:00.000Z',
  snippet: '-const «cache» = new Map();',
  heading_path: ['Remove the cache', 'class Store'],
  lines: { start: 12, end: 30 },
};

function answer(results: SearchResult[], over: Partial<SearchOutput> = {}): SearchOutput {
  return searchOutput.parse({
    count: results.length,
    mode: 'search',
    fusion: 'rrf',
    sort: 'relevance',
    since: null,
    until: null,
    truncated: false,
    dense_candidates: 0,
    sparse_candidates: 2,
    filters_unmatched: [],
    rerank_requested: true,
    rerank_applied: false,
    embedder: null,
    graph_expanded: false,
    graph_results: [],
    feedback_available: true,
    repos: [{ repo: 'acme/app', index_updated_at: '2024-06-01T09:00:00.000Z' }],
    results,
    ...over,
  });
}

describe('on a terminal', () => {
  it('reads like this', () => {
    expect(renderSearch(answer([issue, diff]), screen, NOW)).toBe(
      [
        '1  Drop the v1 cache',
        '   acme/app#12 · issue · closed · ada · 3 days ago · +3 more',
        '     The cache kept entries of the old schema, so a restore served rows that',
        '     no longer existed; caching nothing was faster than checking each entry',
        '     against the ledger, as the measurements in the thread below show in…',
        '   https://github.com/acme/app/issues/12',
        '',
        '2  Remove the cache',
        '   acme/app@012345678901:src/a/very/long/path/to/the/implementation/of/the/cache.ts',
        '   diff · Ada Example · 5 months ago',
        '   class Store, lines 12-30',
        '     -const cache = new Map();',
        '   https://github.com/acme/app/commit/0123456789012345678901234567890123456789#diff-1',
        '',
      ].join('\n'),
    );
  });

  it('colours number, matches (in the title too), reference and state', () => {
    const text = renderSearch(answer([issue]), colored, NOW);
    const { style } = colored;
    expect(text).toContain(`${style.number('1')}  ${style.bold('Drop the v1 ')}${style.match('cache')}`);
    expect(text).toContain(style.repo('acme/app#12'));
    expect(text).toContain(style.closed('closed'));
    expect(text).toContain(`The ${style.match('cache')} kept`);
    expect(stripVTControlCharacters(text)).toBe(renderSearch(answer([issue]), screen, NOW));
  });

  it('aligns numbers, and shows contents in place of the snippet', () => {
    const content = '# Cache\n\nNo \u001B[2Jcache.\n';
    const text = renderSearch(answer(Array.from({ length: 10 }, () => ({ ...issue, content }))), screen, NOW);
    expect(text).toContain('\n 9  Drop');
    expect(text).toContain('\n10  Drop');
    expect(text).toContain('\n      # Cache\n\n      No [2Jcache.\n');
    expect(text).not.toContain('kept entries');
  });

  it('lets nothing of a stranger through to the terminal, nor breaks a line', () => {
    const evil = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(evil, evil, evil, evil, (title, author, snippet, heading) => {
        const text = renderSearch(answer([{ ...issue, title, author, snippet, heading_path: [heading] }]), screen, NOW);
        expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
        const [first = '', ...rest] = text.split('\n');
        expect(first.startsWith('1  ')).toBe(true);
        for (const line of rest) expect(line === '' || line.startsWith('   ')).toBe(true);
        expect(displayWidth(first)).toBeLessThanOrEqual(76);
      }),
    );
  });
});

const folded = (reference: string, source_id: string) => ({
  repo: 'acme/app',
  type: 'diff' as const,
  reference,
  source_id,
  url: 'https://github.com/acme/app',
  updated_at: '2024-01-01T00:00:00.000Z',
  score: null,
});

const edge = (src_slug: string, dst_slug: string, direction: 'forward' | 'backward') =>
  ({ repo: 'acme/app', src_slug, dst_slug, edge_kind: 'closes', direction }) as const;

const reached: GraphResult = {
  ...issue,
  reference: 'acme/app#40',
  source_id: 'src_40',
  title: 'Restore «serves» dead rows',
  same_entity: undefined,
  graph_hop: 2,
  graph_from: 'acme/app#12',
  graph_path: [edge('#12', '#31', 'forward'), edge('#40', '#31', 'backward')],
  learned_strength: 0.5,
};

const withGraph = answer(
  [
    {
      ...issue,
      same_entity: {
        count: 7,
        others: [
          folded('acme/app#12/review_comment/345', 'src_1'),
          folded(`acme/app@${'ab'.repeat(20)}:src/x.ts`, 'src_2'),
        ],
      },
    },
  ],
  {
    graph_expanded: true,
    graph_results: [
      { ...reached, learned_strength: 0 },
      { ...reached, source_id: 'src_2', graph_feedback_available: false, learned_strength: null },
      { ...reached, source_id: 'src_3' },
    ],
  },
);

describe('with the graph', () => {
  it('reads like this: folded rows by their numbers, and a block of its own for what lies along the graph', () => {
    const block = (number: string, walk: string) => [
      `${number.padStart(3)}  Restore «serves» dead rows`,
      '     acme/app#40 · issue · closed · ada · 3 days ago',
      `     2 hops: acme/app#12 ─closes→ #31 ←closes─ #40${walk}`,
      '',
    ];
    const [first = '', rest = ''] = renderSearch(withGraph, screen, NOW).split('\n\nAlong the graph\n\n');
    expect(first.split('\n').slice(0, 3)).toEqual([
      '  1  Drop the v1 cache',
      '     acme/app#12 · issue · closed · ada · 3 days ago',
      '     +7 more: 1.1 review comment 345, 1.2 @abababababab:src/x.ts, …',
    ]);
    expect(rest).toBe(
      [
        ...block('g1', ''),
        ...block('1.2', ' · cannot be learned: a node between is not indexed'),
        ...block('g3', ' · learned 0.50'),
      ].join('\n'),
    );
    expect(stripVTControlCharacters(renderSearch(withGraph, colored, NOW))).toBe(renderSearch(withGraph, screen, NOW));
  });

  it('is a line each in a pipe: the fields of a result, then hop, path and learned strength', () => {
    const lines = renderSearch(withGraph, pipe, NOW).split('\n');
    expect(lines).toHaveLength(6);
    const rows = lines.slice(2, 5).map((line) => line.split('\t'));
    const path = 'acme/app#12 ─closes→ #31 ←closes─ #40';
    expect(rows.map((row) => [row[0], ...row.slice(8)])).toEqual([
      ['g1', '2', path, '0'],
      ['1.2', '2', path, ''],
      ['g3', '2', path, '0.5'],
    ]);
    expect(rows[0]?.slice(1, 3)).toEqual(['acme/app#40', 'issue']);
  });

  it('lets nothing of a stranger through', () => {
    const evil = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(evil, evil, evil, (title, slug, reference) => {
        const graph_results = [{ ...reached, title, reference, graph_path: [edge(slug, '#1', 'forward')] }];
        const others = [folded(reference, 'src_1')];
        const rows = answer([{ ...issue, same_entity: { count: 1, others } }], { graph_results });
        const text = renderSearch(rows, screen, NOW);
        expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2066-\u2069]/);
        expect(renderSearch(rows, pipe, NOW).split('\n')).toHaveLength(4);
      }),
    );
  });
});

describe('in a pipe', () => {
  it('is two lines a result: eight fields between tabs, then place and snippet', () => {
    const lines = renderSearch(answer([issue, diff]), pipe, NOW).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]?.split('\t')).toEqual([
      '1',
      'acme/app#12',
      'issue',
      'closed',
      issue.updated_at,
      issue.title,
      issue.url,
      '3',
    ]);
    expect(lines[1]).toBe(`\t${issue.snippet.replaceAll(/[«»]/g, '')}`);
    expect(lines[2]?.split('\t')).toEqual([
      '2',
      diff.reference,
      'diff',
      '',
      diff.updated_at,
      diff.title,
      diff.url,
      '0',
    ]);
    expect(lines[3]).toBe('\tclass Store, lines 12-30: -const cache = new Map();');
  });

  it('keeps that form whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (title, snippet) => {
        const lines = renderSearch(answer([{ ...issue, title, snippet }]), pipe, NOW).split('\n');
        expect(lines).toHaveLength(3);
        expect(lines[0]?.split('\t')).toHaveLength(8);
        expect(lines[1]?.split('\t')).toHaveLength(2);
      }),
    );
  });

  it('prints nothing for nothing', () => {
    expect(renderSearch(answer([]), pipe, NOW)).toBe('');
    expect(renderSearch(answer([]), screen, NOW)).toBe('');
  });
});

describe('remarks', () => {
  it('say how old the index is', () => {
    expect(searchNotes(answer([issue]), NOW)).toEqual(['Indexed: acme/app 3 hours ago.']);
    const repos = Array.from({ length: 7 }, (_, index) => ({ repo: `acme/r${String(index)}`, index_updated_at: null }));
    expect(searchNotes(answer([issue], { repos }), NOW)[0]).toMatch(
      /^Indexed: acme\/r0 not to its end yet, .*, and 2 more\.$/,
    );
  });

  it('tell a wrong filter from a true zero', () => {
    expect(searchNotes(answer([], { repos: [] }), NOW)).toEqual(['Nothing matches.']);
    const dense_problem = 'the endpoint is down';
    expect(searchNotes(answer([], { repos: [], dense_problem }), NOW)).toEqual([
      'Nothing matches.',
      'Vectors do not help: the endpoint is down',
    ]);
    expect(searchNotes(answer([], { repos: [], dense_problem, fusion: 'dense_only' }), NOW)).toEqual([
      'Nothing was compared: the endpoint is down',
    ]);
    expect(searchNotes(answer([], { repos: [], dense_problem, index_empty: true }), NOW)).toEqual([NOTHING_INDEXED]);
    const wrong = answer([], { repos: [], filters_unmatched: ['repo', 'labels'], nearest_repos: ['acme/app'] });
    expect(searchNotes(wrong, NOW)).toEqual([
      'Nothing matches.',
      'No document at all satisfies --repo: probably a wrong value. Indexed are: acme/app.',
      'No document at all satisfies --labels: probably a wrong value.',
    ]);
  });

  it('name the window of a scan', () => {
    const window: Partial<SearchOutput> = { mode: 'scan', since: '2024-05-25T12:00:00.000Z', until: null, repos: [] };
    expect(searchNotes(answer([], window), NOW)).toEqual(['Nothing was updated between 2024-05-25 and now.']);
    expect(searchNotes(answer([issue], { ...window, truncated: true }), NOW)).toEqual([
      'More was updated between 2024-05-25 and now: raise --top-k, or narrow the window with --until.',
    ]);
  });

  it('name the trace, or say why there is none', () => {
    expect(searchNotes(answer([issue], { repos: [], trace_id: 'trc_1' }), NOW)).toEqual(['Trace: trc_1']);
    const lost: Partial<SearchOutput> = { repos: [], feedback_available: false, memory_unavailable: true };
    expect(searchNotes(answer([issue], { ...lost, memory_error: 'memory_save_failed' }), NOW)).toEqual([
      'The trace of this retrieval could not be saved: no use of it can be recorded.',
    ]);
  });

  it('say what to type next where something was found and recorded', () => {
    expect(searchHints(answer([issue], { trace_id: 'trc_1' })).join(' ')).toContain(
      'gh-rag use 1 --stage used --through',
    );
    expect(searchHints(answer([], { trace_id: 'trc_1' }))).toEqual([]);
    expect(searchHints(answer([issue]))).toEqual([]);
  });
});
