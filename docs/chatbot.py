"""A chat bot whose language model searches the web: mention it, or write it a direct message; see docs/chatbots.md."""

from __future__ import annotations

import asyncio
import json
import os
from collections import defaultdict, deque
from typing import Any

import discord
from discord.ext import commands
from openai import AsyncOpenAI, OpenAIError

from cogs.websearch.tools import POLICY

MODEL = os.environ.get("CHAT_MODEL", "gpt-5-mini")
PROMPT = f"You talk with members of a Discord server. Answer in a few sentences.\n\n{POLICY}"
ROUNDS = 6  # So often is the model asked for one answer; the last time it has no tools, and must say what it knows.


class ChatBot(commands.Bot):
    """Answer those who mention it or write it directly: Discord shows it these messages without a privileged intent."""

    def __init__(self) -> None:
        super().__init__(commands.when_mentioned, intents=discord.Intents.default(), help_command=None)
        self.model = AsyncOpenAI()  # Reads OPENAI_API_KEY and OPENAI_BASE_URL.
        # The last exchanges of each member and the model in each channel: what was said, and what was answered.
        self.said: defaultdict[tuple[int, int], deque[tuple[Any, Any]]] = defaultdict(lambda: deque(maxlen=5))

    async def setup_hook(self) -> None:
        """Load the web search, which reads config.toml, and tell Discord of its commands."""
        await self.load_extension("cogs.websearch")
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        """Reply to what is said to the bot."""
        if message.author.bot or not (message.guild is None or self.user in message.mentions):
            return
        async with message.channel.typing():
            try:
                answer = await self.answer(message)
            except OpenAIError:
                answer = "My language model can't be reached: try again in a moment."
        # The model may write what it read on a page: nobody is pinged, and no link is unfolded.
        await message.reply(answer[:2000], allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True)

    async def answer(self, message: discord.Message) -> str:
        """Let the model answer, and search as often as it needs to."""
        # By these the cog knows whose limits and which switches hold: they're the message's, not the model's word.
        guild_id = message.guild.id if message.guild else None
        where: dict[str, Any] = {"guild_id": guild_id, "channel_id": message.channel.id, "user_id": message.author.id}
        # Mentions as the member sees them, but for the bot's own, which would only end up in queries.
        own = "".join(f"@{one.display_name}" for one in message.mentions if one == self.user)
        said = self.said[message.channel.id, message.author.id]
        asked = {"role": "user", "content": message.clean_content.replace(own, "").strip() or "Hello."}
        talk: list[Any] = [{"role": "system", "content": PROMPT}, *(turn for both in said for turn in both), asked]
        text = "I have no answer to that."
        for left in reversed(range(ROUNDS)):
            # Both anew each time: the cog may be reloaded, and the member may have paused the tools a moment ago.
            search: Any = self.get_cog("WebSearch")
            tools = await search.tools(**where) if search and left else []
            given: Any = {"tools": tools} if tools else {}
            reply = (await self.model.chat.completions.create(model=MODEL, messages=talk, **given)).choices[0].message
            if not (tools and reply.tool_calls):
                text = reply.content or text
                break
            talk.append(reply.model_dump(exclude_none=True))
            calls = [(call.id, call.function.name, call.function.arguments) for call in reply.tool_calls]
            # A call never raises: where it fails, the model reads why, and what to do.
            results = await asyncio.gather(*(search.call_tool(name, written, **where) for _, name, written in calls))
            for (call_id, *_), result in zip(calls, results, strict=True):
                talk.append({"role": "tool", "tool_call_id": call_id, "content": json.dumps(result)})
        said.append((asked, {"role": "assistant", "content": text}))  # Both at once: whole exchanges alone.
        return text


if __name__ == "__main__":
    ChatBot().run(os.environ["DISCORD_TOKEN"])
