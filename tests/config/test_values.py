"""Hold what each key takes, and what is said of anything else."""

from __future__ import annotations

import dataclasses
import itertools
import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import keys
from cogs.websearch.config import BACKENDS, KEYS, Config
from cogs.websearch.errors import ConfigError, InvalidValue, KeyNeeded, UnknownKey
from cogs.websearch.i18n import Words
from cogs.websearch.wording import explain

SECRET = "3f8a7c1e-52d4-4b6f-9a0e-7d1c2b3a4f5e"  # noqa: S105 - made up, in the shape of Exa's
TOKEN = "MTA5MjQ1NjE2ODk3NzUyMDY0MA.GhIjKl.mNoPqRsTuVwXyZ012345678901234567890AB"  # noqa: S105 - made up, in the shape of Discord's


def refusal(mapping: dict[str, object], **environment: str) -> InvalidValue:
    """Return the error that a mapping brings."""
    with pytest.raises(InvalidValue) as caught:
        Config.from_mapping(mapping, env=environment, path="config.toml")
    return caught.value


def test_defaults() -> None:
    """CFG-01: an empty mapping gives the documented defaults, with the search switched off."""
    config = Config.from_mapping({}, env={})
    assert config == Config()
    assert config.enable_web_search is False
    assert config.web_backend == "exa"
    assert config.exa_base_url == "https://api.exa.ai"
    assert config.exa_search_type == "auto"
    assert config.web_snippet_chars == 400
    assert config.web_results == 5
    assert config.web_timeout_s == 15
    assert config.web_session_hours == 24
    assert config.web_database == "websearch.db"
    assert config.web_user_install is False
    assert (config.web_per_minute, config.web_daily_per_user) == (6, 30)
    assert (config.web_daily_per_guild, config.web_daily_budget_usd) == (None, None)
    assert (config.web_timezone, config.web_retention_days) == ("UTC", 90)
    assert config.web_cache_minutes == 10
    assert config.web_block_sites == ()
    assert (config.web_fallbacks, config.web_pace_per_second) == ((), 8)
    assert config.local_documents is None


