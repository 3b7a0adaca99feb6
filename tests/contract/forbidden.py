"""List what somebody may take for an address, and no engine may be asked for."""

from __future__ import annotations

from typing import Final

FORBIDDEN: Final = (
    "", " ", "docs.example.org", "/good", "//docs.example.org/good", "ftp://docs.example.org/good", "file:///etc/passwd",
    "javascript:alert(1)", "data:text/html,x", "http://localhost/", "http://127.0.0.1/", "http://127.1/", "http://[::1]/",
    "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://0x7f000001/", "http://2130706433/",
    "http://intranet/", "http://printer.local/", "http://10.0.0.1.nip.io/", "https://user:word@docs.example.org/",
    "https://docs.example.org\\@localhost/", "https://docs.example.org\n.example/",
    "https://docs.example.org/" + "x" * 9000,
    "https://docs.exam\u200bple.org/", "http://docs.example.org:0/", "http://docs.example.org:99999/", "\ud83d",
)  # fmt: skip
