"""Define every way in which this package fails.

WebSearchError
├── ConfigError              the owner's file or mapping is wrong
│   ├── ConfigMissing          the file is not there
│   ├── ConfigUnreadable       the file can't be read, or is no UTF-8
│   ├── ConfigSyntax           the file is no TOML
│   ├── UnknownKey
│   ├── InvalidValue           a wrong type, or out of range
│   ├── KeyNeeded              a key that the chosen settings need is left out
│   └── ConfigNotGiven         the host's function gives no configuration
├── DatabaseUnusable         the database can't be opened
├── BackupRefused            a backup can't have that name
├── BackupFailed             a backup that isn't complete
├── CommandClash             another cog of the host owns a command of ours
├── CommandsFull             the host has as many commands as Discord takes
├── OutputFailed             the terminal search can't write what it found
├── TokenRefused             Discord does not know the bundled bot's token
├── DiscordUnreachable       the bundled bot can't reach Discord
├── DiscordUnusable          Discord does not let the bundled bot in, for another reason
├── OwnFault                 a fault of this package
├── ReplyRefused             Discord failed to take a reply
├── PressRefused             a press on a button that does nothing
│   ├── SessionEnded           the buttons have ended
│   ├── NotYourSearch          only who searched turns pages
│   ├── NotYoursToDelete       only who searched and moderators delete
│   ├── AlreadyAsked           what it asks for is on its way
│   ├── AlreadyShared          the reply is in the channel already
│   ├── Unfiltered             found while its channel was age-restricted
│   ├── NothingToShare         none of what the page showed may be shown any more
│   ├── SharingForbidden       who presses may not write in the channel
│   └── SharingUnseen          nor use an app of their own there
├── SettingError             a change of settings that is not made
│   ├── InvalidDuration
│   ├── PlacesExclusive        a channel and the server at once
│   ├── PlaceUnknown
│   ├── ServerNotManaged
│   ├── ChannelNotManaged
│   ├── ThreadNotManaged
│   ├── ChannelNotSeen
│   ├── InvalidDomain
│   ├── DomainMissing
│   ├── TooManyDomains         more than can be named at once
│   └── TooManySiteRules       a server has no room for more of them
└── SearchError              a search that brings no results
    ├── InvalidSearch          what was asked for can't be searched
    │   ├── EmptyQuery
    │   ├── MessageEmpty           a message has no text to search for
    │   ├── QueryTooLong
    │   ├── CountOutOfRange
    │   ├── InvalidSite
    │   ├── TooManySites
    │   ├── UnknownChoice
    │   ├── InvalidAddress         no address of a public page
    │   ├── OptionUnsupported
    │   ├── OptionsExclusive
    │   ├── AnswerUnsupported      what answers can't honour an option
    │   ├── AnswersUnbound         answers can't be kept to the sites that a server allows
    │   ├── AnswersMissing         no engine answers questions
    │   ├── ReadingUnsupported     no engine can read pages
    │   ├── SiteBlocked            the owner lets nobody see the site
    │   ├── SiteHidden             the server doesn't let the site be seen
    │   └── InvalidCall            a tool can't be called as a language model wrote it
    │       ├── ToolUnknown
    │       ├── ArgumentsUnreadable
    │       ├── ArgumentMissing
    │       ├── ArgumentInvalid
    │       └── IdInvalid          not by the model: its bot names nobody
    ├── SearchRefused          searching is not allowed here
    │   ├── SearchDisabled
    │   ├── UserInstallDisabled
    │   ├── SwitchedOff            by a moderator, or until one switches it on
    │   ├── SearchPaused           the member wants no chat bot to search
    │   ├── ServersUnseen          a tool's bot can't know where it is
    │   ├── BudgetHeld             what searches under way may cost leaves too little of it
    │   └── LimitReached           the minute, the day or the budget is used up
    ├── NoResults
    │   ├── NothingFound         the engine knows no page
    │   ├── NothingAllowed       nothing is on the sites that a server allows
    │   └── NothingUsable        the engine's rows were all unfit to be shown
    ├── SearchInterrupted      the cog is being unloaded
    ├── StoreFailed            the database failed during a search
    └── BackendError           the engine failed
        ├── RequestRejected      400: the engine does not take the request
        ├── KeyRefused           401
        ├── CreditsExhausted     402
        ├── FeatureDisabled      403
        ├── FormatDisabled       SearXNG's 403: it isn't set to answer in JSON
        ├── LimiterActive        SearXNG's 429 that names no wait: its limiter turns the bot away
        ├── ContentProhibited    403: the engine won't search for this
        ├── EndpointMissing      404: the base URL is wrong
        ├── RateLimited          429
        ├── BackendDown          it failed again and again, and is left alone for a while
        ├── BackendBusy          more searches wait for their turn than can be made in time
        ├── BackendBroken        500 and what else has no kind of its own
        ├── PartsSilent          nothing was found, but not all of it was asked
        ├── BackendUnable        501
        ├── BackendOverloaded    503
        ├── BackendTimeout       504, or our own deadline
        ├── BackendUnreachable   no connection, or one that broke
        ├── UnexpectedRedirect   3xx
        ├── PageUnreadable       the engine has no text of the page
        ├── InvalidAnswer        an answer that is not what the API promises
        └── AnswerTooLarge       more than `limits.BODY_BYTES`

An error carries a `key` and parameters, no prose: `wording` turns them into a sentence. Its `str` is the key alone, so
that a log line or a traceback holds neither a query nor a secret. What keeps the cog from loading says its sentence
there: nobody has typed anything by then, and a host's log shows little more than an error's `str`.
"""

