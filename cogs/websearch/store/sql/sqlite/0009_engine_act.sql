-- An engine is noted once for each thing that it's asked to do, since its pages or answers may fail while its searches
-- go well: `act` is one of `Act`. What was noted before was of its searches, or of the answers of a chat model, which
-- isn't searched with.
ALTER TABLE engine RENAME TO engine_before;

CREATE TABLE engine (
    key TEXT NOT NULL,
    act TEXT NOT NULL,
    name TEXT NOT NULL,
    noted_at REAL NOT NULL,
    is_open INTEGER NOT NULL,
    state TEXT NOT NULL,
    trouble TEXT,
    since REAL,
    failures INTEGER NOT NULL,
    latency REAL,
    succeeded REAL,
    failed REAL,
    failure TEXT NOT NULL,
    PRIMARY KEY (key, act)
) WITHOUT ROWID;

INSERT INTO engine
SELECT key, iif(key = 'chat', 'answer', 'search'), name, noted_at, is_open, state, trouble, since, failures, latency,
    succeeded, failed, failure
FROM engine_before;

DROP TABLE engine_before;
