"""What of a replay or an import was asked for and is not there: told on stderr, and an exit code 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tuner.cli.reading.log_sources import on_stderr
from tuner.eventlog.log_version import finished_name, log_name
from tuner.history.asked_cohorts import none_asked
from tuner.printable import listed
from tuner.words.counts import counted

if TYPE_CHECKING:
    from tuner.eventlog.find import LogSource
    from tuner.replay.cohort_replay import ReplaySummary
    from tuner.replay.run_selection import RunSelection


def told_failures(sources: Sequence[LogSource], summary: ReplaySummary, which: RunSelection) -> int:
    """How many failures there are: logs that were given by their own names and could not be read, and a pattern that names no
    cohort. Why there is no cohort else is told, too."""
    named = {log_name(source) for source in sources if source.named}
    unread = [log for log in summary.unread if log.is_unreadable and finished_name(log.log) in named]
    for log in unread:
        on_stderr(f"{log.log}: {log.why}")
    if summary.unnamed:
        on_stderr(none_asked(which.cohort, summary.unnamed))
        return len(unread) + 1
    if sources and not summary.cohorts and (why := _why_none(sources, summary, which)):
        on_stderr(why)
    return len(unread)


def _why_none(sources: Sequence[LogSource], summary: ReplaySummary, which: RunSelection) -> str:
    """Why these logs make no cohort; "" where that is told already."""
    unreadable = sum(log.is_unreadable for log in summary.unread)
    read = summary.logs - unreadable
    if not (summary.logs or summary.unread):
        return f"no event log among the files that were given, only {listed(source.path.name for source in sources)}"
    if read <= 0:
        return "" if all(source.named for source in sources) else f"no application in {counted(unreadable, 'log')}"
    if summary.problems:
        return summary.problems[0]
    started = _started(which)
    return started and f"no application that is asked for started {started} ({counted(read, 'log')} read)"


def _started(which: RunSelection) -> str:
    """When applications are to have started, "" where at any time."""
    if which.since is not None:
        return f"since {which.since:%Y-%m-%d %H:%M} UTC"
    return f"in the last {which.months:g} months" if which.months is not None else ""