def test_every_key_is_read() -> None:
    """CFG-01: each key reaches the attribute that is named like it."""
    given_: dict[str, object] = {
        "enable-web-search": True,
        "web-backend": "local",
        "web-fallbacks": ["exa"],
        "web-pace-per-second": 9,
        "web-results": 7,
        "web-snippet-chars": 50,
        "web-block-sites": ["Example.COM", "example.com", "münchen.de"],
        "web-safe-search": "except-age-restricted",
        "web-user-install": True,
        "web-timeout-s": 2.5,
        "web-per-minute": 1,
        "web-daily-per-user": 2,
        "web-daily-per-guild": 3,
        "web-daily-budget-usd": 4.5,
        "web-timezone": "Europe/Berlin",
        "web-cache-minutes": 0,
        "web-retention-days": 7,
        "web-session-hours": 1,
        "web-default-on": False,
        "web-guild-grace-days": 8,
        "web-database": "/var/lib/bot/search.db",
        "web-alert-channel": " 1092456168977520640 ",
        "exa-api-key": f" {SECRET}\n",
        "exa-base-url": "http://127.0.0.1:8080/",
        "exa-search-type": "deep",
        "tavily-api-key": "tvly-made-up",
        "tavily-base-url": "http://localhost:1/",
        "jina-api-key": "jina_made_up",
        "jina-search-url": "http://127.0.0.2/",
        "jina-reader-url": "http://[::1]:8080",
        "searxng-url": "http://searxng:8080/search-here/",
        "web-answer-backend": "chat",
        "web-answer-timeout-s": 60,
        "chat-base-url": "http://localhost:8000/v1/",
        "chat-model": " a/model:online ",
        "chat-api-key": "sk-made-up",
        "local-documents": str(Path(__file__).parent),
        "local-base-url": "https://example.com/docs/",
        "discord-token": TOKEN,
    }
    assert given_.keys() == KEYS.keys()
    config = Config.from_mapping(given_, env={})
    assert dataclasses.asdict(config) == {
        "enable_web_search": True,
        "web_backend": "local",
        "web_fallbacks": ("exa",),
        "web_pace_per_second": 9,
        "web_results": 7,
        "web_snippet_chars": 50,
        "web_block_sites": ("example.com", "xn--mnchen-3ya.de"),
        "web_safe_search": "except-age-restricted",
        "web_user_install": True,
        "web_timeout_s": 2.5,
        "web_per_minute": 1,
        "web_daily_per_user": 2,
        "web_daily_per_guild": 3,
        "web_daily_budget_usd": 4.5,
        "web_timezone": "Europe/Berlin",
        "web_cache_minutes": 0,
        "web_retention_days": 7,
        "web_session_hours": 1,
        "web_default_on": False,
        "web_guild_grace_days": 8,
        "web_database": "/var/lib/bot/search.db",
        "web_alert_channel": 1092456168977520640,
        "exa_api_key": SECRET,
        "exa_base_url": "http://127.0.0.1:8080",
        "exa_search_type": "deep",
        "tavily_api_key": "tvly-made-up",
        "tavily_base_url": "http://localhost:1",
        "jina_api_key": "jina_made_up",
        "jina_search_url": "http://127.0.0.2",
        "jina_reader_url": "http://[::1]:8080",
        "searxng_url": "http://searxng:8080/search-here",
        "web_answer_backend": "chat",
        "web_answer_timeout_s": 60.0,
        "chat_base_url": "http://localhost:8000/v1",
        "chat_model": "a/model:online",
        "chat_api_key": "sk-made-up",
        "local_documents": Path(__file__).parent,
        "local_base_url": "https://example.com/docs",
        "discord_token": TOKEN,
    }


def test_a_configuration_is_frozen() -> None:
    """CFG-13: no attribute can be set."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().web_results = 3  # type: ignore[misc] # that's what must fail


@pytest.mark.parametrize(("least", "most", "name"), [(1, 10, "web-results"), (50, 1000, "web-snippet-chars")])
def test_ranges_of_whole_numbers(least: int, most: int, name: str) -> None:
    """CFG-04: both ends of a range are taken, what lies beyond is not, and the error names the range."""
    attribute = name.replace("-", "_")
    for value in (least, most):
        assert getattr(Config.from_mapping({name: value}, env={}), attribute) == value
    for value in (least - 1, most + 1, -(10**30)):
        error = refusal({name: value})
        assert (error.name, error.least, error.most, error.path) == (name, least, most, "config.toml")


@pytest.mark.parametrize("value", [True, "5", 5.0, None, [5], {"a": 1}, datetime(2026, 1, 1, tzinfo=UTC), b"5"])
def test_a_whole_number_is_nothing_else(value: object) -> None:
    """CFG-04: neither true nor a text nor a fraction is taken for a whole number."""
    assert refusal({"web-results": value}).expected == "whole-number"


def test_a_channel_is_told_by_its_id() -> None:
    """CFG-04, ALR-07: a channel's id is taken as a number and as a text, and a blank text is none."""
    for value in (123456789012345678, "123456789012345678", " 123456789012345678\n"):
        assert Config.from_mapping({"web-alert-channel": value}, env={}).web_alert_channel == 123456789012345678
    assert Config.from_mapping({"web-alert-channel": " "}, env={}).web_alert_channel is None


@pytest.mark.parametrize(
    "value",
    [True, 0, 42, -123456789012345678, 2**63, 1e17, "#general", "<#123456789012345678>", "\uff11" * 18, None, []],
)
def test_a_channel_is_nothing_but_an_id(value: object) -> None:
    """CFG-04, ALR-07: neither a name nor a number that no channel has is taken."""
    assert refusal({"web-alert-channel": value}).expected == "channel"


