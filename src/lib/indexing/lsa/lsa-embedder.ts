import type { StoredEmbedder } from '../../corpus/embedder-store.ts';
import type { Database } from '../../engine/database.ts';
import type { Embedder } from '../../engine/embedder.ts';
import { foldIn } from './fold-in.ts';
import { termsQuery } from './lsa-store.ts';
import { termCounts } from './terms.ts';
import type { ModelTerm } from './train.ts';

/** Counts the terms of a passage: those of its first line, the title, count twice. */
export function passageTermCounts(text: string): Map<string, number> {
  const end = text.indexOf('\n');
  return termCounts(`${text.slice(0, Math.max(0, end))}\n${text}`);
}

/** Words that no model knows, as data has them, which are remembered; there is no end of them in a long run. */
const REMEMBERED = 50_000;

/**
 * The model that an index holds. Terms are read when a text first has them, so a question reads its own few and a long
 * run each once.
 */
export function lsaEmbedder(database: Database, { id, name, dimensions }: StoredEmbedder): Embedder {
  const known = new Map<string, ModelTerm>();
  const unknown = new Set<string>();
  return {
    id: name,
    async embed(texts, role) {
      const counted = texts.map((text) => (role === 'passage' ? passageTermCounts(text) : termCounts(text)));
      const wanted = new Set<string>();
      for (const counts of counted) {
        for (const term of counts.keys()) if (!known.has(term) && !unknown.has(term)) wanted.add(term);
      }
      if (wanted.size > 0) {
        const [terms] = await database.read([termsQuery(id, wanted)]);
        for (const term of terms) known.set(term.term, term);
        if (unknown.size > REMEMBERED) unknown.clear();
        for (const term of wanted) if (!known.has(term)) unknown.add(term);
      }
      return counted.map((counts) => foldIn(counts, (term) => known.get(term), dimensions));
    },
  };
}
