-- What of a project on GitHub is known beside its documents: with it a number of items at GitHub tells whether one is gone.

-- Comments that are not indexed (bots, a few characters), by the key that their documents would have.
CREATE TABLE left_out (
  key TEXT PRIMARY KEY,
  repo TEXT NOT NULL,
  type TEXT NOT NULL,
  number INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX left_out_by_thread ON left_out (repo, number, type);

-- Threads as they were read.
CREATE TABLE remote_threads (
  repo TEXT NOT NULL,
  number INTEGER NOT NULL,
  -- How many comments GitHub counted; null where it was not asked.
  comments INTEGER,
  -- Of a pull request: its updated_at (milliseconds) when its reviews were read.
  reviewed INTEGER,
  PRIMARY KEY (repo, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX documents_by_number ON documents (repo_id, number, type) WHERE number IS NOT NULL;
