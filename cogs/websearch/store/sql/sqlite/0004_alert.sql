-- What the bot's owner was told of, so that each kind of trouble is told once an hour, however often the bot starts and
-- however many processes it has: `kind` is one of `Kind`, `place` the engine's name or empty, `told_at` in Unix seconds.
-- `lasts` is 1 until the trouble is over, which is told once, too.
CREATE TABLE alert (
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    told_at REAL NOT NULL,
    lasts INTEGER NOT NULL,
    PRIMARY KEY (kind, place)
) WITHOUT ROWID;
