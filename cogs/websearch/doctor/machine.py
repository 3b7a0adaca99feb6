"""Check what is installed: Python, discord.py, languages."""

from __future__ import annotations

import platform
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from .. import __version__, i18n
from .findings import ok, warning, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..i18n import Words
    from .findings import Finding

# What pyproject.toml asks for.
_DISCORD_LEAST: Final = (2, 7)
_DISCORD_BELOW: Final = (3,)


def versions(words: Words) -> Iterator[Finding]:
    """Check discord.py; a Python that's too old got nowhere near this."""
    python = platform.python_version()
    try:
        found = version("discord.py")
    except PackageNotFoundError:
        yield wrong(
            words("Python {python}, and no discord.py.", python=python), words("Run: pip install 'discord.py>=2.7,<3'")
        )
        return
    said = words(
        "discord-websearch {version}, discord.py {found}, Python {python}.",
        version=__version__,
        found=found,
        python=python,
    )
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdecimal())
    if _DISCORD_LEAST <= numbers < _DISCORD_BELOW:
        yield ok(said)
    else:
        yield wrong(said, words("The web search is made for discord.py 2.7. Run: pip install 'discord.py>=2.7,<3'"))


def languages(words: Words) -> Iterator[Finding]:
    """Check that each catalogue that is installed can be read."""
    catalogues = i18n.Catalogues()
    folder = resources.files(i18n.__package__ or "").joinpath("locales")
    names = sorted(child.name for child in folder.iterdir() if child.is_dir()) if folder.is_dir() else []
    broken = [name for name in names if catalogues.words(name).locale != name]
    if broken:
        yield warning(
            words("The catalogue of {language} can't be read, so its readers get English.", language=", ".join(broken)),
            words("Install the web search again."),
        )
    else:
        yield ok(words("Languages: {languages}.", languages=", ".join([i18n.SOURCE, *names])))
