"""Hold the figures that Discord and we ourselves set: lengths and counts.

Lengths are in code points, which is what `len` counts and what Discord counts after trimming white space. Discord's
figures come from its published API document and its documentation of message components.
"""

from __future__ import annotations

from typing import Final

MESSAGE_CONTENT: Final = 2000
EMBEDS_TOTAL: Final = 6000
EMBED_TITLE: Final = 256
EMBED_DESCRIPTION: Final = 4096
EMBED_URL: Final = 2048
# What an option of a command takes.
TYPED: Final = 6000
SELECT_OPTIONS: Final = 25
SELECT_LABEL: Final = 100
SELECT_DESCRIPTION: Final = 100
COMMAND_NAME: Final = 32
COMMAND_DESCRIPTION: Final = 100
COMMANDS: Final = 100
MESSAGE_MENUS: Final = 5
CHOICES: Final = 25
CHOICE_NAME: Final = 100

# Ours. A longer query is a pasted text, not a question: engines cut it themselves or answer with noise.
QUERY: Final = 400
# The largest number that `/search results` takes; Exa's price covers ten results a search.
RESULTS: Final = 10
# At 400 characters each, a header and three results are two to three screens of a phone: more would be a wall of text.
RESULTS_PER_PAGE: Final = 3
# As many domains as a member would type by hand.
SITES: Final = 20
# Sites that a server can block or allow: a list that its moderators still keep an eye on.
SITE_RULES: Final = 100
# Exa's limit for the domains that a search excludes (facts of its API, `excludeDomains`).
BLOCKED_SITES: Final = 1200
# Places that are listed for differing from the one above, and the rest is counted; and what the name of a place is cut
# to after escaping. Discord takes 100 characters, few have thirty: a status with everything must fit into a message.
PLACES: Final = 4
PLACE_NAME: Final = 64
# What a title is cut to: three lines on a desktop, eight on a phone. An embed's title takes 256 after escaping.
TITLE: Final = 120
# What is kept of a page that is fetched, and of an answer: as much text as Exa sends of a page at most, and as an embed
# can show of an answer.
PAGE_TEXT: Final = 10_000
ANSWER: Final = 4000
# What a language model is given of a page: some 1,500 tokens of English, and 6,000 of Chinese, where small models hold
# 8,000 with all that was said before.
TOOL_TEXT: Final = 6000
# Pages that an answer names as its sources; engines send five to ten, and more would be a list nobody reads.
SOURCES: Final = 20
# What answers to searches may take in memory: some 3000 pages of five results, so that a bot which makes five searches
# a second still has all of the last ten minutes.
CACHE_BYTES: Final = 16 * 1024 * 1024
# The most of one answer that is read, decompressed.
BODY_BYTES: Final = 4 * 1024 * 1024
# What somebody typed is shown this long where it's told that it can't be taken.
ECHO: Final = 32
# Error messages of an engine are kept this long, for the owner's log alone.
DETAIL: Final = 200
