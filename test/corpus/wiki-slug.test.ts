import { describe, expect, it } from 'vitest';
import { wikiSlug } from '../../src/lib/corpus/wiki-slug.ts';

describe('the slug of a wiki page', () => {
  it.each([
    ['Home.md', 'Home'],
    ['How to release.md', 'How-to-release'],
    ['guides/Setup.asciidoc', 'Setup'],
    ['v1.2 notes.textile', 'v1.2-notes'],
    ['_Sidebar.md', undefined],
    ['logo.png', undefined],
    ['.md', undefined],
  ])('of %s is %s', (path, slug) => {
    expect(wikiSlug(path)).toBe(slug);
  });
});
