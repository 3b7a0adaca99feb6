-- What moderators have set, a row for each place that has settings of its own: whether searching is on for good
-- (`lasting`), whether it's on for a time (`timed`, until `timed_until`), whether replies are `private`; each with who
-- said so and when, in Unix seconds, and NULL where the place follows the one above. `kind` is one of `PlaceKind`: the
-- first channel of an old server has the server's own id. `parent_id` is the channel of a thread, which takes it along.
CREATE TABLE setting (
    guild_id INTEGER NOT NULL,
    place_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('thread', 'channel', 'category', 'server')),
    parent_id INTEGER,
    lasting INTEGER,
    lasting_by INTEGER,
    lasting_at REAL,
    timed INTEGER,
    timed_by INTEGER,
    timed_at REAL,
    timed_until REAL,
    private INTEGER,
    private_by INTEGER,
    private_at REAL,
    PRIMARY KEY (guild_id, place_id, kind)
) WITHOUT ROWID;

-- Every process holds all settings in memory and looks here once a second for a change by another one: a number that
-- settings alone move, so that the writes of counters and sessions cost no reading.
CREATE TABLE setting_revision (revision INTEGER NOT NULL);

INSERT INTO setting_revision (revision) VALUES (0);

CREATE TRIGGER setting_added AFTER INSERT ON setting BEGIN
    UPDATE setting_revision SET revision = revision + 1;
END;

CREATE TRIGGER setting_changed AFTER UPDATE ON setting BEGIN
    UPDATE setting_revision SET revision = revision + 1;
END;

CREATE TRIGGER setting_deleted AFTER DELETE ON setting BEGIN
    UPDATE setting_revision SET revision = revision + 1;
END;

-- Servers that the bot has left, and when, in Unix seconds: what is kept of them is deleted after a time of grace.
CREATE TABLE departure (
    guild_id INTEGER NOT NULL PRIMARY KEY,
    left_at REAL NOT NULL
);

CREATE INDEX departure_left_at ON departure (left_at);
