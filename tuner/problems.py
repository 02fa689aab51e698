"""What failed on the way, collected; the job, or the replay, goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from tuner.errors import TunerError
from tuner.eventlog.properties import redact
from tuner.frames import frames_of

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

MAX_REASON = 500


class Problems:
    """`found` has a line for each step that failed; `doing` is the step under way."""

    def __init__(self, found: Iterable[str] = ()) -> None:
        self.found = list(found)
        self.doing = ""

    def guard(self, what: str, step: Callable[[], _T], otherwise: _T) -> _T:
        """What the step returns; `otherwise`, and a line, where it raises."""
        around, self.doing = self.doing, what
        try:
            return step()
        except Exception as error:
            # The tuner's own errors quote no secrets.
            said = " ".join(str(error).split()) if isinstance(error, TunerError) else redact(str(error), MAX_REASON)
            reason = said or type(error).__name__
            self.found.append(f"could not {what}: {reason}")
            _log.debug("could not %s: %s at\n%s", what, type(error).__name__, frames_of(error))
            return otherwise
        finally:
            self.doing = around
