import { keyWithin, type Node, referenceOfNode, repoOf } from '../corpus/node.ts';
import type { GraphEdge } from '../feedback/learned-strength.ts';
import type { WirePath } from '../feedback/wire.ts';
import type { Step } from './graph-query.ts';

/** Candidates that learned strength may reorder. */
const LEARNING_POOL = 200;

/** A document reached over the graph. */
export interface GraphHit {
  readonly documentId: number;
  readonly node: Node;
  readonly hop: number;
  /** Canonical reference of the node that the walk began at. */
  readonly from: string;
  readonly path: WirePath;
  /** Whether every node of the path is indexed; else nothing can be learned on it. */
  readonly verified: boolean;
  readonly edges: readonly GraphEdge[];
}

/** Nodes of the graph axis at most, for an answer of `topK` results. */
export function graphLimit(topK: number): number {
  return Math.min(topK * 2, 30);
}

/** As far as a walk came: a node that may not be indexed. */
interface Reached extends Omit<GraphHit, 'documentId'> {
  readonly documentId: number | null;
}

/**
 * Breadth first over the steps: each node once, on the first path that reaches it. Nodes of the answer itself, which are
 * indexed, are passed over; so are those that are not indexed, though a path may lead through one.
 */
export function walkSteps(steps: readonly Step[], results: readonly Node[]): GraphHit[] {
  const origins = [...results, ...steps.filter((step) => step.hop === 1).map((step) => step.via)];
  const reached = new Map<Node, Reached | null>(origins.map((node) => [node, null]));
  for (const step of steps) {
    if (reached.has(step.node)) continue;
    const before = reached.get(step.via) ?? null;
    reached.set(step.node, {
      documentId: step.document_id,
      node: step.node,
      hop: step.hop,
      from: before?.from ?? referenceOfNode(step.via),
      path: [...(before?.path ?? []), wireStep(step)],
      verified: (before?.verified ?? true) && step.document_id !== null,
      edges: [...(before?.edges ?? []), step],
    });
  }
  return [...reached.values()].flatMap((hit) =>
    hit === null || hit.documentId === null ? [] : [{ ...hit, documentId: hit.documentId }],
  );
}

function wireStep({ src, dst, kind, direction }: Step): WirePath[number] {
  const repo = repoOf(src);
  return { repo, src_slug: keyWithin(repo, src), dst_slug: keyWithin(repo, dst), edge_kind: kind, direction };
}

/** A hit with what was learned of its path: the summed strength of its edges; null where the path is not verified. */
export interface LearnedHit {
  readonly hit: GraphHit;
  readonly strength: number | null;
}

/** Orders a bounded pool by hop, then by learned strength, then as it was. Without any strength the order is the same. */
export function byLearnedStrength(hits: readonly GraphHit[], strengthOf: (edge: GraphEdge) => number): LearnedHit[] {
  return hits
    .slice(0, LEARNING_POOL)
    .map((hit) => ({
      hit,
      strength: hit.verified ? hit.edges.reduce((sum, edge) => sum + strengthOf(edge), 0) : null,
    }))
    .sort((a, b) => a.hit.hop - b.hit.hop || (b.strength ?? 0) - (a.strength ?? 0));
}
