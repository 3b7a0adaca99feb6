-- Members see how much is kept of theirs and have it deleted, so a session's owner stands beside its payload, and is
-- found without reading every payload. A reply can be put into the channel once, also by two processes or two presses
-- at the same moment: that it was is a column, which one statement claims. Sessions of before, which last a day, have
-- no owner here and end by themselves.
ALTER TABLE session ADD COLUMN user_id INTEGER;
ALTER TABLE session ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;

CREATE INDEX session_owner ON session (user_id);
