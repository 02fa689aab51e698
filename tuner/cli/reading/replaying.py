"""A replay in this process, with its progress on stderr where that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tuner.cli.terminal.console import console
from tuner.eventlog.find import LogSource
from tuner.replay.cohort_of import BY_LOG, CohortRules
from tuner.replay.local import LocalReplay
from tuner.replay.replayed import Replayed
from tuner.replay.run_selection import EVERYTHING, RunSelection
from tuner.replay.walk import Walker


@contextmanager
def replayed_here(
    sources: Sequence[LogSource],
    walker: Walker,
    rules: CohortRules = BY_LOG,
    chosen: RunSelection = EVERYTHING,
    processes: int | None = None,
) -> Iterator[Replayed]:
    """The logs, read by so many processes (None: one for each core), and walked."""
    found = LocalReplay(walker, rules, chosen)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeElapsedColumn())
    to_stderr = console(stderr=True)
    with Progress(*columns, console=to_stderr, transient=True, disable=not to_stderr.is_terminal) as progress:
        reading = progress.add_task("reading logs", total=len(sources))
        found.read(sources, processes, partial(progress.advance, reading))
        for _ in progress.track(found.walk(processes), total=found.cohort_count, description="walking cohorts"):
            pass
    yield found
