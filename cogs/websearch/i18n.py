"""Hold the words that people read, in their language: gettext catalogues, plurals, numbers, sizes and dates.

English texts are the keys of the catalogues. A catalogue is a text file, `locales/<language>/LC_MESSAGES/websearch.po`,
read when its language is first asked for: there is no build step. Babel is imported where it's needed alone: English
numbers need none of it. Where it can't be, as in a process out of descriptors, there are words all the same.
"""

from __future__ import annotations

import errno
import logging
import re
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime
    from gettext import GNUTranslations, NullTranslations
    from importlib.resources.abc import Traversable

    from babel import Locale

_log = logging.getLogger(__name__)

SOURCE: Final = "en"
DOMAIN: Final = "websearch"
# From here on, some locales group digits, and sizes take a larger unit.
_THOUSAND: Final = 1000
# Below, a digit behind the point says something.
_FEW: Final = 10
# The locales whose numbers are written as the English texts are; Babel writes them likewise, as a test holds.
_ENGLISH: Final = frozenset({SOURCE, "en-US", "en-GB"})
# A language, then a script or a region: what Discord sends, and what a folder may be called.
_TAG: Final = late_re(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}", re.ASCII)


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for it, which the extraction looks for
    """Mark a text for the catalogues where it stands in a table, and return it as it is."""
    return message


class Words:
    """Say things in one locale.

    `locale` is a tag such as `de-AT`: numbers and dates follow it to the region, texts follow `translations`. Where a
    text has no translation, it's English. `named` tells whether Discord shows the names of commands in translation.
    """

    def __init__(
        self, locale: str = SOURCE, translations: NullTranslations | None = None, *, named: bool = True
    ) -> None:
        self.locale = locale
        self._translations = translations
        self._named = named

    def __call__(self, message: str, **params: object) -> str:
        """Return the translation of an English text, `{name}` in it replaced by the parameters."""
        return self._fill(self.find(message) or message, message, params)

    def find(self, message: str) -> str | None:
        """Return the translation of a text as it stands in the catalogue, or None where there is none."""
        # The empty text is the key of a catalogue's header.
        if self._translations is None or not message:
            return None
        found = self._translations.gettext(message)
        return found if found and found != message else None

    def name(self, english: str) -> str:
        """Return a command's, an option's or a choice's name as Discord shows it to the readers of this locale."""
        return (self.find(english) if self._named else None) or english

    def plural(self, one: str, many: str, count: int, **params: object) -> str:
        """Return the form that fits the count; `{count}` in it is the count as the locale writes it."""
        params["count"] = self.number(count)
        english = one if count == 1 else many
        found = english if self._translations is None else self._translations.ngettext(one, many, count)
        return self._fill(found, english, params)

    def number(self, value: float) -> str:
        """Write a number as the locale does."""
        if type(value) is int and 0 <= value < _THOUSAND:
            # Babel writes digits in Latin in each locale unless it's asked for others, and takes its time.
            return str(value)
        if self.locale not in _ENGLISH:
            # ArithmeticError: more digits than Babel's decimals hold, where somebody plays.
            with suppress(ImportError, OSError, ArithmeticError):
                from babel.numbers import format_decimal  # noqa: PLC0415 - see the module's docstring

                return format_decimal(value, locale=self._babel)
        return _in_english(value)

    def size(self, size: int) -> str:
        """Write so many bytes in the unit that leaves few digits, of powers of a thousand, as disks are sold."""
        if size < _THOUSAND:
            return self.plural("{count} byte", "{count} bytes", size)
        value = float(size)
        for unit in ("kB", "MB", "GB"):
            value /= _THOUSAND
            if value < _THOUSAND or unit == "GB":
                break
        return f"{self.number(round(value, 1) if value < _FEW else round(value))} {unit}"

    def date(self, day: date) -> str:
        """Write a day as the locale does, such as Nov 30, 2026; of a time, its own time zone's day."""
        with suppress(ImportError, OSError):
            from babel.dates import format_date  # noqa: PLC0415 - see the module's docstring

            return format_date(day, "medium", locale=self._babel)
        return f"{day:%Y-%m-%d}"

    def moment(self, moment: datetime) -> str:
        """Write a moment as the locale does, to the second and with its own time zone."""
        from babel.dates import format_datetime  # noqa: PLC0415 - see the module's docstring

        return format_datetime(moment, "long", locale=self._babel)

    def ago(self, seconds: float) -> str:
        """Say how long ago something was, in the largest unit that fits; in how long it will be, below zero."""
        from babel.dates import format_timedelta  # noqa: PLC0415 - see the module's docstring

        # Babel takes nothing for something to come.
        passed = -max(round(seconds), 1) if seconds >= 0 else -round(seconds)
        return format_timedelta(passed, add_direction=True, locale=self._babel)

    @cached_property
    def _babel(self) -> Locale:
        from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - see the module's docstring

        for tag in (self.locale, self.locale.replace("_", "-").partition("-")[0]):
            try:
                return Locale.parse(tag.replace("_", "-"), sep="-")
            except (ValueError, UnknownLocaleError):
                continue
        return Locale(SOURCE)

    def _fill(self, text: str, english: str, params: dict[str, object]) -> str:
        try:
            return text.format(**params)
        except (LookupError, ValueError, AttributeError):
            # A slip in one catalogue must not cost its readers the whole message.
            if text == english:
                raise
            _log.warning("the %s catalogue has wrong placeholders for %r", self.locale, english)
            return english.format(**params)


