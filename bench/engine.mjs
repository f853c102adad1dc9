/** An engine of the real adapters over a database, for operations that need no files, no git and nobody to report to. */
export function benchEngine(source, database, clock, parts = {}) {
  return {
    database,
    clock,
    entropy: source.systemEntropy,
    presence: source.systemPresence,
    principal: { kind: 'local' },
    allowed: 'all',
    embedder: null,
    reranker: null,
    github: null,
    signal: new AbortController().signal,
    ...parts,
  };
}
