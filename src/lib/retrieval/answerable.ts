import * as z from 'zod';
import { documentPredicate, Parameters } from '../corpus/filters.ts';
import { referenceOfNode, repoOf } from '../corpus/node.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import type { GoldQuestion } from './gold.ts';

/** Questions whose problems are told one by one. */
const MAX_TOLD = 20;
/** Characters of an id or a reference in a sentence. */
const MAX_NAME = 100;

const row = z.object({ entity: z.string() });

/** Those of the entities of which the caller may see any document. */
export function indexedEntitiesQuery(entities: Iterable<string>, allowed: Allowed): Query<string> {
  const parameters = new Parameters();
  const wanted = parameters.add(JSON.stringify([...new Set(entities)]));
  const visible = documentPredicate({}, allowed, parameters);
  return query(
    `SELECT value AS entity FROM json_each(${wanted})
     WHERE EXISTS (SELECT 1 FROM documents d WHERE d.entity = value AND ${visible})`,
    parameters.values,
    (each) => row.parse(each).entity,
  );
}

/** What can be measured of a gold file. */
export interface Answerable {
  /** Questions with those of their answers that a ranking may hold; at least one each. */
  readonly questions: readonly GoldQuestion[];
  /** One sentence for each question that lost an answer, the first twenty. */
  readonly problems: readonly string[];
}

/**
 * Leaves out the answers that no ranking can hold: what is not indexed, is excluded, or is not of the repository that the
 * question is about; and the questions that have no other. They would count as misses of every ranking alike.
 */
export function answerable(questions: readonly GoldQuestion[], indexed: ReadonlySet<string>): Answerable {
  const kept: GoldQuestion[] = [];
  const problems: string[] = [];
  for (const question of questions) {
    const lost = [...question.relevant].flatMap((entity) => {
      const why = whyNot(entity, question, indexed);
      return why === undefined ? [] : [{ entity, why }];
    });
    const gone = new Set(lost.map(({ entity }) => entity));
    const relevant = new Set([...question.relevant].filter((entity) => !gone.has(entity)));
    if (relevant.size > 0) kept.push({ ...question, relevant });
    const [first] = lost;
    if (first === undefined) continue;
    const more = lost.length > 1 ? `, and ${String(lost.length - 1)} more of its answers cannot be found` : '';
    const what = relevant.size > 0 ? 'is measured without one of its answers' : 'is left out';
    problems.push(
      `question ${short(question.id)} ${what}: ${short(referenceOfNode(first.entity))} ${first.why}${more}`,
    );
  }
  const told = problems.slice(0, MAX_TOLD);
  const untold = problems.length - told.length;
  return { questions: kept, problems: untold === 0 ? told : [...told, `${String(untold)} more questions like these`] };
}

function whyNot(entity: string, { repo, excluded }: GoldQuestion, indexed: ReadonlySet<string>): string | undefined {
  if (repoOf(entity) !== repo) return `is not of ${repo}`;
  if (excluded.has(entity)) return 'is in exclude_numbers';
  return indexed.has(entity) ? undefined : 'is not indexed';
}

function short(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
