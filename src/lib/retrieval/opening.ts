/** Characters that are read of a passage to judge it; all of it is no better (docs/relevance.md). */
const LENGTH = 600;

/** SQL of how a passage `p` of a body `b` begins. */
export const OPENING = `substr(b.body, p.start + 1, min(p.length, ${String(LENGTH)}))`;
