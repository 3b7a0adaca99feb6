-- Members see how much is kept of theirs and have it deleted, so a session's owner stands beside its payload, and is
-- found without reading every payload. A reply can be put into the channel once, also by two processes or two presses
-- at the same moment: whoever does it claims it first, at a moment in Unix seconds, so that the claim of a process that
-- was killed ends. Sessions of before, which last a day, have no owner here and end by themselves.
ALTER TABLE session ADD COLUMN user_id INTEGER;
ALTER TABLE session ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN claimed REAL;

CREATE INDEX session_owner ON session (user_id);
