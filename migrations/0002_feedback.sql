-- The mention graph and the feedback memory.

-- Directed edges as documents state them. Nodes are canonical references with their repository, so that edges cross
-- repositories; a target need not be indexed.
CREATE TABLE edges (
  document_id INTEGER NOT NULL REFERENCES documents (id),
  src TEXT NOT NULL,
  -- The other end as the document names it: a commit perhaps by its first digits, a repository in small letters.
  stated TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The node that it names, as the index stands: the whole commit, the repository as it is spelt there.
  dst TEXT NOT NULL,
  PRIMARY KEY (document_id, src, stated, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_by_src ON edges (src, kind, dst);
CREATE INDEX edges_by_dst ON edges (dst, kind, src);
CREATE INDEX edges_to_commits ON edges (stated) WHERE substr(stated, 1, 7) = 'commit:';
CREATE INDEX documents_by_path ON documents (repo_id, path) WHERE path IS NOT NULL;

-- What stands for a node: the newest document of an entity, the first file of a commit.
DROP INDEX documents_by_entity;
CREATE INDEX documents_by_entity ON documents (entity, updated_at DESC);
DROP INDEX documents_by_commit;
CREATE INDEX documents_by_commit ON documents (commit_sha, path) WHERE commit_sha IS NOT NULL;

DROP TRIGGER documents_ad;
CREATE TRIGGER documents_ad AFTER DELETE ON documents BEGIN
  DELETE FROM passages WHERE document_id = OLD.id;
  DELETE FROM bodies WHERE document_id = OLD.id;
  DELETE FROM edges WHERE document_id = OLD.id;
END;

-- What this database calls a caller without a credential, and the key that signs its cursors. One row, made here.
CREATE TABLE installations (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  local_principal TEXT NOT NULL,
  cursor_key TEXT NOT NULL
) STRICT;

INSERT INTO installations (id, local_principal, cursor_key)
SELECT 1,
  'local:' || substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-a' || substr(h, 18, 3) || '-' || substr(h, 21, 12),
  lower(hex(randomblob(32)))
FROM (SELECT lower(hex(randomblob(16))) AS h);

-- Whoever has a memory here. The revision grows with every write of a principal: a write names the revision that it
-- read, so that what it decided still holds when it is applied.
CREATE TABLE principals (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One retrieval. seq is the order of commit.
CREATE TABLE traces (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  trace_id TEXT NOT NULL UNIQUE,
  principal_id INTEGER NOT NULL REFERENCES principals (id),
  -- Milliseconds since the epoch.
  created_at INTEGER NOT NULL,
  mode TEXT NOT NULL,
  query TEXT,
  -- JSON: the request's filters and controls, the effective settings, the object memory_recording.
  request TEXT NOT NULL,
  settings TEXT NOT NULL,
  recording TEXT NOT NULL,
  source_count INTEGER NOT NULL,
  used_count INTEGER NOT NULL DEFAULT 0,
  confirmation_count INTEGER NOT NULL DEFAULT 0,
  reversal_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX traces_by_principal ON traces (principal_id, seq DESC);

-- One source of a trace: what was returned, where, and by which verified path. Never a title or a text.
CREATE TABLE trace_sources (
  trace_seq INTEGER NOT NULL REFERENCES traces (seq),
  source_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  provenance TEXT NOT NULL,
  index_updated_at TEXT,
  location TEXT NOT NULL,
  axis TEXT NOT NULL,
  -- 0 retrieved, 1 selected, 2 validated, 3 used.
  stage INTEGER NOT NULL DEFAULT 0 CHECK (stage BETWEEN 0 AND 3),
  -- JSON array of edges in walking order; empty where there is no verified path.
  path TEXT NOT NULL,
  PRIMARY KEY (trace_seq, source_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE activations (
  principal_id INTEGER NOT NULL REFERENCES principals (id),
  source_id TEXT NOT NULL,
  retrieved REAL NOT NULL CHECK (retrieved BETWEEN 0 AND 10),
  usage REAL NOT NULL CHECK (usage BETWEEN 0 AND 10),
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (principal_id, source_id)
) STRICT, WITHOUT ROWID;

-- Every mutation, as it was answered.
CREATE TABLE receipts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt_id TEXT NOT NULL UNIQUE,
  principal_id INTEGER NOT NULL REFERENCES principals (id),
  idempotency_key TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  trace_seq INTEGER NOT NULL REFERENCES traces (seq),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (principal_id, idempotency_key)
) STRICT;

CREATE INDEX receipts_by_trace ON receipts (trace_seq, seq);

-- What confirmations gave to edges. The strength of an edge is the decayed sum of its active rows; there is no other
-- copy of it. An edge is known by name, so that indexing again changes nothing here. One trace credits an edge once.
CREATE TABLE credits (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  principal_id INTEGER NOT NULL REFERENCES principals (id),
  repo TEXT NOT NULL,
  src_slug TEXT NOT NULL,
  dst_slug TEXT NOT NULL,
  edge_kind TEXT NOT NULL,
  -- The same two ends as the graph stores them.
  src_node TEXT NOT NULL,
  dst_node TEXT NOT NULL,
  trace_seq INTEGER NOT NULL REFERENCES traces (seq),
  confirmation_id TEXT NOT NULL,
  delta REAL NOT NULL CHECK (delta BETWEEN 0 AND 5),
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'reversed')),
  UNIQUE (principal_id, repo, src_slug, dst_slug, edge_kind, trace_seq)
) STRICT;

CREATE INDEX credits_by_node ON credits (principal_id, src_node, dst_node, edge_kind) WHERE state = 'active';
CREATE INDEX credits_by_confirmation ON credits (confirmation_id);
CREATE INDEX credits_by_trace ON credits (trace_seq);
