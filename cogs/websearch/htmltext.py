"""Turn HTML into the text that it shows: entities decoded, comments, scripts and tags gone.

Search engines send text, Markdown and scraps of HTML without saying which. So only what is certainly HTML goes: a tag
is one with a known element's name, written the way tags are. `<T>`, `List<int>`, `a < b` and `<-` are text.
Every pattern is linear: none can look past the next `<` except those for the ends of comments, scripts and styles,
which fail once at most for each of the three.
"""

from __future__ import annotations

import html
import re
from html.entities import html5
from typing import Final

from .patterns import late_re

# An ampersand that was encoded again and again, such as &amp;amp;lt;.
_AGAIN: Final = "(?:amp|AMP|#0*+38|#[xX]0*+26);"
_AMPERSANDS: Final = late_re(f"&(?:{_AGAIN})++")
# HTML also decodes some names without a semicolon; that would turn `?a=1&copy=2` into a copyright sign.
# The glance at what follows halves what a page of nothing but ampersands takes.
_ENTITY: Final = late_re(r"&(?=[#A-Za-z])(?:#([0-9]++);?|#[xX]([0-9a-fA-F]++);?|([A-Za-z][A-Za-z0-9]{1,31};))")
# U+10FFFF has this many digits in decimal.
_DIGITS: Final = 7

# The longest name that HTML knows has 32 characters, its semicolon included.
_HALF_ENTITY: Final = late_re(rf"&(?:{_AGAIN})*+[#A-Za-z0-9]{{0,32}}+\Z")

_HIDING: Final = late_re(r"<!--|<(script|style)(?=[ />])[^<>]*+>", re.IGNORECASE)
_HIDING_ENDS: Final = {
    "": late_re("--!?>"),
    "script": late_re(r"</script[^<>]*+>", re.IGNORECASE),
    "style": late_re(r"</style[^<>]*+>", re.IGNORECASE),
}

_INLINE_NAMES: Final = """
a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q rb rp rt rtc ruby s samp
small span strike strong sub sup time tt u var wbr
"""
_BLOCK_NAMES: Final = """
address applet area article aside audio base basefont bgsound blockquote body br button canvas caption center col
colgroup datalist dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3
h4 h5 h6 head header hgroup hr html iframe image img input legend li link main map marquee math menu menuitem meta meter
nav noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress script search
section select slot source style summary svg table tbody td template textarea tfoot th thead title tr track ul video xmp
"""
# Words that manuals put between angle brackets for what the reader fills in. Without attributes, and without an end tag
# further on, they are taken for that.
_FILLED_IN_NAMES: Final = """
address area audio base code data dir embed font frame iframe image input label link map menu meta meter object option
output param picture progress search section slot source summary table template time title track var video
"""
_INLINE: Final = frozenset(_INLINE_NAMES.split())
_BLOCK: Final = frozenset(_BLOCK_NAMES.split())
_FILLED_IN: Final = frozenset(_FILLED_IN_NAMES.split())
_KNOWN: Final = _INLINE | _BLOCK

