-- Searches are counted by day: of a member, of a server and of all together, with what they cost in millionths of a US
-- dollar. `scope` says which (0 the past minute of a member, 1 a member, 2 a server, 3 all), `id` is the member's or the
-- server's, else 0. `day` counts days as Python's `date.toordinal` does and comes first, so that the rows of today lie
-- together, however many days are kept, and old days are deleted from the front. The past minute has day 0: `recent`
-- holds its searches in order of time, each as a comma, 13 digits of Unix milliseconds, a colon and a name.
CREATE TABLE counter (
    day INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    id INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    recent TEXT NOT NULL,
    PRIMARY KEY (day, scope, id)
) WITHOUT ROWID;
