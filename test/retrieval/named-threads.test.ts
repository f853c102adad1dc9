import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namedThreads } from '../../src/lib/retrieval/named-threads.ts';

const at = (repo: string | null, number: number) => ({ repo, number });

describe('threads that a question names', () => {
  test.each([
    ['#12', [at(null, 12)]],
    ['12', [at(null, 12)]],
    ['why was #12 reverted by #15?', [at(null, 12), at(null, 15)]],
    ['GH-7', [at(null, 7)]],
    ['issue 14', [at(null, 14)]],
    ['PR #441: what came of it', [at(null, 441)]],
    ['pull request 9', [at(null, 9)]],
    ['Acme/App#3 and acme/lib#4', [at('acme/app', 3), at('acme/lib', 4)]],
    ['app#190', [at('app', 190)]],
    ['https://github.com/acme/app/issues/8', [at('acme/app', 8)]],
    ['see https://github.com/acme/app/pull/8#issuecomment-1.', [at('acme/app', 8)]],
    ['#5 #5 issue 5', [at(null, 5)]],
    ['PR#8', [at(null, 8)]],
    ['issue#12', [at(null, 12)]],
    ['look at issue 12.', [at(null, 12)]],
    ['what came of PR 12?', [at(null, 12)]],
    ['issue: 12', [at(null, 12)]],
    ['issue number 12', [at(null, 12)]],
    ['12?', [at(null, 12)]],
    ['fix#12', [at(null, 12)]],
    ['acme/app/pull/12', [at('acme/app', 12)]],
    ['Mona_Acme/app#3', [at('mona_acme/app', 3)]],
    ['mona_acme/app/pull/12', [at('mona_acme/app', 12)]],
    ['https://github.com/mona_acme/app/issues/12', [at('mona_acme/app', 12)]],
    ['github.com/acme/app/issues/12', [at('acme/app', 12)]],
    ['pull/12', [at(null, 12)]],
    ['is PR 1 the same as acme/app#2', [at('acme/app', 2), at(null, 1)]],
  ])('%s', (question, named) => {
    expect(namedThreads(question)).toEqual(named);
  });

  test.each([
    'the 12 monkeys',
    'color: #123456',
    'version 1.2',
    'C#12b',
    '#0',
    '#99999999999',
    'issues 2024-05-01',
    'docker pull 3 times',
    'a bug 3 years old',
    'issue 404 response',
    'issues 2024 roadmap',
    'pull request 1 of 3',
    'Step #3 fails',
    'Error #1045 access denied',
    'colour #123',
    'background #333',
    'the #1 reason for crashes',
    'src/a.ts:12',
    'mona_acme/app',
    'a_b/c 12 times',
    'why does a_b/c/d#12 fail',
    'the_old_parser/rules#12',
    '_mona_acme/app#12',
    'PR 1.5',
    'a@b#1',
    '',
  ])('none in %j', (question) => {
    expect(namedThreads(question)).toEqual([]);
  });

  test('are few, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.nat(), { maxLength: 30 }).map((n) => n.map((x) => `#${String(x)}`).join(' ')),
        ),
        (text) => {
          const named = namedThreads(text);
          expect(named.length).toBeLessThanOrEqual(5);
          for (const { number } of named) expect(Number.isSafeInteger(number) && number > 0).toBe(true);
        },
      ),
    );
  });
});