@pytest.mark.parametrize("value", [0, 1, "true", "", None, []])
def test_a_flag_is_true_or_false(value: object) -> None:
    """CFG-04: nothing but true and false is taken for a switch."""
    assert refusal({"enable-web-search": value}).expected == "flag"


@pytest.mark.parametrize(
    ("backend", "key", "variable"),
    [
        ("exa", "exa-api-key", "EXA_API_KEY"),
        ("tavily", "tavily-api-key", "TAVILY_API_KEY"),
        ("jina", "jina-api-key", "JINA_API_KEY"),
        ("searxng", "searxng-url", ""),
    ],
)
def test_what_an_engine_needs(backend: str, key: str, variable: str) -> None:
    """CFG-07: an engine that is switched on, or a fallback, without what it can't do without names that key."""
    for chosen in ({"web-backend": backend}, {"web-backend": "local", "web-fallbacks": [backend]}):
        with pytest.raises(KeyNeeded) as caught:
            Config.from_mapping({"enable-web-search": True, **chosen}, env={})
        assert (caught.value.name, caught.value.variable) == (key, variable)
    assert not Config.from_mapping({"web-backend": backend}, env={}).enable_web_search


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.5, 121, True, "15"])
def test_seconds_are_a_number_in_range(value: object) -> None:
    """CFG-04: a time limit is a number from 1 to 120, and NaN is in no range."""
    error = refusal({"web-timeout-s": value})
    assert (error.expected, error.least, error.most) == ("number", 1, 120)


@pytest.mark.parametrize("value", ["bing", "Exa", "", 3, ["exa"]])
def test_a_choice_names_what_may_stand_there(value: object) -> None:
    """CFG-04: an unknown backend is an error that lists the known ones."""
    assert refusal({"web-backend": value}).choices == BACKENDS
    assert {"exa", "local"} < set(BACKENDS)


@pytest.mark.parametrize(
    "value",
    [
        "api.exa.ai",
        "ftp://api.exa.ai",
        "https://",
        "https:///path",
        "https://user:pw@api.exa.ai",
        "https://api.exa.ai/?a=b",
        "https://api.exa.ai/#a",
        "https://api.exa.ai:99999",
        "https://[::1",
        "https://api exa.ai",
        "https://api.exa.ai/\n",
        "https://exä.ai",
        "javascript:alert(1)",
        "",
        7,
    ],
)
def test_an_address_is_http_with_a_host(value: object) -> None:
    """CFG-04: what is no plain http or https address is refused."""
    assert refusal({"exa-base-url": value}).expected == "guarded-url"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8080", "127.9.9.9", "[::1]:80"])
def test_plain_http_is_for_this_machine(host: str) -> None:
    """CFG-12: http is taken for loopback hosts."""
    assert Config.from_mapping({"exa-base-url": f"http://{host}"}, env={}).exa_base_url == f"http://{host}"


@pytest.mark.parametrize("host", ["api.exa.ai", "10.0.0.1", "localhost.example.com", "0.0.0.0", "[::2]"])  # noqa: S104 - an address to be refused
def test_a_key_travels_encrypted(host: str) -> None:
    """CFG-12: http is refused for any other host, where the key could be read on its way."""
    assert refusal({"exa-base-url": f"http://{host}"}).expected == "guarded-url"


@pytest.mark.parametrize("host", ["localhost:8000", "10.0.0.1", "intranet", "[::1]", "docs.internal"])
def test_documents_are_published_where_anybody_may_look(host: str) -> None:
    """CFG-04, LOC-12: an address that no result may link to is refused by file and key, and the error says why."""
    error = refusal({"local-base-url": f"https://{host}/docs"})
    assert (error.name, error.expected, error.path) == ("local-base-url", "public-url", "config.toml")
    assert "a public address" in explain(error, Words())
    public = "http://docs.example.com/guide"
    assert Config.from_mapping({"local-base-url": public}, env={}).local_base_url == public


