-- Embeddings of passages, by what made them. Vectors of different embedders are never compared.

CREATE TABLE embedders (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- `lsa`: latent semantics of this index, its terms are below; `endpoint`: a server that was configured.
  kind TEXT NOT NULL CHECK (kind IN ('lsa', 'endpoint')),
  dimensions INTEGER NOT NULL,
  -- How many passages there were when it was trained; 0 of an endpoint.
  trained_on INTEGER NOT NULL,
  -- `training`: its terms are being written; `filling`: its vectors are; `ready`: searches use it. The newest that is
  -- ready counts, so a new one takes the place of the one before it when its vectors are complete.
  state TEXT NOT NULL CHECK (state IN ('training', 'filling', 'ready'))
) STRICT;

-- What a term adds to the vector of a text: weight * scale * vector, whose elements are signed bytes.
CREATE TABLE lsa_terms (
  embedder_id INTEGER NOT NULL REFERENCES embedders (id),
  term TEXT NOT NULL,
  weight REAL NOT NULL,
  scale REAL NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (embedder_id, term)
) STRICT, WITHOUT ROWID;

-- One byte for each dimension (F8 of libSQL).
CREATE TABLE passage_vectors (
  embedder_id INTEGER NOT NULL REFERENCES embedders (id),
  passage_id INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (embedder_id, passage_id)
) STRICT, WITHOUT ROWID;

-- One bit for each dimension (F1BIT), made from the vector: small enough to be read whole for every search, which then
-- compares the nearest by their vectors. Beside it what most filters ask for, under the names it has in documents.
CREATE TABLE passage_signatures (
  embedder_id INTEGER NOT NULL,
  passage_id INTEGER NOT NULL,
  repo_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  signature BLOB NOT NULL,
  PRIMARY KEY (embedder_id, passage_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER passage_vectors_ai AFTER INSERT ON passage_vectors BEGIN
  INSERT INTO passage_signatures (embedder_id, passage_id, repo_id, type, signature)
  SELECT NEW.embedder_id, NEW.passage_id, d.repo_id, d.type, vector1bit(NEW.vector)
  FROM documents d WHERE d.id = NEW.passage_id >> 16;
END;

CREATE TRIGGER passage_vectors_ad AFTER DELETE ON passage_vectors BEGIN
  DELETE FROM passage_signatures WHERE embedder_id = OLD.embedder_id AND passage_id = OLD.passage_id;
END;

DROP TRIGGER passages_ad;
CREATE TRIGGER passages_ad AFTER DELETE ON passages BEGIN
  DELETE FROM passages_nat WHERE rowid = OLD.id;
  DELETE FROM passages_code WHERE rowid = OLD.id;
  DELETE FROM passage_vectors WHERE embedder_id IN (SELECT id FROM embedders) AND passage_id = OLD.id;
END;
