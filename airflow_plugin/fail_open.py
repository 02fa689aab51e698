"""The rule that no job fails because of the tuner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def failing_open(log: Any, doing: str, also: tuple[type[BaseException], ...] = ()) -> Iterator[None]:
    """Turns any error of the block, and those of `also`, into one warning line that says what did not happen."""
    caught: tuple[type[BaseException], ...] = (Exception, *also)
    try:
        yield
    except caught as error:
        message = _shown(error)
        log.warning(
            "Spark tuner: could not %s (%s: %s). The job is not affected.", doing, type(error).__name__, message
        )
        log.debug("Spark tuner: where that happened:\n%s", _frames(error))


def _shown(error: BaseException) -> str:
    """What the error says on one line. The tuner's own quote no secrets; others lose what may be one, or all they say."""
    try:
        from tuner.errors import TunerError
        from tuner.eventlog.properties import redact

        return " ".join(str(error).split()) if isinstance(error, TunerError) else redact(str(error), 500)
    except Exception:
        return ""


def _frames(error: BaseException) -> str:
    try:
        from tuner.frames import frames_of

        return frames_of(error)
    except Exception:
        return ""
