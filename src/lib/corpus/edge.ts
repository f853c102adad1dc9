import type { DocumentTypeName } from './document-types.ts';

/**
 * Node keys name what an edge joins. They are canonical within the repository of the edge's source: a canonical
 * reference without its `owner/name`. A node of another repository carries its slug.
 *
 *     #12                   thread            owner/other#12
 *     :docs/a.md            file              owner/other:docs/a.md
 *     @<sha>                commit            owner/other@<sha>
 *     wiki/Page             wiki page         owner/other/wiki/Page
 *     release/v1.2.0        release           owner/other/release/v1.2.0
 */
export type NodeKey = string;

/** Kinds of edges; a new one is a new entry. All of them are found by rule, none by a model. */
export const EDGE_KINDS = ['mention', 'reference', 'closes', 'link', 'touches'] as const;

export type EdgeKind = (typeof EDGE_KINDS)[number];

/** A directed edge as a document states it. */
export interface Edge {
  readonly src: NodeKey;
  readonly dst: NodeKey;
  readonly kind: EdgeKind;
}

/** What the edges of a document depend on beside the document itself. */
export interface EdgeContext {
  /** Slugs of the wiki pages of its repository, its own included. */
  readonly wikiSlugs: ReadonlySet<string>;
}

/** Finds the edges that a document states. Pure; sorted by kind and destination, without duplicates or self-loops. */
export type EdgeExtractor = (document: EdgeSource, context: EdgeContext) => Edge[];

/** What of a document its edges are found in. */
export interface EdgeSource {
  readonly repo: string;
  readonly type: DocumentTypeName;
  readonly number: number | null;
  readonly path: string | null;
  readonly tag: string | null;
  readonly commit: string | null;
  readonly title: string;
  readonly body: string;
  readonly preface: string;
}
