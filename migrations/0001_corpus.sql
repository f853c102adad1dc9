-- The corpus: documents, their passages, two full-text indexes, and how far ingestion came.

CREATE TABLE repos (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE COLLATE NOCASE,
  -- Branch that pages link to; null where it is not known.
  default_branch TEXT,
  -- Commit whose docs are indexed; null where they did not come from git.
  head_commit TEXT,
  -- RFC 3339, when ingestion last looked at this repository to the end.
  indexed_at TEXT
) STRICT;

-- One artefact at its indexed version. Bodies live apart, so that filters and scans read little.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repos (id),
  type TEXT NOT NULL,
  -- Canonical reference, or a digest where the identity is not known.
  key TEXT NOT NULL UNIQUE,
  -- What the document folds into in an answer.
  entity TEXT NOT NULL,
  -- Of the indexed version; null where the identity is not known.
  source_id TEXT,
  version TEXT NOT NULL,
  visibility TEXT NOT NULL DEFAULT 'database',
  number INTEGER,
  comment_id TEXT,
  review_id TEXT,
  tag TEXT,
  path TEXT,
  commit_sha TEXT,
  line INTEGER,
  in_reply_to TEXT,
  title TEXT NOT NULL,
  state TEXT,
  labels TEXT NOT NULL DEFAULT '[]',
  milestone TEXT,
  assignees TEXT NOT NULL DEFAULT '[]',
  author TEXT,
  url TEXT,
  -- Milliseconds since the epoch.
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Git blob the text came from.
  blob TEXT,
  -- SHA-256 over everything that is stored and searched, with the version of the indexing rules.
  content_hash TEXT NOT NULL
) STRICT;

CREATE INDEX documents_by_time ON documents (updated_at DESC, id);
CREATE INDEX documents_by_repo ON documents (repo_id, type, updated_at DESC);
CREATE INDEX documents_by_entity ON documents (entity);
CREATE INDEX documents_by_source ON documents (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX documents_by_commit ON documents (commit_sha) WHERE commit_sha IS NOT NULL;

CREATE TABLE bodies (
  document_id INTEGER PRIMARY KEY REFERENCES documents (id),
  body TEXT NOT NULL,
  -- Searched with the body but no part of it: the commit message of a diff.
  preface TEXT NOT NULL
) STRICT;

-- A piece of a body. Its id is document_id * 65536 + ordinal, which is the rowid of its full-text row.
CREATE TABLE passages (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  -- JSON array of headings, outermost first.
  heading_path TEXT NOT NULL,
  -- Code points of the body before the passage, and in it.
  start INTEGER NOT NULL,
  length INTEGER NOT NULL,
  first_line INTEGER,
  last_line INTEGER
) STRICT;

CREATE INDEX passages_by_document ON passages (document_id);

-- Prose, segmented where its script has no spaces between words.
CREATE VIRTUAL TABLE passages_nat USING fts5 (
  title, heading, reference, body,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE passages_nat_vocab USING fts5vocab (passages_nat, 'row');

-- Code and patches: substrings of three characters and more.
CREATE VIRTUAL TABLE passages_code USING fts5 (
  title, heading, reference, body,
  content = '', contentless_delete = 1, tokenize = 'trigram'
);
CREATE VIRTUAL TABLE passages_code_vocab USING fts5vocab (passages_code, 'row');

-- What a batch adds becomes one segment (hashsize in bytes), and segments are merged by sixteens: a first import writes
-- the index about twice instead of five times.
INSERT INTO passages_nat (passages_nat, rank) VALUES ('hashsize', 16777216), ('automerge', 16);
INSERT INTO passages_code (passages_code, rank) VALUES ('hashsize', 16777216), ('automerge', 16);

CREATE TRIGGER passages_ad AFTER DELETE ON passages BEGIN
  DELETE FROM passages_nat WHERE rowid = OLD.id;
  DELETE FROM passages_code WHERE rowid = OLD.id;
END;

CREATE TRIGGER documents_ad AFTER DELETE ON documents BEGIN
  DELETE FROM passages WHERE document_id = OLD.id;
  DELETE FROM bodies WHERE document_id = OLD.id;
END;

-- How far ingestion came, per source (a repository or an export file) and surface. Moved in the transaction that
-- stores what it covers.
CREATE TABLE watermarks (
  source TEXT NOT NULL,
  surface TEXT NOT NULL,
  -- JSON; its shape belongs to the surface.
  value TEXT NOT NULL,
  -- 0 while a run is on its way, or was interrupted.
  complete INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  -- Who is at work on it, and until when (seconds since the epoch, by the clock of the database) nobody else is.
  owner TEXT,
  leased_until INTEGER,
  PRIMARY KEY (source, surface)
) STRICT, WITHOUT ROWID;