class Catalogues:
    """Find the words of a locale; a catalogue that was read is kept as long as this object.

    `folder` holds a folder per language, by default the package's own. `named` tells whether Discord has the names of
    commands in translation: a bot without a translator shows them to everybody in English.
    """

    def __init__(self, folder: Traversable | None = None, *, named: Callable[[], bool] = lambda: True) -> None:
        self._named = named
        self._folder = Path(__file__).with_name("locales") if folder is None else folder
        self._read: dict[str, GNUTranslations | None] = {}
        self._listed: dict[str, str] | None = None

    def words(self, locale: str) -> Words:
        """Return the words nearest to a locale: `de-AT`, else `de`, else English. Never fail."""
        if _TAG.fullmatch(locale) is None:
            return Words()
        parts = locale.replace("_", "-").split("-")
        # Where descriptors are short, which passes: whoever asks next finds their language.
        with suppress(_OutOfDescriptors):
            for length in range(len(parts), 0, -1):
                translations = self._translations("-".join(parts[:length]))
                if translations is not None:
                    return Words(locale, translations, named=self._named())
        return Words(locale) if parts[0].lower() == SOURCE else Words()

    def _translations(self, tag: str) -> GNUTranslations | None:
        language = self._folders().get(tag.lower())
        if language is None:
            return None
        if language not in self._read:
            self._read[language] = _read(self._folder.joinpath(language))
        return self._read[language]

    def _folders(self) -> dict[str, str]:
        """Map tags in lower case to the folders that hold a catalogue, listed once."""
        if self._listed is None:
            try:
                names = [child.name for child in self._folder.iterdir() if _file(child).is_file()]
            except OSError as error:
                _raise_if_passing(error)
                _log.warning("the catalogues can't be listed, so everything is English: %s", type(error).__name__)
                names = []
            self._listed = {name.replace("_", "-").lower(): name for name in names}
        return self._listed


class _OutOfDescriptors(Exception):
    """Say that a catalogue can't be read just now."""


def _raise_if_passing(error: Exception) -> None:
    """Raise `_OutOfDescriptors` where that's what an error says."""
    if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
        raise _OutOfDescriptors from error


def _file(language: Traversable) -> Traversable:
    return language.joinpath("LC_MESSAGES", f"{DOMAIN}.po")


def _read(language: Traversable) -> GNUTranslations | None:
    """Read a catalogue; one that can't be read is logged, and its readers get the next best language."""
    try:
        return _compiled(language)
    except (ImportError, OSError, ValueError, LookupError) as error:
        _raise_if_passing(error)
        _log.warning("the %s catalogue can't be read, so it's left out: %s", language.name, type(error).__name__)
        return None


def _compiled(language: Traversable) -> GNUTranslations:
    """Return a catalogue as gettext reads it; raise `ImportError`, `OSError`, `ValueError` or `LookupError`."""
    from gettext import GNUTranslations  # noqa: PLC0415 - English needs none

    from babel.messages.mofile import write_mo  # noqa: PLC0415 - see the module's docstring
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415 - likewise

    compiled = BytesIO()
    with _file(language).open("rb") as file:
        try:
            write_mo(compiled, read_po(file, abort_invalid=True))
        except PoFileError as error:
            raise ValueError from error
    compiled.seek(0)
    return GNUTranslations(compiled)


def _in_english(value: float) -> str:
    """Write a number with its thousands grouped and at most three decimals."""
    if isinstance(value, int):
        return f"{value:,}"
    # Not by a format: an amount such as 0.0075 lies a little below what it's meant to be, and would be rounded down.
    whole, thousandths = divmod(abs(round(value * _THOUSAND)), _THOUSAND)
    decimals = f".{thousandths:03}".rstrip("0") if thousandths else ""
    return f"{'-' if value < 0 else ''}{whole:,}{decimals}"