from __future__ import annotations

from .backend import (
    AnswerTooLarge,
    BackendBroken,
    BackendBusy,
    BackendDown,
    BackendError,
    BackendOverloaded,
    BackendTimeout,
    BackendUnable,
    BackendUnreachable,
    ContentProhibited,
    CreditsExhausted,
    EndpointMissing,
    FeatureDisabled,
    FormatDisabled,
    InvalidAnswer,
    KeyRefused,
    LimiterActive,
    PageUnreadable,
    PartsSilent,
    RateLimited,
    RequestRejected,
    UnexpectedRedirect,
)
from .owner import (
    BackupFailed,
    BackupRefused,
    CommandClash,
    CommandsFull,
    ConfigError,
    ConfigMissing,
    ConfigNotGiven,
    ConfigSyntax,
    ConfigUnreadable,
    DatabaseUnusable,
    DiscordUnreachable,
    DiscordUnusable,
    InvalidValue,
    KeyNeeded,
    OutputFailed,
    TokenRefused,
    UnknownKey,
)
from .press import (
    AlreadyAsked,
    AlreadyShared,
    NothingToShare,
    NotYourSearch,
    NotYoursToDelete,
    PressRefused,
    ReplyRefused,
    SessionEnded,
    SharingForbidden,
    SharingUnseen,
    Unfiltered,
)
from .root import (
    OwnFault,
    SearchError,
    WebSearchError,
)
from .search import (
    AnswersMissing,
    AnswersUnbound,
    AnswerUnsupported,
    BudgetHeld,
    CountOutOfRange,
    EmptyQuery,
    InvalidAddress,
    InvalidSearch,
    InvalidSite,
    LimitReached,
    MessageEmpty,
    NoResults,
    NothingAllowed,
    NothingFound,
    NothingUsable,
    OptionsExclusive,
    OptionUnsupported,
    QueryTooLong,
    ReadingUnsupported,
    SearchDisabled,
    SearchInterrupted,
    SearchRefused,
    SiteBlocked,
    SiteHidden,
    StoreFailed,
    SwitchedOff,
    TooManySites,
    UnknownChoice,
    UserInstallDisabled,
)
from .setting import (
    ChannelNotManaged,
    ChannelNotSeen,
    DomainMissing,
    InvalidDomain,
    InvalidDuration,
    PlacesExclusive,
    PlaceUnknown,
    ServerNotManaged,
    SettingError,
    ThreadNotManaged,
    TooManyDomains,
    TooManySiteRules,
)
from .tool import (
    ArgumentInvalid,
    ArgumentMissing,
    ArgumentsUnreadable,
    IdInvalid,
    InvalidCall,
    SearchPaused,
    ServersUnseen,
    ToolUnknown,
)

__all__ = [
    "AlreadyAsked",
    "AlreadyShared",
    "AnswerTooLarge",
    "AnswerUnsupported",
    "AnswersMissing",
    "AnswersUnbound",
    "ArgumentInvalid",
    "ArgumentMissing",
    "ArgumentsUnreadable",
    "BackendBroken",
    "BackendBusy",
    "BackendDown",
    "BackendError",
    "BackendOverloaded",
    "BackendTimeout",
    "BackendUnable",
    "BackendUnreachable",
    "BackupFailed",
    "BackupRefused",
    "BudgetHeld",
    "ChannelNotManaged",
    "ChannelNotSeen",
    "CommandClash",
    "CommandsFull",
    "ConfigError",
    "ConfigMissing",
    "ConfigNotGiven",
    "ConfigSyntax",
    "ConfigUnreadable",
    "ContentProhibited",
    "CountOutOfRange",
    "CreditsExhausted",
    "DatabaseUnusable",
    "DiscordUnreachable",
    "DiscordUnusable",
    "DomainMissing",
    "EmptyQuery",
    "EndpointMissing",
    "FeatureDisabled",
    "FormatDisabled",
    "IdInvalid",
    "InvalidAddress",
    "InvalidAnswer",
    "InvalidCall",
    "InvalidDomain",
    "InvalidDuration",
    "InvalidSearch",
    "InvalidSite",
    "InvalidValue",
    "KeyNeeded",
    "KeyRefused",
    "LimitReached",
    "LimiterActive",
    "MessageEmpty",
    "NoResults",
    "NotYourSearch",
    "NotYoursToDelete",
    "NothingAllowed",
    "NothingFound",
    "NothingToShare",
    "NothingUsable",
    "OptionUnsupported",
    "OptionsExclusive",
    "OutputFailed",
    "OwnFault",
    "PageUnreadable",
    "PartsSilent",
    "PlaceUnknown",
    "PlacesExclusive",
    "PressRefused",
    "QueryTooLong",
    "RateLimited",
    "ReadingUnsupported",
    "ReplyRefused",
    "RequestRejected",
    "SearchDisabled",
    "SearchError",
    "SearchInterrupted",
    "SearchPaused",
    "SearchRefused",
    "ServerNotManaged",
    "ServersUnseen",
    "SessionEnded",
    "SettingError",
    "SharingForbidden",
    "SharingUnseen",
    "SiteBlocked",
    "SiteHidden",
    "StoreFailed",
    "SwitchedOff",
    "ThreadNotManaged",
    "TokenRefused",
    "TooManyDomains",
    "TooManySiteRules",
    "TooManySites",
    "ToolUnknown",
    "UnexpectedRedirect",
    "Unfiltered",
    "UnknownChoice",
    "UnknownKey",
    "UserInstallDisabled",
    "WebSearchError",
]
