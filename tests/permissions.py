"""Let file permissions hold for root too, who may otherwise read and write whatever the modes of files say."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# From linux/capability.h: the version of the structures, and the bits of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
_VERSION: Final = 0x20080522
_OVERRIDES: Final = 1 << 1 | 1 << 2


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Half(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def enforced() -> Iterator[None]:
    """Take root's power over permissions away from this thread, and from those that it starts meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    before = _effective()
    _set_effective(before & ~_OVERRIDES)
    try:
        yield
    finally:
        _set_effective(before)


def _effective() -> int:
    halves = _call("capget", (_Half * 2)())
    return int(halves[0].effective)


def _set_effective(bits: int) -> None:
    halves = _call("capget", (_Half * 2)())
    halves[0].effective = bits
    _call("capset", halves)


def _call(function: str, halves: ctypes.Array[_Half]) -> ctypes.Array[_Half]:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(ctypes.byref(_Header(_VERSION, 0)), halves) != 0:
        raise OSError(ctypes.get_errno(), function)
    return halves