# `<!DOCTYPE …>`, `<?xml … ?>`, a comment without an end, or something like a tag: its name, and what follows it. The
# first of what follows must be an attribute with a value, or one of those that stand alone, lest `a <b and c> d` go.
_TAG: Final = late_re(
    r"""
    <(?: ![A-Za-z\[][^<>]*+> | \?[A-Za-z][^<>]*+> | !--
     | /(?P<end>[A-Za-z][A-Za-z0-9]*+)[ ]?/?>
     | (?P<start>[A-Za-z][A-Za-z0-9]*+)
       (?: (?P<bare>[ ]?/?) >
         | [ /]++ (?: [A-Za-z_:@\-][\w:.@\-]*+ [ ]?=(?!=)
                    | (?:allowfullscreen|async|autoplay|checked|controls|default|defer|disabled|hidden|loop|multiple
                         |muted|noshade|novalidate|nowrap|open|readonly|required|reversed|selected)\b )
           (?> (?: [^<>"'] | "[^"<]*+" | '[^'<]*+' )*+ > | [^<>]*+ > )
       )
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What may be a tag that is cut off, from its `<` to where the text ends: its name, or part of it, and part of what may
# follow in `_TAG`.
_HALF_TAG: Final = late_re(
    r"""
    <(?: !-? | [!?][A-Za-z\[][^<>]*+
     | /?(?P<begun>[A-Za-z][A-Za-z0-9]*+)?
     | /?(?P<named>[A-Za-z][A-Za-z0-9]*+)
       (?: [ ]?/?
         | [ /]++ [A-Za-z_:@\-][\w:.@\-]*+ (?: [ ]?=(?!=) [^<>]*+ )?
         | [ /]++ (?:async|autoplay|checked|controls|default|defer|disabled|hidden|muted|nowrap|open|required)\b [^<>]*+
       )
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED: Final = late_re("= ?[\"']")
# A tag that was cut off began at most so many characters before, but for one that holds a value in quotes, as those
# with pictures in them do. Else a comparison, such as `i<n`, would take all that follows it.
HALF_TAG_MOST: Final = 200
_END_TAG: Final = late_re(r"</([A-Za-z][A-Za-z0-9]*+) ?/?>")
# `Optional<Data>` and `<Link>` are a programmer's; HTML is written in small letters, or in capitals.
_TYPE_NAME: Final = late_re("[A-Z][a-z]++")

# An exponent, an index or a footnote's number, which may be a link.
_RAISED: Final = late_re(r"<su([pb])(?: [^<>]*+)?>(?:<a [^<>]*+>)?([0-9+-]{1,9})(?:</a>)?</su\1>")
_RAISED_TO: Final = {
    "p": str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"),
    "b": str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋"),
}


def is_marked(text: str) -> bool:
    """Tell whether there could be a tag or an entity in text, so that `decode` or `strip` might change it."""
    return "<" in text or ("&" in text and _ENTITY.search(text) is not None)


def decode(text: str) -> str:
    """Return text with its entities decoded, also those that were encoded several times over."""
    if "&" not in text:
        return text
    return _ENTITY.sub(_character, _AMPERSANDS.sub("&", text))


def strip(text: str, *, truncated: bool) -> str:
    """Return decoded, folded text without tags, comments, scripts and styles.

    A comment, script or style that has no end hides nothing, unless the text is `truncated`: then its end may lie
    beyond, and all that follows goes.
    """
    if "<" not in text:
        return text
    text = _show(text, truncated=truncated)
    if truncated:
        text = _drop_half_tag(text)
    text = _RAISED.sub(lambda found: found[2].translate(_RAISED_TO[found[1]]), text)
    ends = {name.lower() for name in _END_TAG.findall(text)}
    return _TAG.sub(lambda tag: _replace(tag, ends), text)


def drop_half_entity(text: str) -> str:
    """Return text without what may be the beginning of one more entity, at its end."""
    # There's no second ampersand in an entity.
    start = text.rfind("&")
    return text[:start] if start >= 0 and _HALF_ENTITY.match(text, start) else text


def disarm(text: str) -> str:
    """Put a space for whatever could still begin a tag or an entity."""
    return re.sub(r"<(?=[A-Za-z/!?])|&(?=[A-Za-z#])", " ", text)


def _character(entity: re.Match[str]) -> str:
    decimal, hexadecimal, name = entity.groups()
    if name is not None:
        return html5.get(name, entity[0])
    # Long ones are cut off before they are numbers: turning a digit string into one takes time squared.
    digits = (decimal or hexadecimal).lstrip("0")
    if not digits or len(digits) > _DIGITS:
        return ""
    # The standard library knows which numbers are no characters and which stand for Windows' ones.
    return html.unescape(f"&#{digits};" if decimal else f"&#x{digits};").replace("\ufffd", "")


def _show(text: str, *, truncated: bool) -> str:
    pieces: list[str] = []
    position = 0
    unending: set[str] = set()
    for start in _HIDING.finditer(text):
        kind = (start[1] or "").lower()
        if start.start() < position or kind in unending:
            continue
        end = _HIDING_ENDS[kind].search(text, start.end())
        if end is None and truncated:
            return "".join(pieces) + text[position : start.start()]
        if end is None:
            unending.add(kind)
            continue
        # A comment stands within a word now and then, a script never does.
        pieces.extend((text[position : start.start()], " " if kind else ""))
        position = end.end()
    return "".join(pieces) + text[position:]


def _drop_half_tag(text: str) -> str:
    last = text.rfind("<")
    half = _HALF_TAG.fullmatch(text, last) if last >= 0 else None
    if half is None or (len(text) - last > HALF_TAG_MOST and not _QUOTED.search(text, last)):
        return text
    begun, named = half["begun"], half["named"]
    possible = named.lower() in _KNOWN if named else any(name.startswith((begun or "").lower()) for name in _KNOWN)
    return text[:last] if possible else text


def _is_type(tag: re.Match[str], name: str) -> bool:
    """Tell whether a start tag that has no end tag is a type of one letter, as in `Set<S>` or `vector<a> v`.

    It stands right behind a word then. A small one, or a paragraph, could also be a tag between two words; a paragraph
    in small letters is one.
    """
    if len(name) > 1 or tag["start"] == "p" or not tag.string[max(0, tag.start() - 1) : tag.start()].isalnum():
        return False
    return (tag["start"].isupper() and name != "p") or not tag.string[tag.end() : tag.end() + 1].isalnum()


def _replace(tag: re.Match[str], ends: set[str]) -> str:
    written = tag["end"] or tag["start"]
    if written is None:
        return "" if tag[0] == "<!--" else " "
    name = written.lower()
    if name not in _KNOWN:
        return tag[0]
    if tag["bare"] == "" or tag["end"]:
        typed = _TYPE_NAME.fullmatch(written) and name not in ("script", "style")
        filled_in = tag["end"] is None and name not in ends and (name in _FILLED_IN or _is_type(tag, name))
        if typed or filled_in or tag.string.endswith("#include ", 0, tag.start()):
            return tag[0]
    return "" if name in _INLINE else " "
