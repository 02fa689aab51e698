"""A small replay of the event logs at a path, as an answer to an agent."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import msgspec

from tuner.cli.as_json.replay import totals_json
from tuner.cli.mcp.log_answers import LogReplay
from tuner.cli.mcp.log_folders import LogFolders
from tuner.eventlog.find import LogSource
from tuner.eventlog.log_version import last_written, log_bytes
from tuner.history.asked_cohorts import none_asked
from tuner.panel.paging import page
from tuner.replay.cohort_of import BY_LOG
from tuner.replay.local import LocalReplay
from tuner.replay.run_selection import RunSelection
from tuner.replay.walk import Walker

MOST_LOGS = 200
MOST_BYTES = 512 * 1024**2
# Of both together, a caller has time for a little more.
READING_SECONDS, WALKING_SECONDS = 25.0, 15.0

# Lists of the totals: of as many runs and logs as there are.
_LISTS = ("cohorts", "observed", "unread", "problems")


def log_replay(
    folders: LogFolders, path: str, which: RunSelection, limit: int, offset: int, core_hour_price: float | None
) -> dict[str, Any]:
    """A LogReplay as JSON, of the newest logs that one answer takes."""
    sources = folders.sources(path)
    chosen = newest_within(sources)
    replay = LocalReplay(Walker(), BY_LOG, which)
    read = _read(replay, chosen)
    cohorts = replay.cohort_count
    walked = _walk(replay)
    summary = replay.summary
    totals = msgspec.to_builtins(totals_json(summary, core_hour_price))
    unasked = [none_asked(which.cohort, summary.unnamed)] if summary.unnamed else []
    return LogReplay(
        totals={name: value for name, value in totals.items() if name not in _LISTS},
        cohorts=page(totals["cohorts"], limit, offset),
        left_out=len(sources) - read,
        cohorts_left_out=cohorts - walked,
        not_used=unasked + [f"{one['log']}: {one['why']}" for one in totals["unread"]] + totals["problems"],
    ).model_dump(mode="json")


def newest_within(sources: Iterable[LogSource], most: int = MOST_LOGS, most_bytes: int = MOST_BYTES) -> list[LogSource]:
    """The logs written last, `most` of them and `most_bytes` in all."""
    found: list[LogSource] = []
    for source in sorted(sources, key=last_written, reverse=True)[:most]:
        most_bytes -= log_bytes(source)
        if most_bytes < 0:
            break
        found.append(source)
    return found


def _read(replay: LocalReplay, sources: Iterable[LogSource]) -> int:
    """How many could be read in time."""
    deadline, read = time.monotonic() + READING_SECONDS, 0
    for source in sources:
        if time.monotonic() > deadline:
            break
        replay.read([source], processes=1)
        read += 1
    return read


def _walk(replay: LocalReplay) -> int:
    """How many cohorts could be walked in time."""
    deadline, walked = time.monotonic() + WALKING_SECONDS, 0
    for _ in replay.walk(processes=1):
        walked += 1
        if time.monotonic() > deadline:
            break
    return walked
