-- How each engine did when a process of the bot last noted it, so that `doctor`, another process, can tell, and also
-- after the bot has ended: `key` is the engine's name in the configuration, `name` the one that's shown, `noted_at` and
-- the other moments are in Unix seconds, `latency` is in seconds. `state` is one of `State`, `trouble` one of `Kind` or
-- NULL, with when it began and how many searches have failed since. `failure` is the key of the last error.
CREATE TABLE engine (
    key TEXT NOT NULL PRIMARY KEY,
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
    failure TEXT NOT NULL
) WITHOUT ROWID;

-- What each engine cost on a day, in millionths of a US dollar: each process adds what it spent. `day` counts as that of
-- a counter does and comes first, as it does there.
CREATE TABLE engine_cost (
    day INTEGER NOT NULL,
    key TEXT NOT NULL,
    cost INTEGER NOT NULL,
    PRIMARY KEY (day, key)
) WITHOUT ROWID;
