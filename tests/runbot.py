"""Run `python -m cogs.websearch` against a loopback Discord, whose addresses the environment holds.

With `NAME_SERVER=hangs` in the environment, looking up a name never ends.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

from addresses import connected
from cogs.websearch.__main__ import main


def hang(host: object, *_: object, **__: object) -> None:
    """Say what is looked up, and never answer."""
    sys.stderr.write(f"looking up {host}\n")
    threading.Event().wait()


if __name__ == "__main__":
    if os.environ.get("NAME_SERVER") == "hangs":
        socket.getaddrinfo = hang  # type: ignore[assignment] # as much of it as is needed
    with connected():
        sys.exit(main(sys.argv[1:]))
