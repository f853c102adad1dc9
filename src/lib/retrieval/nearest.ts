/** Candidates whose edit distance is more than this share of what was compared are no help. */
const MAX_DISTANCE_SHARE = 0.5;

/**
 * The known names nearest to a wrong one, best first: by Levenshtein distance without regard to case, where a common
 * owner or name counts as near.
 */
export function nearest(wrong: string, known: readonly string[], limit: number): string[] {
  const asked = wrong.toLowerCase();
  return known
    .map((name) => ({ name, distance: nearness(asked, name.toLowerCase()) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** Edits from one to the other, whole or without their owners; infinite where neither is near. */
function nearness(asked: string, name: string): number {
  const [owner = '', repository = ''] = name.split('/');
  const [askedOwner = '', askedRepository] = asked.split('/');
  const wanted = askedRepository ?? askedOwner;
  // Half a match is worth more than its letters: the owner is often forgotten or mistaken.
  return Math.min(near(asked, name), near(wanted, repository) + (askedOwner === owner ? 0 : 1));
}

function near(a: string, b: string): number {
  const distance = levenshtein(a, b);
  return distance <= MAX_DISTANCE_SHARE * Math.max(a.length, b.length) ? distance : Infinity;
}

/** Number of single-character edits between two strings (Levenshtein 1966), by UTF-16 code unit. */
export function levenshtein(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
