-- Buttons under a reply must work after a restart: what they need is kept as one JSON text a session. Nothing looks
-- into it by SQL, so that a new field needs no migration. Sessions are deleted by their end, hence the index.
CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    expires REAL NOT NULL,
    payload BLOB NOT NULL
);

CREATE INDEX session_expires ON session (expires);
