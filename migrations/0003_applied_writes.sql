-- Write batches that arrived over a line, by the random id that each carries: one that is sent again because its answer
-- was lost is refused by the key, so nothing is applied twice.
CREATE TABLE applied_writes (
  id TEXT PRIMARY KEY,
  -- Milliseconds since the epoch, by the clock of the database server.
  applied_at INTEGER NOT NULL,
  -- 1: nothing was applied under this id, and nothing ever will be, should a late copy of the batch still arrive.
  fenced INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX applied_writes_by_time ON applied_writes (applied_at);
