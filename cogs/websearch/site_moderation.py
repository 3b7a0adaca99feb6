"""Hold /websearch sites: moderators say which sites are never shown in a server, or alone are, and ask which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from discord import app_commands

from . import completion, errors, hosts, limits, places, replies, requests, targets
from .i18n import N_
from .moderation import Moderation
from .site_lines import SiteLines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from .models import SiteRules

    # Stores what is said of domains, by the server's id; and makes lines of what that changes, by the rules before.
    Store = Callable[[int, Sequence[str]], Awaitable[None]]
    Say = Callable[[SiteLines, Sequence[str], SiteRules], list[str]]

_DOMAINS: Final = N_("Domains such as example.com, separated by spaces or commas")
# What a reply that isn't an embed has beside its lines: the title that Discord would show above them.
_TITLE: Final = 64


class SiteModeration(Moderation):
    """Be the part of the cog by which moderators rule on sites; every reply is private, and says what holds then."""

    sites = app_commands.Group(
        name=N_("sites"),
        description=N_("Say which sites are shown in this server"),
        parent=Moderation.websearch,
    )

    @sites.command(name=N_("block"), description=N_("Never show these sites in this server"))
    @app_commands.describe(domains=_DOMAINS)
    async def block_sites(self, interaction: replies.Interaction, domains: str) -> None:
        """Let nothing of these domains be shown in the server."""
        await self._rule(interaction, domains, allowed=False)

    @sites.command(name=N_("allow"), description=N_("Show only what is allowed in this server, these sites included"))
    @app_commands.describe(domains=_DOMAINS)
    async def allow_sites(self, interaction: replies.Interaction, domains: str) -> None:
        """Let these domains be shown in the server, and no others but those that are allowed as well."""
        await self._rule(interaction, domains, allowed=True)

    @sites.command(name=N_("remove"), description=N_("Take away what was said of these sites in this server"))
    @app_commands.describe(domains=_DOMAINS)
    async def remove_sites(self, interaction: replies.Interaction, domains: str) -> None:
        """Take away what the server says of these domains."""
        await self._change(interaction, domains, self.service.switchboard.free_sites, SiteLines.freed)

    @sites.command(name=N_("list"), description=N_("Show which sites this server blocks, and which it allows"))
    async def list_sites(self, interaction: replies.Interaction) -> None:
        """Say which sites the server blocks, and which it allows alone."""
        if await self._begin(interaction, lambda: targets.to_see(interaction, None, server=True)) is not None:
            await self._tell_rules(interaction, self._lines(interaction))

    @block_sites.autocomplete("domains")
    async def _complete_block(self, interaction: replies.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer the hosts of one's own last results that aren't blocked yet."""
        return await self._offer_found(interaction, typed, self._rules_in(interaction).blocked)

    @allow_sites.autocomplete("domains")
    async def _complete_allow(self, interaction: replies.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer the hosts of one's own last results that aren't allowed yet."""
        return await self._offer_found(interaction, typed, self._rules_in(interaction).allowed)

    @remove_sites.autocomplete("domains")
    async def _complete_remove(self, interaction: replies.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer what the server has a rule for."""
        rules = self._rules_in(interaction)
        ruled = sorted(map(hosts.show, (*rules.blocked, *rules.allowed)))
        return await replies.offer(interaction, completion.complete(typed, ruled))

    async def _rule(self, interaction: replies.Interaction, domains: str, *, allowed: bool) -> None:
        rule = partial(self.service.switchboard.rule_sites, allowed=allowed, by=interaction.user.id)
        await self._change(interaction, domains, rule, partial(SiteLines.ruled, allowed=allowed))

    async def _change(self, interaction: replies.Interaction, domains: str, store: Store, say: Say) -> None:
        """Read the domains, store what is said of them, and tell what that changed and what holds now."""

        def meant() -> tuple[str, ...]:
            targets.to_change(interaction, None, server=True)
            return _read(domains)

        named = await self._begin(interaction, meant)
        if named is None:
            return
        before = self._rules_in(interaction)
        if await self._store(interaction, store(interaction.guild_id or 0, named)):
            lines = self._lines(interaction)
            await self._tell_rules(interaction, lines, say(lines, named, before))

    async def _tell_rules(self, interaction: replies.Interaction, lines: SiteLines, said: Sequence[str] = ()) -> None:
        """Say what holds now, behind what was `said` already."""
        panel = self._panel(interaction, places.server(interaction.guild_id or 0).spots[0], None)
        await self._tell(interaction, panel, lines.holding(self._rules_in(interaction), said))

    def _lines(self, interaction: replies.Interaction) -> SiteLines:
        room = limits.EMBED_DESCRIPTION if replies.may_embed(interaction) else limits.MESSAGE_CONTENT - _TITLE
        return SiteLines(self._private_words(interaction), room)

    def _rules_in(self, interaction: replies.Interaction) -> SiteRules:
        return self.service.site_rules(interaction.guild_id)

    async def _offer_found(
        self, interaction: replies.Interaction, typed: str, ruled: Sequence[str]
    ) -> list[app_commands.Choice[str]]:
        """Offer the hosts of one's own last results but for those that are ruled like that by now."""
        known = set(map(hosts.show, ruled))
        found = (host for host in self.service.found_sites(interaction.user.id) if host not in known)
        return await replies.offer(interaction, completion.complete(typed, found))


def _read(typed: str) -> tuple[str, ...]:
    """Return the domains that a moderator typed, at least one; raise the `SettingError` that says what's wrong."""
    try:
        named = requests.to_sites(typed)
    except errors.InvalidSite as error:
        raise errors.InvalidDomain(error.site) from None
    if not named:
        raise errors.DomainMissing
    if len(named) > limits.SITE_RULES:
        raise errors.TooManyDomains(limits.SITE_RULES)
    return named