@pytest.mark.parametrize("name", ["exa-api-key", "discord-token"])
@pytest.mark.parametrize(
    "value", ["the key of https://exa.ai", "abcdefg", "sesame\topen it", "küche-und-bad", 12345678]
)
def test_a_secret_is_one_long_word(name: str, value: object) -> None:
    """CFG-04: what holds spaces, is shorter than any key, or is no plain text was pasted wrong, and is not shown."""
    error = refusal({name: value})
    assert (error.expected, error.least) == ("secret", 8)
    assert str(value) not in explain(error, Words())
    assert "at least 8" in explain(error, Words())


@pytest.mark.parametrize("name", ["exa-api-key", "discord-token"])
@pytest.mark.parametrize(
    "value",
    [
        *(
            "your-key-from-exa.ai",
            "your-token-from-discord",
            " YOUR_API_KEY ",
            "<your-token>",
            "'your-key-from-exa.ai'",
        ),
        *("your key from https://exa.ai", "your-tavily-key"),
    ],
)
def test_a_placeholder_is_no_secret(name: str, value: str) -> None:
    """CFG-15: what an example has in a secret's place is told as that, from the file and from the environment."""
    error = refusal({name: value})
    said = f"{name} is the placeholder of an example, but takes the one that you were given."
    assert explain(error, Words()) == f"config.toml: {said}"
    with pytest.raises(InvalidValue) as caught:
        Config.from_mapping({}, env={KEYS[name].variable: value})
    assert "the placeholder of an example" in explain(caught.value, Words())


@pytest.mark.parametrize("value", ["yourself-and-i", "sk-your-key", "youre-a-key-1"])
def test_what_only_looks_like_one_is_a_secret(value: str) -> None:
    """CFG-15: a secret isn't refused for a few letters that it shares with an example."""
    assert Config.from_mapping({"exa-api-key": value}, env={}).exa_api_key == value


@pytest.mark.parametrize(("value", "scheme"), [("Bot Q9x4Zt7Kp2Vw8", "Bot"), ("bearer  Q9x4Zt7Kp2Vw8", "Bearer")])
def test_a_secret_stands_alone(value: str, scheme: str) -> None:
    """CFG-16: a token that was copied with its scheme in front is told so, in the environment as in the file."""
    said = f"what follows “{scheme}” alone: write it without “{scheme}”."
    in_file = explain(refusal({"discord-token": value}), Words())
    assert in_file == f"config.toml: discord-token is a text, but takes {said}"
    with pytest.raises(InvalidValue) as caught:
        Config.from_mapping({}, env={"DISCORD_TOKEN": value})
    assert explain(caught.value, Words()) == f"The environment: DISCORD_TOKEN is a text, but takes {said}"


@pytest.mark.parametrize("value", ["no domain", "http://[", "", "localhost", 3, None, ["a.com"]])
def test_a_blocked_site_is_a_domain(value: object) -> None:
    """CFG-04: each entry must be a domain, and the one that isn't is shown."""
    assert refusal({"web-block-sites": ["example.com", value]}).expected == "domain"


@pytest.mark.parametrize(
    "value", ["example.com", {"example.com": 1}, 1, None, [f"{n}.example.com" for n in range(1201)]]
)
def test_blocked_sites_are_a_list(value: object) -> None:
    """CFG-04: blocked sites are a list of no more than an engine takes."""
    error = refusal({"web-block-sites": value})
    assert (error.expected, error.most) == ("domains", 1200)


