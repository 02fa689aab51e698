"""The tools over event logs: for whoever runs the command, of the folders that he named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Any

from pydantic import Field

from tuner.cli.mcp.log_advice import log_advice
from tuner.cli.mcp.log_answers import LogAdvice, LogItem, LogReplay
from tuner.cli.mcp.log_folders import LogFolders
from tuner.cli.mcp.log_list import log_list
from tuner.cli.mcp.log_replay import READING_SECONDS, WALKING_SECONDS, log_replay
from tuner.cli.options.cohort import ASKED
from tuner.history.asked_cohorts import ALL
from tuner.in_own_process import TooLongError, in_own_process
from tuner.mcp.tool import Paged, Tool
from tuner.panel.models.page import Page
from tuner.panel.read_routes import MOST_CHARACTERS
from tuner.replay.run_selection import RunSelection

# Clients give up after a minute.
MOST_SECONDS = 50.0
# What is left then is what a replay takes at most.
MOST_SECONDS_IN_LINE = MOST_SECONDS - READING_SECONDS - WALKING_SECONDS

# Who gives up asks again, and what he gave up on is still being read.
_ONE_AT_A_TIME = Lock()

LogPathText = Annotated[
    str,
    Field(
        min_length=1, max_length=MOST_CHARACTERS, description="An event log or a folder of them, as list_logs has it."
    ),
]


class OfLogs(Paged):
    search: Annotated[str, Field(max_length=MOST_CHARACTERS, description="Part of a log's path.")] = ""


class OfAdvice(Paged):
    path: LogPathText


class OfReplay(Paged):
    path: Annotated[str, Field(max_length=MOST_CHARACTERS, description='A folder of event logs; "": all of them.')] = ""
    cohort: Annotated[str, Field(max_length=MOST_CHARACTERS, description=ASKED)] = ALL
    months: Annotated[
        float | None, Field(gt=0, le=1200, description="Only the last so many months before the newest application.")
    ] = None


@dataclass(frozen=True, slots=True)
class LogTools:
    """What lies in `folders`. Logs are read in a process of their own, one after the other, which is ended after MOST_SECONDS:
    waiting for its turn counts."""

    folders: LogFolders
    core_hour_price: float | None = None

    def __iter__(self) -> Iterator[Tool]:
        yield Tool(
            "list_logs",
            "List the Spark event logs that can be read, the newest first.",
            OfLogs,
            Page[LogItem],
            self.logs,
        )
        yield Tool(
            "advise_on_log",
            "Read an event log and tell what the tuner would change, with evidence and predicted seconds; and what a person can.",
            OfAdvice,
            LogAdvice,
            self.advice,
        )
        yield Tool(
            "replay",
            "Walk the runs of recurring jobs in a folder of event logs and tell what the tuner would have changed and saved.",
            OfReplay,
            LogReplay,
            self.replay,
        )

    def logs(self, asked: OfLogs) -> Page[LogItem]:
        work = asked.search, asked.limit, asked.offset
        return Page[LogItem].model_validate(self._read("name a smaller folder with --logs", log_list, *work))

    def advice(self, asked: OfAdvice) -> LogAdvice:
        self.folders.inside(asked.path)
        work = asked.path, asked.limit, asked.offset
        return LogAdvice.model_validate(self._read("run `spark-tuner advise` in a shell", log_advice, *work))

    def replay(self, asked: OfReplay) -> LogReplay:
        if asked.path:
            self.folders.inside(asked.path)
        which = RunSelection(asked.cohort, None, asked.months)
        work = asked.path, which, asked.limit, asked.offset, self.core_hour_price
        do = "name a smaller folder, or run `spark-tuner replay` in a shell"
        return LogReplay.model_validate(self._read(do, log_replay, *work))

    def _read(self, do: str, work: Callable[..., dict[str, Any]], *asked: Any) -> dict[str, Any]:
        """`do` is what a person can do where it takes too long."""
        since = time.monotonic()
        if not _ONE_AT_A_TIME.acquire(timeout=MOST_SECONDS_IN_LINE):
            raise TooLongError("logs are still being read for an earlier question; ask again in a minute")
        try:
            left = max(0.0, MOST_SECONDS - (time.monotonic() - since))
            return in_own_process(left, work, self.folders, *asked)
        except TooLongError as error:
            raise TooLongError(f"{error}; {do}") from None
        finally:
            _ONE_AT_A_TIME.release()
