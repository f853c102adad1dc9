import { unusable } from './endpoint-error.ts';

/**
 * Items of an answer in the order of the `count` texts they are for, whatever order they came in. Throws an EndpointError
 * unless every text has exactly one; `noun` is what they are called, in the plural.
 */
export function inOrder<T extends { readonly index: number }>(items: readonly T[], count: number, noun: string): T[] {
  if (items.length !== count) throw unusable(`${String(items.length)} ${noun} for ${String(count)} texts`);
  const ordered = new Map(items.map((item) => [item.index, item]));
  return Array.from({ length: count }, (_, index) => {
    const item = ordered.get(index);
    if (item === undefined) throw unusable(`the ${noun} are numbered twice or not at all`);
    return item;
  });
}
