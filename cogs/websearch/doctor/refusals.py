"""Say for the owner how an engine failed when it was asked, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from .. import errors, wording
from ..i18n import N_
from .findings import wrong

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case import Case
    from .findings import Finding

# Kinds of error, what was found, and what to do.
Refusal: TypeAlias = tuple[tuple[type[errors.BackendError], ...], str, str]

# What members are told to tell the owner, for the owner.
_ANY: Final[tuple[Refusal, ...]] = (
    (
        (errors.KeyRefused,),
        N_("{backend} doesn't accept the key."),
        N_("Copy the key anew from the engine's own site, and set it."),
    ),
    (
        (errors.CreditsExhausted,),
        N_("The credit at {backend} is used up."),
        N_("Buy credit there, or raise the key's own budget."),
    ),
    (
        (errors.FormatDisabled,),
        N_("{backend} isn't set to answer in JSON."),
        N_("Add json to search.formats in its settings.yml, and restart it."),
    ),
    (
        (errors.LimiterActive,),
        N_("{backend}'s limiter turns the bot away."),
        N_("Set server.limiter to false in its settings.yml and restart it, or let this machine's address pass."),
    ),
    (
        (errors.EndpointMissing, errors.UnexpectedRedirect),
        N_("{backend} isn't at the address that the configuration has for it."),
        N_("Correct that address, or leave it out."),
    ),
    (
        (errors.BackendUnreachable,),
        N_("{backend} can't be reached."),
        N_("Check this machine's connection, its resolver and its firewall."),
    ),
)
# What says more of a search, which an engine that's there answers in time.
SEARCH: Final[tuple[Refusal, ...]] = (
    (
        (errors.FeatureDisabled,),
        N_("The account at {backend} may not search like this."),
        N_("Set another kind of search, such as by exa-search-type, or ask the engine to enable this one."),
    ),
    (
        (errors.BackendTimeout,),
        N_("{backend} can't be reached."),
        N_("Check this machine's connection, its resolver and its firewall."),
    ),
)
# Likewise of a model: endpoints say that there's no such model as they say that there's nothing.
MODEL: Final[tuple[Refusal, ...]] = (
    (
        (errors.EndpointMissing, errors.UnexpectedRedirect),
        N_("{backend}: there's no such model, or nothing at its address."),
        N_("Correct chat-model and chat-base-url."),
    ),
)


def tell(error: errors.BackendError, case: Case, special: Sequence[Refusal]) -> Finding:
    """Say how an engine failed, as `special` has it where it knows the kind of error."""
    words = case.words
    for kinds, found, todo in (*special, *_ANY):
        if isinstance(error, kinds):
            said, advice = words(found, backend=error.backend), words(todo)
            break
    else:
        said = wording.explain(error, words)
        advice = words("Run doctor --live again; if that stays so, look at the engine's status page.")
    if detail := case.outside(error.detail):
        said += " " + words("It says: “{detail}”.", detail=detail)
    return wrong(said, advice)
