import type { Expansion } from './expand.ts';
import { firstPassage, unrankedHit } from './hit.ts';
import { type Details, resultOf } from './respond.ts';
import type { GraphResult } from './search-contract.ts';

/**
 * The graph axis on the wire: rows of documents without any score, with the path that led there. They stand for what is
 * indexed, also where the same document was read from GitHub as a result.
 */
export function graphResults({ hits }: Expansion, details: Details): GraphResult[] {
  return hits.flatMap(({ hit, strength }) => {
    const { documentId, node, hop, from, path, verified } = hit;
    const passageId = firstPassage(documentId);
    const representative = unrankedHit({ passageId, documentId, entity: node, type: '', createdAt: 0, updatedAt: 0 });
    const row = resultOf({ representative, others: [], named: [], count: 0 }, { ...details, live: new Map() });
    if (row === undefined) return [];
    return [
      {
        ...row,
        graph_hop: hop,
        graph_from: from,
        graph_path: [...path],
        ...(!verified && {
          graph_feedback_available: false,
          graph_feedback_exclusion_reason: 'unverifiable_graph_path' as const,
        }),
        ...(strength !== undefined && { learned_strength: strength }),
      },
    ];
  });
}
