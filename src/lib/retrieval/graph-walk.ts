import { keyWithin, type Node, referenceOfNode, repoOf } from '../corpus/node.ts';
import type { GraphEdge } from '../feedback/learned-strength.ts';
import type { WirePath } from '../feedback/wire.ts';
import type { Step } from './graph-query.ts';

/** Candidates that learned strength may reorder; at least twice as many as {@link graphLimit} gives. */
export const LEARNING_POOL = 200;

/** A document reached over the graph. */
export interface GraphHit {
  readonly documentId: number;
  readonly node: Node;
  readonly hop: number;
  /** Canonical reference of the node that the walk began at. */
  readonly from: string;
  readonly path: WirePath;
  /** Whether every node of the path is indexed under its canonical identity; else nothing can be learned on it. */
  readonly verified: boolean;
  readonly edges: readonly GraphEdge[];
}

/** Nodes of the graph axis at most, for an answer of `topK` results. */
export function graphLimit(topK: number): number {
  return Math.min(topK * 2, 30);
}

type Reached = Omit<GraphHit, 'documentId'>;

/**
 * Follows steps in their order: what each reaches, by which path. Each node comes once, on the first path to it, and so
 * does a document that stands for two nodes.
 */
export function walkSteps(steps: readonly Step[]): GraphHit[] {
  const reached = new Map<Node, Reached>();
  const hits = new Map<number, GraphHit>();
  for (const step of steps) {
    if (reached.has(step.node)) continue;
    const before = reached.get(step.via);
    const here: Reached = {
      node: step.node,
      hop: step.hop,
      from: before?.from ?? referenceOfNode(step.via),
      path: [...(before?.path ?? []), wireStep(step)],
      verified: (before?.verified ?? true) && step.known,
      edges: [...(before?.edges ?? []), step],
    };
    reached.set(step.node, here);
    const { document_id: documentId } = step;
    if (documentId !== null && !hits.has(documentId)) hits.set(documentId, { ...here, documentId });
  }
  return [...hits.values()];
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

/** Orders hits by hop, then by learned strength, then as they were. Without any strength the order is the same. */
export function byLearnedStrength(hits: readonly GraphHit[], strengthOf: (edge: GraphEdge) => number): LearnedHit[] {
  return hits
    .map((hit) => ({
      hit,
      strength: hit.verified ? hit.edges.reduce((sum, edge) => sum + strengthOf(edge), 0) : null,
    }))
    .sort((a, b) => a.hit.hop - b.hit.hop || (b.strength ?? 0) - (a.strength ?? 0));
}
