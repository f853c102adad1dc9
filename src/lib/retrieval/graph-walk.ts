import { keyWithin, type Node, referenceOfNode, repoOf } from '../corpus/node.ts';
import { type Contribution, edgeStrength } from '../feedback/credit.ts';
import type { WirePath } from '../feedback/wire.ts';
import type { StepRow } from './graph-query.ts';

/** Candidates that learned strength may reorder. */
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
  /** What the caller's confirmations contributed to each edge of the path. */
  readonly contributions: readonly (readonly Contribution[])[];
}

/** Nodes of the graph axis at most, for an answer of `topK` results. */
export function graphLimit(topK: number): number {
  return Math.min(topK * 2, 30);
}

type Reached = Omit<GraphHit, 'documentId'>;

/** Follows steps in their order: what each reaches, by which path. A document that stands for two nodes comes once. */
export function walkSteps(rows: readonly StepRow[]): GraphHit[] {
  const reached = new Map<Node, Reached>();
  const hits = new Map<number, GraphHit>();
  for (const { step, contributions } of stepsOf(rows)) {
    const before = reached.get(step.via);
    const here: Reached = {
      node: step.node,
      hop: step.hop,
      from: before?.from ?? referenceOfNode(step.via),
      path: [...(before?.path ?? []), wireStep(step)],
      verified: (before?.verified ?? true) && step.known,
      contributions: [...(before?.contributions ?? []), contributions],
    };
    reached.set(step.node, here);
    const { document_id: documentId } = step;
    if (documentId !== null && !hits.has(documentId)) hits.set(documentId, { ...here, documentId });
  }
  return [...hits.values()];
}

/** Rows of one step, which follow each other, as one. */
function stepsOf(rows: readonly StepRow[]): { readonly step: StepRow; readonly contributions: readonly Contribution[] }[] {
  const steps = new Map<Node, { step: StepRow; contributions: Contribution[] }>();
  for (const step of rows) {
    const known = steps.get(step.node) ?? { step, contributions: [] };
    steps.set(step.node, known);
    if (step.delta !== null && step.at !== null) known.contributions.push({ delta: step.delta, at: step.at });
  }
  return [...steps.values()];
}

function wireStep({ via, node, kind, direction }: StepRow): WirePath[number] {
  const [src, dst] = direction === 'forward' ? [via, node] : [node, via];
  const repo = repoOf(src);
  return { repo, src_slug: keyWithin(repo, src), dst_slug: keyWithin(repo, dst), edge_kind: kind, direction };
}

/** A hit with what was learned of its path: the summed strength of its edges; null where the path is not verified. */
export interface LearnedHit {
  readonly hit: GraphHit;
  readonly strength: number | null;
}

/** Orders a bounded pool by hop, then by learned strength, then as it was. Without any strength the order is the same. */
export function byLearnedStrength(hits: readonly GraphHit[], now: number): LearnedHit[] {
  return hits
    .slice(0, LEARNING_POOL)
    .map((hit) => ({ hit, strength: hit.verified ? pathStrength(hit, now) : null }))
    .sort((a, b) => a.hit.hop - b.hit.hop || (b.strength ?? 0) - (a.strength ?? 0));
}

function pathStrength({ contributions }: GraphHit, now: number): number {
  return contributions.reduce((sum, edge) => sum + edgeStrength(edge, now), 0);
}