@pytest.mark.parametrize("value", ["missing", "~nobody-of-that-name/x", "a\0b", "x" * 5000, "\ud800", 3, __file__])
def test_documents_are_a_folder(value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CFG-04: what is no folder is refused, whatever the path holds."""
    monkeypatch.chdir(tmp_path)
    assert refusal({"local-documents": value}).expected == "folder"


@pytest.mark.parametrize("value", ["", "  ", 3, None, "a\0b", "\ud800"])
def test_a_database_is_a_path(value: object) -> None:
    """CFG-04: a database is named by a path."""
    assert refusal({"web-database": value}).expected == "database"


def test_memory_is_a_database() -> None:
    """CFG-04: `:memory:` is no path and stays as it is."""
    assert Config.from_mapping({"web-database": ":memory:"}, env={}, path="/a/config.toml").web_database == ":memory:"


@pytest.mark.parametrize("url", ["postgresql://bot:hunter2@db/search", "postgres://db", "mysql://db", "file://x"])
def test_other_databases_are_refused_without_their_address(url: str) -> None:
    """CFG-14: another database is refused in a sentence of its own, and its password is not repeated."""
    error = refusal({"web-database": url})
    assert (error.expected, error.found) == ("database-file", "text")
    assert "hunter2" not in explain(error, Words())


def test_the_table_wins_over_the_root() -> None:
    """CFG-02: with a table, keys at the root are the host's own."""
    host: dict[str, object] = {"web-results": "theirs", "discord-token": 5, "websearch": {"web-results": 3}}
    assert Config.from_mapping(host, env={}).web_results == 3


def test_a_hosts_keys_at_the_root_are_left_alone() -> None:
    """CFG-02: at the root only what starts like our keys is ours."""
    host = {"prefix": "!", "database": {"url": "x"}, "local-time": 1, 5: 6, "enable-websearch": 1, "web-results": 3}
    assert Config.from_mapping(host, env={}).web_results == 3  # type: ignore[arg-type] # a mapping of any keys


@pytest.mark.parametrize("table", [[{"web-results": 3}], "text", None, True])
def test_a_table_that_is_none_is_an_error(table: object) -> None:
    """CFG-02: where `websearch` is no table, its keys would be silently left out."""
    assert refusal({"websearch": table}).expected == "table"
    assert refusal(table).expected == "table"  # type: ignore[arg-type] # a host may hand over anything


@pytest.mark.parametrize(
    ("mapping", "name", "nearest"),
    [
        ({"web-result": 5}, "web-result", "web-results"),
        ({"exa-key": SECRET}, "exa-key", "exa-api-key"),
        ({"web-kaleidoscope": 1}, "web-kaleidoscope", ""),
        ({"websearch": {"enable-websearch": True}}, "enable-websearch", "enable-web-search"),
        ({"websearch": {"ENABLE_WEB_SEARCH": True}}, "ENABLE_WEB_SEARCH", "enable-web-search"),
        ({"websearch": {"token": TOKEN}}, "token", ""),
        ({"websearch": {7: 1}}, "number", ""),
    ],
)
def test_an_unknown_key_names_the_nearest(mapping: dict[str, object], name: str, nearest: str) -> None:
    """CFG-03: an unknown key is an error that names it and the key that was probably meant."""
    with pytest.raises(UnknownKey) as caught:
        Config.from_mapping(mapping, env={}, path="config.toml")
    assert (caught.value.name, caught.value.nearest, caught.value.path) == (name, nearest, "config.toml")


def test_a_secret_comes_from_the_environment() -> None:
    """CFG-06: where the file has no key, or a blank one, the environment's is taken; the file's own wins."""
    environment = {"EXA_API_KEY": f"{SECRET}\n", "DISCORD_TOKEN": TOKEN}
    config = Config.from_mapping({"exa-api-key": "  "}, env=environment)
    assert (config.exa_api_key, config.discord_token) == (SECRET, TOKEN)
    assert Config.from_mapping({"exa-api-key": "mine-alone"}, env=environment).exa_api_key == "mine-alone"


def test_exa_needs_a_key_while_the_search_is_on() -> None:
    """CFG-07: without a key Exa can't be used, and the error names the variable too; what is off needs nothing."""
    with pytest.raises(KeyNeeded) as caught:
        Config.from_mapping({"enable-web-search": True}, env={"EXA_API_KEY": " "})
    assert (caught.value.name, caught.value.variable) == ("exa-api-key", "EXA_API_KEY")
    assert Config.from_mapping({"enable-web-search": False}, env={}).exa_api_key == ""
    assert Config.from_mapping({"enable-web-search": True}, env={"EXA_API_KEY": SECRET}).enable_web_search
    assert Config.from_mapping({"enable-web-search": True, "web-backend": "local"}, env={}).enable_web_search


def test_documents_and_their_site_need_each_other(tmp_path: Path) -> None:
    """CFG-07: a folder without a site, and a site without a folder, can't be searched."""
    local: dict[str, object] = {"enable-web-search": True, "web-backend": "local"}
    with pytest.raises(KeyNeeded, check=lambda error: error.name == "local-base-url"):
        Config.from_mapping({**local, "local-documents": str(tmp_path)}, env={})
    with pytest.raises(KeyNeeded, check=lambda error: error.name == "local-documents"):
        Config.from_mapping({**local, "local-base-url": "https://example.com"}, env={})


@pytest.mark.parametrize("secret", [SECRET, TOKEN, f"https://u:{SECRET}@example.com", f"postgresql://u:{SECRET}@db/x"])
@pytest.mark.parametrize("name", [*KEYS, "exa-key", "web-key", "websearch"])
def test_a_secret_in_the_wrong_place_is_not_shown(name: str, secret: str) -> None:
    """CFG-05: a secret is in no error, whichever key it was put under, and in no `repr`."""
    for value in (secret, f"{secret}\x07", [secret], {secret: secret}):
        try:
            config = Config.from_mapping({name: value}, env={}, path="config.toml")
        except ConfigError as error:
            shown = f"{error!r} {error} {explain(error, Words())}"
        else:
            shown = repr(config) if name in {"exa-api-key", "discord-token"} else ""
        assert secret not in shown
        assert not re.search(r"3f8a7c1e|MTA5Mj", shown)


SHAPES = ("Zq7xPk2mWv9tRb4nLc8s", "sesameopenup", "k-e-y-1", "sk_live/x")
ADDRESSES = (
    "https://api.exa.ai/?k={}",
    "https://api.exa.ai/search#{}",
    "https://{}@api.exa.ai",
    "https://u:{}@api.exa.ai/x",
    "http://api.exa.ai/v1/{}",
    "ftp://api.exa.ai/{}",
    "api.exa.ai/?k={}",
    "https://api.exa.ai:99999/{}",
    "https://[::1/{}",
)


@pytest.mark.parametrize("name", [name for name, key in KEYS.items() if not isinstance(key.kind, keys.Secret)])
def test_an_address_shows_its_host_alone(name: str) -> None:
    """CFG-05: of an address that's refused, whatever the key that it was put under, no more than its start is shown."""
    # Each refusal of a zone reads the names of all from many folders.
    some = slice(None, None, 7) if isinstance(KEYS[name].kind, keys.Zone) else slice(None)
    for address, secret in list(itertools.product(ADDRESSES, SHAPES))[some]:
        for stored in (address.format(secret), [address.format(secret)]):
            shown = ""
            try:
                Config.from_mapping({name: stored}, env={}, path="config.toml")
            except ConfigError as error:
                shown = f"{error!r} {explain(error, Words())}"
            assert secret not in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("https://api.exa.ai/?k=v", '"https://api.exa.ai/…"'),
        ("http://api.exa.ai/", '"http://api.exa.ai"'),
        ("http://[::2]/x", '"http://[::2]/…"'),
        ("https://Zq7xPk2mWv9tRb4nLc8s/?k=v", "text"),
    ],
)
def test_the_host_of_an_address_is_shown(value: str, shown: str) -> None:
    """CFG-04, CFG-05: whoever reads the error can tell which address it was."""
    assert refusal({"exa-base-url": value}).found == shown


