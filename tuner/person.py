"""Who runs this program, by name."""

from __future__ import annotations

import getpass
import os


def this_person() -> str:
    """The user's name; `uid N` where the system has none for him, as in a container that runs as any number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown user"
