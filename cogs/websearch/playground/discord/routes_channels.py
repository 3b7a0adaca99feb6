"""Answer what a bot does in channels with its own token: read, write, edit, delete, open threads."""

from __future__ import annotations

from typing import Final

from . import refusals
from .channels import Channel, ChannelKind
from .messages import SETTABLE, Flag, Message
from .permissions import Permission
from .rest import Answer, Call, Route
from .rules import check_message

_PAGE: Final = 50


def _channel(call: Call) -> Answer:
    return Answer(call.channel().payload())


def _need(channel: Channel, needed: Permission) -> None:
    if not channel.granted_to(channel.world.bot) & needed:
        raise refusals.missing_permissions()


def _need_to_write(channel: Channel) -> None:
    if channel.kind in (ChannelKind.CATEGORY, ChannelKind.FORUM):
        raise refusals.Refusal(400, 50008, "Cannot send messages in a non-text channel")
    if channel.guild is None:
        if not all(user.open_to_messages for user in channel.members.values()):
            raise refusals.closed_to_messages()
        return
    _need(channel, Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES)


def _history(call: Call) -> Answer:
    channel = call.channel()
    if channel.guild is not None:
        _need(channel, Permission.READ_MESSAGE_HISTORY)
    shown = [message for message in channel.messages if not message.deleted and not message.ephemeral]
    if "before" in call.query:
        shown = [message for message in shown if message.id < int(call.query["before"])]
    if "after" in call.query:
        shown = [message for message in shown if message.id > int(call.query["after"])]
    limit = int(call.query.get("limit", _PAGE))
    shown = shown[:limit] if "after" in call.query else shown[-limit:]
    return Answer([message.payload() for message in reversed(shown)])


def _get(call: Call) -> Answer:
    return Answer(call.message().payload())


def _send(call: Call) -> Answer:
    refusals.check(check_message(call.data, call.files))
    channel = call.channel()
    _need_to_write(channel)
    return Answer(_write(call, channel).payload())


def _write(call: Call, channel: Channel) -> Message:
    wanted = Flag(call.data.get("flags") or 0) & SETTABLE & ~Flag.EPHEMERAL
    message = Message(channel, call.world.bot, flags=wanted)
    granted = channel.granted_to(call.world.bot)
    if call.files and not granted & Permission.ATTACH_FILES:
        raise refusals.missing_permissions()
    message.write(call.data, call.files, may_embed=bool(granted & Permission.EMBED_LINKS))
    if message.is_empty():
        raise refusals.empty_message()
    answered = (call.data.get("message_reference") or {}).get("message_id")
    message.reference = int(answered) if answered is not None else None
    message.post()
    return message


def _edit(call: Call) -> Answer:
    refusals.check(check_message(call.data, call.files, edit=True))
    message = call.message()
    if message.author is not call.world.bot:
        raise refusals.not_yours()
    granted = message.channel.granted_to(call.world.bot)
    message.edit(call.data, call.files, may_embed=bool(granted & Permission.EMBED_LINKS))
    return Answer(message.payload())


def _delete(call: Call) -> Answer:
    message = call.message()
    if message.author is not call.world.bot:
        if message.channel.guild is None:
            raise refusals.missing_permissions()
        _need(message.channel, Permission.MANAGE_MESSAGES)
    message.delete()
    return Answer()


def _delete_many(call: Call) -> Answer:
    channel = call.channel()
    _need(channel, Permission.MANAGE_MESSAGES)
    for number in call.data["messages"]:
        message = call.world.messages.get(int(number))
        if message is not None and message.channel is channel and not message.ephemeral:
            message.delete()
    return Answer()


def _typing(call: Call) -> Answer:
    _need_to_write(call.channel())
    return Answer()


def _delete_channel(call: Call) -> Answer:
    channel = call.channel()
    _need(channel, Permission.MANAGE_THREADS if channel.is_thread else Permission.MANAGE_CHANNELS)
    payload = channel.payload()
    channel.delete()
    return Answer(payload)


def _thread(call: Call) -> Answer:
    parent = call.channel()
    data = call.data
    if parent.kind is ChannelKind.FORUM:
        return _post(call, parent)
    private = data.get("type") == ChannelKind.PRIVATE_THREAD
    _need(parent, Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS)
    return Answer(parent.add_thread(data["name"], private=private, owner=call.world.bot).payload(), 201)


def _post(call: Call, forum: Channel) -> Answer:
    _need(forum, Permission.SEND_MESSAGES)
    first = call.data.get("message") or {}
    refusals.check(check_message(first, call.files, at=("message",)))
    post = forum.add_post(call.data["name"], owner=call.world.bot)
    message = _write(Call(call.world, call.method, call.path, call.params, call.query, first, call.files), post)
    return Answer({**post.payload(), "message": message.payload()}, 201)


def _thread_of_message(call: Call) -> Answer:
    message = call.message()
    _need(message.channel, Permission.CREATE_PUBLIC_THREADS)
    thread = message.channel.add_thread(call.data["name"], owner=call.world.bot)
    return Answer(thread.payload(), 201)


def _join(call: Call) -> Answer:
    call.channel().add(call.world.bot)
    return Answer()


def _leave(call: Call) -> Answer:
    call.channel().members.pop(call.world.bot.id, None)
    return Answer()


_CHANNEL: Final = "/channels/{channel_id}"
_MESSAGE: Final = f"{_CHANNEL}/messages/{{message_id}}"

ROUTES: Final = (
    Route("GET", _CHANNEL, _channel),
    Route("DELETE", _CHANNEL, _delete_channel),
    Route("GET", f"{_CHANNEL}/messages", _history),
    Route("POST", f"{_CHANNEL}/messages", _send),
    Route("POST", f"{_CHANNEL}/messages/bulk-delete", _delete_many),
    Route("GET", _MESSAGE, _get),
    Route("PATCH", _MESSAGE, _edit),
    Route("DELETE", _MESSAGE, _delete),
    Route("POST", f"{_MESSAGE}/threads", _thread_of_message),
    Route("POST", f"{_CHANNEL}/typing", _typing),
    Route("POST", f"{_CHANNEL}/threads", _thread),
    Route("PUT", f"{_CHANNEL}/thread-members/@me", _join),
    Route("DELETE", f"{_CHANNEL}/thread-members/@me", _leave),
)