def test_a_bad_secret_in_the_environment_names_the_variable() -> None:
    """CFG-05: a key with a control character in it is refused by the variable's name, unseen."""
    error = refusal({}, EXA_API_KEY=f"{SECRET}\x07")
    assert (error.name, error.found) == ("EXA_API_KEY", "text")
    assert explain(error, Words()).startswith("The environment: EXA_API_KEY is a text")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("bing", '"bing"'),
        (" ", "blank"),
        ("example.com/a b", '"example.com/a b"'),
        (3, "3"),
        (2.5, "2.5"),
        (True, "true"),
    ],
)
def test_what_is_found_is_shown(value: object, shown: str) -> None:
    """CFG-04: a value that can't be a secret is shown as the file writes it."""
    assert refusal({"web-backend": value}).found == shown


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.datetimes()
    | st.times()
    | st.integers(4000, 5000).map(lambda digits: 10**digits)
    | st.sampled_from(["exa", "local", "https://example.com", "~", "/", ".", ":memory:"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)
NAMES = st.sampled_from([*KEYS, "websearch", "web-", "exa-x"]) | st.text(max_size=20)


@settings(max_examples=300, deadline=None)
@given(
    mapping=st.dictionaries(NAMES, VALUES | st.dictionaries(NAMES, VALUES, max_size=6), max_size=8),
    environment=st.dictionaries(st.sampled_from(["EXA_API_KEY", "DISCORD_TOKEN"]), st.text()),
)
def test_any_mapping_gives_a_configuration_or_an_error(mapping: dict[str, object], environment: dict[str, str]) -> None:
    """CFG-10: whatever a mapping holds, it gives a configuration or a `ConfigError` that has words."""
    try:
        config = Config.from_mapping(mapping, env=environment)
    except ConfigError as error:
        sentence = explain(error, Words())
    else:
        sentence = f"{config.web_backend} is chosen."
    assert sentence.endswith(".")
    assert len(sentence) < 300


@settings(max_examples=100, deadline=None)
@given(mapping=st.dictionaries(st.integers() | st.none() | st.booleans() | st.tuples(st.text()), VALUES, max_size=4))
def test_keys_of_any_type_are_told_apart(mapping: dict[object, object]) -> None:
    """CFG-10: at the root keys that are no text are the host's; in the table they're unknown."""
    assert Config.from_mapping(mapping, env={}) == Config()  # type: ignore[arg-type] # a host may hand over anything
    if mapping:
        with pytest.raises(UnknownKey):
            Config.from_mapping({"websearch": mapping}, env={})


@pytest.mark.parametrize(
    ("value", "nearest"),
    [
        ("Europe/Berlim", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("utc", "UTC"),
        ("../etc/passwd", "UTC"),
        ("/usr/share/zoneinfo/UTC", "UTC"),
        ("", "UTC"),
        (5, "UTC"),
        ("Europe/Ber\0lin", "Europe/Berlin"),
    ],
)
def test_an_unknown_zone_names_the_nearest(value: object, nearest: str) -> None:
    """MET-17, CFG-04: a zone that isn't in the database is refused, and the one that was probably meant is named."""
    error = refusal({"web-timezone": value})
    assert (error.expected, error.choices) == ("zone", (nearest,))
    assert explain(error, Words()).endswith(f"but takes the name of a time zone such as {nearest}.")


@settings(max_examples=50, deadline=None)
@given(value=st.text(max_size=30))
def test_any_text_is_a_zone_or_an_error(value: str) -> None:
    """MET-17, CFG-10: whatever is written there, it's a zone that days can be told by, or an error that names one."""
    try:
        name = Config.from_mapping({"web-timezone": value}, env={}).web_timezone
    except InvalidValue as error:
        (name,) = error.choices
    assert ZoneInfo(name).key == name
