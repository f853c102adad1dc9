import { backfillOperation } from './admin/backfill.ts';
import { dbCopyOperation } from './admin/db-copy.ts';
import { doctor } from './admin/doctor.ts';
import { migrate } from './admin/migrate.ts';
import { schemaCheck } from './admin/schema-check.ts';
import { status } from './admin/status.ts';
import { memoryHistory } from './feedback/history.ts';
import { login } from './feedback/login.ts';
import { recordOutcome } from './feedback/outcome.ts';
import { recordSourceUse } from './feedback/source-use.ts';
import { edgesOf } from './indexing/edges.ts';
import { edgesBackfill } from './indexing/backfill-edges.ts';
import { embeddingsBackfill } from './indexing/backfill-embeddings.ts';
import { segmentsBackfill } from './indexing/backfill-segments.ts';
import { batchEmbedder } from './indexing/embed-batch.ts';
import { embedIndex } from './indexing/embed-index.ts';
import { indexDocument } from './indexing/index-document.ts';
import { identitiesBackfill } from './ingest/backfill-identities.ts';
import { indexBackfill } from './ingest/backfill-index.ts';
import { stateBackfill } from './ingest/backfill-state.ts';
import { wikiBackfill } from './ingest/backfill-wiki.ts';
import { indexOperation } from './ingest/index.ts';
import type { AnyOperation } from './operation/operation.ts';
import { evaluate } from './retrieval/evaluate.ts';
import { search } from './retrieval/search.ts';

const making = { index: indexDocument, edgesOf, batchEmbedder, embedIndex };
export const index = indexOperation(making);
export const backfill = backfillOperation([
  embeddingsBackfill,
  segmentsBackfill,
  edgesBackfill,
  indexBackfill(making),
  stateBackfill(making),
  identitiesBackfill(making),
  wikiBackfill(making),
]);
export const dbCopy = dbCopyOperation(indexDocument);

/** Everything gh-rag can do. */
export const operations: readonly AnyOperation[] = [
  search,
  recordSourceUse,
  recordOutcome,
  memoryHistory,
  status,
  login,
  index,
  backfill,
  doctor,
  migrate,
  dbCopy,
  evaluate,
  schemaCheck,
];
