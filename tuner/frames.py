"""Where an error was raised, for a log that others read."""

from __future__ import annotations

import traceback


def frames_of(error: BaseException) -> str:
    """Where an error was raised, without what it says, or what it was raised from: that may quote secrets."""
    return "".join(traceback.format_tb(error.__traceback__))
