-- A member can keep chat bots from searching on their behalf until they say otherwise. That must outlive a restart, and
-- hold in every server: one row for each member who paused, deleted when they let it go on. `since` is in Unix seconds,
-- of when they first said so.
CREATE TABLE pause (
    user_id INTEGER NOT NULL PRIMARY KEY,
    since REAL NOT NULL
) WITHOUT ROWID;
