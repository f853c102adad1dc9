import { expect, it } from 'vitest';
import { isRepoSlug, OWNER } from '../../src/lib/core/repo-slug.ts';

it.each([
  'acme/app',
  'A-1/b.c_d-e',
  'x/.github',
  'acme-/...',
  'mona_acme/app',
  '2abvd19d_admin/app',
  `${'a'.repeat(39)}/${'b'.repeat(100)}`,
  `${'a'.repeat(30)}_acmecorp/app`,
])('%j is a name that GitHub gives', (slug) => {
  expect(isRepoSlug(slug)).toBe(true);
});

it.each([
  'acme',
  'acme/',
  '/app',
  '-a/b',
  '_a/b',
  'a_/b',
  'a__b/c',
  'a_b_c/d',
  'a_b-c/d',
  'a/b/c',
  'a/..',
  'a/.',
  'a/b c',
  'a/b\n',
  'é/app',
  `${'a'.repeat(40)}/app`,
  `${'a'.repeat(31)}_acmecorp/app`,
  `a/${'b'.repeat(101)}`,
])('%j is none', (slug) => {
  expect(isRepoSlug(slug)).toBe(false);
});

it('no part of a longer name is an owner', () => {
  const owners = new RegExp(`(?<![\\w-])${OWNER}(?![\\w-])`, 'g');
  const text = 'acme mona_acme a_b_c -x _x x- ' + 'a'.repeat(40);
  expect(text.match(owners)).toEqual(['acme', 'mona_acme', 'x-']);
});
