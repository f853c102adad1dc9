import Database from 'libsql';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { allowedNode, Parameters } from '../../src/lib/corpus/filters.ts';
import { nodeOf, repoOf } from '../../src/lib/corpus/node.ts';
import {
  ALLOW_LIST_ENTRY,
  allowedBy,
  allowedCondition,
  isAllowed,
  requireAllowed,
} from '../../src/lib/engine/allow-list.ts';

const db = new Database(':memory:');
afterAll(() => {
  db.close();
});

const prepare = (sql: string) => db.prepare(`SELECT ${sql} AS yes`);
const answer = (statement: ReturnType<typeof prepare>, ...values: unknown[]): boolean =>
  (statement.get(...values) as { yes: number }).yes === 1;
const condition = prepare(allowedCondition('?1', '?2'));

/** What the condition in SQL says. */
function isAllowedInSql(entries: readonly string[], repo: string): boolean {
  const list = allowedBy(entries);
  return list === 'all' || answer(condition, repo, list.json);
}

// Few of each, so that some meet: letters of either case, characters that are patterns elsewhere, beginnings of one another.
const owner = fc.constantFrom('a', 'A', 'ab', 'a-b', 'a_b', 'b', 'Acme');
const name = fc.constantFrom('a', 'B', 'ab', 'a.b', 'a_b', 'A%B', '-', 'app', 'APP', '.', 'app.js');
const slug = fc.tuple(owner, name).map(([first, second]) => `${first}/${second}`);
const entry = fc.oneof(
  slug,
  owner.map((first) => `${first}/*`),
);
const anyText = fc.oneof(
  slug,
  fc.string(),
  fc.constantFrom('', '/', '/*', 'a/*', 'a', '*', '\u212Acme/app', 'ÄB/app', 'äb/app'),
);

describe('the rule', () => {
  it.each([
    [['acme/app'], 'acme/app', true],
    [['ACME/App'], 'acme/aPP', true],
    [['acme/*'], 'Acme/lib', true],
    [['acme/app'], 'acme/app2', false],
    [['acme/app'], 'acme/ap', false],
    [['acme/*'], 'acme2/app', false],
    [['cme/*'], 'acme/app', false],
    [['acme/a.p'], 'acme/app', false],
    [['acme/a_p'], 'acme/app', false],
    [[], 'acme/app', false],
  ])('of %j says of %s: %s', (entries, repo, expected) => {
    expect([isAllowed(allowedBy(entries), repo), isAllowedInSql(entries, repo)]).toEqual([expected, expected]);
  });

  test('is the same in both languages, for any list and any text', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), anyText, (entries, repo) => {
        fc.pre(!repo.includes('\0'));
        expect(isAllowedInSql(entries, repo)).toBe(isAllowed(allowedBy(entries), repo));
      }),
      { numRuns: 1000 },
    );
  });

  test('of a node is that of its repository', () => {
    const key = fc.constantFrom('#1', ':docs/a:b/c.md', ':x', `@${'ab'.repeat(20)}`, 'wiki/A:b', 'release/v1/2');
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), slug, key, (entries, repo, rest) => {
        const node = nodeOf(repo.replace('%', ''), rest);
        const parameters = new Parameters();
        const [named = ''] = allowedNode(allowedBy(entries), parameters.add(node), parameters);
        expect(answer(prepare(named), ...parameters.values)).toBe(isAllowed(allowedBy(entries), repoOf(node)));
      }),
      { numRuns: 300 },
    );
  });

  test('without a list leaves nothing out, and adds nothing to a statement', () => {
    const parameters = new Parameters();
    expect(allowedBy(undefined)).toBe('all');
    expect(allowedNode('all', 'node', parameters)).toEqual([]);
    expect(parameters.values).toEqual([]);
    expect(isAllowed('all', 'any/thing')).toBe(true);
  });
});

it('is told with what to do', () => {
  const refused = (): void => {
    requireAllowed(allowedBy(['acme/*']), 'octo/app', 'repo');
  };
  expect(refused).toThrow('repo: the configuration does not allow the repository octo/app');
});

it.each(['acme/app', 'Acme/*', 'a-1/x.y_z', 'mona_acme/app', 'mona_acme/*'])('%s is an entry', (text) => {
  expect(text).toMatch(ALLOW_LIST_ENTRY);
});

it.each([
  'acme',
  '*/*',
  '*/app',
  'acme/a*',
  'acme/**',
  'acme/a b',
  "acme/'",
  'acme/app/x',
  'acme/',
  '-a/b',
  '_a/b',
  'a_/b',
  'acme/%',
  'a/b\n',
])('%j is none', (text) => {
  expect(text).not.toMatch(ALLOW_LIST_ENTRY);
});
