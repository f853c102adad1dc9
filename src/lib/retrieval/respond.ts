import { firstCodePoints } from '../core/text.ts';
import { formatTime } from '../core/time.ts';
import { indexProvenance, type Provenance, sourceId } from '../corpus/provenance.ts';
import { referenceOf } from '../corpus/reference.ts';
import type { StoredDocument } from '../corpus/stored-document.ts';
import type { NamedGroup } from './aggregate.ts';
import type { PassageDetail } from './details.ts';
import type { Hit } from './hit.ts';
import type { LiveBody } from './live-bodies.ts';
import { permalink } from './permalink.ts';
import type { SearchResult } from './search-contract.ts';

/** Longer titles are cut, in code points. */
const MAX_TITLE_LENGTH = 200;

/** What round trip two brought, by passage and document id. */
export interface Details {
  readonly passages: ReadonlyMap<number, PassageDetail>;
  readonly documents: ReadonlyMap<number, StoredDocument>;
  readonly bodies: ReadonlyMap<number, string>;
  /** Bodies that were read from GitHub instead, or could not be. */
  readonly live: ReadonlyMap<number, LiveBody>;
  readonly snippet: (detail: PassageDetail) => string;
}

/** One row of an answer; undefined when its document left the index between the two round trips. */
export function resultOf(group: NamedGroup<Hit>, details: Details): SearchResult | undefined {
  const hit = group.representative;
  const detail = details.passages.get(hit.passageId);
  if (detail === undefined) return undefined;
  const { document } = detail;
  const live = details.live.get(hit.documentId);
  const others = foldedRows(group.named, details);
  return {
    ...identificationOf(document, live),
    ...fieldsOfType(document),
    title: titleOf(document),
    ...(document.state !== null && { state: document.state }),
    ...(document.labels.length > 0 && { labels: document.labels }),
    ...(document.milestone !== null && { milestone: document.milestone }),
    ...(document.assignees.length > 0 && { assignees: document.assignees }),
    ...(document.author !== null && { author: document.author }),
    url: permalink(document, detail.lines),
    created_at: formatTime(document.created_at),
    updated_at: formatTime(document.updated_at),
    snippet: details.snippet(detail),
    ...(detail.headingPath.length > 0 && { heading_path: [...detail.headingPath] }),
    ...(detail.lines !== null && { lines: detail.lines }),
    score: rounded(hit.score),
    dense_score: rounded(hit.denseScore),
    sparse_score: rounded(hit.sparseScore),
    dense_rank: hit.denseRank,
    sparse_rank: hit.sparseRank,
    rerank_score: rounded(hit.rerankScore),
    ...(group.count > 0 && { same_entity: { count: group.count, others } }),
    ...contentOf(document, details.bodies.get(hit.documentId), live),
  };
}

/** The body, from where it came; nothing where it was to come from GitHub and did not. */
function contentOf(
  { indexedAt }: StoredDocument,
  body: string | undefined,
  live: LiveBody | undefined,
): Partial<SearchResult> {
  const indexed = indexedAt === null ? {} : { index_updated_at: indexedAt };
  if (live === undefined) {
    return body === undefined ? {} : { content: body, content_source: 'index', ...indexed };
  }
  if ('problem' in live) return {};
  return { content: live.text, content_source: 'github_live', content_version: live.version, ...indexed };
}

function foldedRows(hits: readonly Hit[], { documents }: Details): NonNullable<SearchResult['same_entity']>['others'] {
  return hits.flatMap((hit) => {
    const document = documents.get(hit.documentId);
    if (document === undefined) return [];
    return [
      {
        ...identificationOf(document),
        url: permalink(document, null),
        updated_at: formatTime(document.updated_at),
        score: rounded(hit.score),
      },
    ];
  });
}

function identificationOf(document: StoredDocument, live?: LiveBody) {
  const reference = referenceOf(document);
  const indexed = indexProvenance(document);
  const named = { repo: document.repo, type: document.type, ...(reference !== undefined && { reference }) };
  if (indexed === undefined || document.sourceId === null) return { ...named, ...unresolved('canonical_identity') };
  if (live === undefined) return { ...named, source_id: document.sourceId, provenance: wireProvenance(indexed) };
  if ('problem' in live) return { ...named, ...unresolved('live_version') };
  const provenance: Provenance = { ...indexed, version: live.version, content_source: 'github_live' };
  return { ...named, source_id: sourceId(provenance), provenance: wireProvenance(provenance) };
}

function unresolved(what: 'canonical_identity' | 'live_version') {
  return { feedback_available: false, memory_exclusion_reason: `${what}_unavailable` as const };
}

function wireProvenance(provenance: Provenance) {
  const { identity } = provenance;
  return { ...provenance, identity: typeof identity === 'object' ? [...identity] : identity };
}

/** The identifying fields that a document of this type has on the wire. */
function fieldsOfType(document: StoredDocument): Partial<SearchResult> {
  const { type, number, tag, path, commit, commentId, reviewId, line } = document;
  return {
    ...(number !== null && { number }),
    ...(type === 'release' && tag !== null && { tag_name: tag }),
    ...(type === 'doc' && path !== null && { doc_path: path }),
    ...(type === 'wiki_doc' && path !== null && { wiki_path: path }),
    ...((type === 'diff' || type === 'pr_review_comment') && path !== null && { file_path: path }),
    ...(commit !== null && { commit_sha: commit }),
    ...(commentId !== null && { comment_id: wireId(commentId) }),
    ...(reviewId !== null && { review_id: wireId(reviewId) }),
    ...(line !== null && { line }),
  };
}

/** Ids are numbers where a JSON number can hold them. */
function wireId(id: string): number | string {
  const value = Number(id);
  return Number.isSafeInteger(value) ? value : id;
}

function titleOf(document: StoredDocument): string {
  if (document.title !== '') return firstCodePoints(document.title, MAX_TITLE_LENGTH);
  return document.number === null ? (document.path ?? document.type) : `#${String(document.number)}`;
}

/** Scores beyond six significant digits say nothing. */
function rounded(score: number | null): number | null {
  return score === null ? null : Number(score.toPrecision(6));
}
