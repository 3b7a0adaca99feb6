-- Moderators name sites that their server never shows, or that alone it shows: a row for each domain, which takes in all
-- below it, with who named it last and when, in Unix seconds. `allowed` is 1 where it's shown, 0 where it's blocked; a
-- domain is one or the other. Together with the settings they're held in memory by every process, so that they move the
-- same number.
CREATE TABLE site_rule (
    guild_id INTEGER NOT NULL,
    domain TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    made_by INTEGER NOT NULL,
    made_at REAL NOT NULL,
    PRIMARY KEY (guild_id, domain)
) WITHOUT ROWID;

CREATE TRIGGER site_rule_added AFTER INSERT ON site_rule BEGIN
    UPDATE setting_revision SET revision = revision + 1;
END;

CREATE TRIGGER site_rule_changed AFTER UPDATE ON site_rule BEGIN
    UPDATE setting_revision SET revision = revision + 1;
END;

CREATE TRIGGER site_rule_deleted AFTER DELETE ON site_rule BEGIN
    UPDATE setting_revision SET revision = revision + 1;
END;
