import * as z from 'zod';
import { type Database, query } from '../engine/database.ts';

const slugRow = z.object({ slug: z.string() });

/**
 * How repositories are spelt in the index. GitHub does not tell names apart by case, but keys do: one spelling, the
 * first, is used for each repository, or its documents would be stored twice.
 */
export class RepoNames {
  readonly #names: Map<string, string>;

  private constructor(slugs: readonly string[]) {
    this.#names = new Map(slugs.map((slug) => [slug.toLowerCase(), slug]));
  }

  /** Reads the names of the index, in one round trip. */
  static async of(database: Database): Promise<RepoNames> {
    const [slugs] = await database.read([query('SELECT slug FROM repos', [], (row) => slugRow.parse(row).slug)]);
    return new RepoNames(slugs);
  }

  /** The spelling that is used of a name. */
  spelling(slug: string): string {
    const folded = slug.toLowerCase();
    const known = this.#names.get(folded);
    if (known === undefined) this.#names.set(folded, slug);
    return known ?? slug;
  }
}
