import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aggregate, nameOthers } from '../../src/lib/retrieval/aggregate.ts';

const row = fc.record({ entity: fc.constantFrom('a', 'b', 'c', 'd'), documentId: fc.integer({ min: 1, max: 12 }) });
/** A document is of one entity. */
const rows = fc.array(row).map((all) => {
  const entities = new Map(all.map(({ documentId, entity }) => [documentId, entity]));
  return all.map(({ documentId }, at) => ({ documentId, entity: entities.get(documentId) ?? '', at }));
});
const limit = fc.integer({ min: 0, max: 5 });

describe('aggregation', () => {
  test('keeps the first entities in order, each led by its first row', () => {
    fc.assert(
      fc.property(rows, limit, (given, most) => {
        const groups = aggregate(given, most);
        const entities = [...new Set(given.map(({ entity }) => entity))].slice(0, most);
        expect(groups.map(({ representative }) => representative.entity)).toEqual(entities);
        for (const { representative } of groups) {
          expect(representative).toBe(given.find(({ entity }) => entity === representative.entity));
        }
      }),
    );
  });

  test('holds each document of a kept entity once, in order, and counts all', () => {
    fc.assert(
      fc.property(rows, limit, (given, most) => {
        for (const { representative, others, count } of aggregate(given, most)) {
          const members = [representative, ...others];
          const firsts = given.filter(
            (each, at) =>
              each.entity === representative.entity &&
              given.findIndex(({ documentId }) => documentId === each.documentId) === at,
          );
          expect(members).toEqual(firsts);
          expect(count).toBe(others.length);
        }
      }),
    );
  });

  test('of its own result changes nothing', () => {
    fc.assert(
      fc.property(rows, limit, (given, most) => {
        const groups = aggregate(given, most);
        const flat = groups.flatMap(({ representative, others }) => [representative, ...others]);
        expect(aggregate(flat, most)).toEqual(groups);
      }),
    );
  });
});

describe('naming folded rows', () => {
  const groups = fc
    .array(fc.array(fc.integer(), { maxLength: 6 }), { maxLength: 8 })
    .map((lists) => lists.map((others, at) => ({ representative: at, others, count: others.length })));
  const budget = fc.integer({ min: 0, max: 30 });

  test('names as many as the budget allows, the first of each group', () => {
    fc.assert(
      fc.property(groups, budget, (given, most) => {
        const named = nameOthers(given, most);
        const total = given.reduce((sum, { others }) => sum + others.length, 0);
        expect(named.reduce((sum, group) => sum + group.named.length, 0)).toBe(Math.min(most, total));
        named.forEach((group, at) => {
          expect(group).toMatchObject(given[at] ?? {});
          expect(group.named).toEqual(group.others.slice(0, group.named.length));
        });
      }),
    );
  });

  test('is fair: no group names two more than another that has more to name', () => {
    fc.assert(
      fc.property(groups, budget, (given, most) => {
        const named = nameOthers(given, most);
        for (const a of named) {
          for (const b of named) {
            if (b.named.length < b.others.length) expect(a.named.length).toBeLessThanOrEqual(b.named.length + 1);
          }
        }
      }),
    );
  });
});
