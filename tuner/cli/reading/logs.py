"""The applications behind the paths of a command line; what cannot be read is told on stderr and stops nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import log_path, shown
from tuner.eventlog.read import holds_no_events, read_log
from tuner.loop.kept_queries import KeptQueries
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application, Completeness, Work
from tuner.model.query import Query
from tuner.plan.queries import QueryAndPlans, in_full, query_and_plans
from tuner.printable import printable
from tuner.side_by_side import side_by_side


class Sink(Protocol):
    """What takes the work of one application."""

    def take(self, work: Work) -> None: ...


S = TypeVar("S", bound=Sink)
Seen = TypeVar("Seen")


class QueryList:
    """The queries of one application: what advice is made of, without the plans they were read from."""

    def __init__(self) -> None:
        self._found: list[Query] = []
        self.stages = 0

    def take(self, work: Work) -> None:
        self.stages += len(work.stages)
        if work.execution and (found := query_and_plans(work.execution, work.stages, work.steering)):
            self._keep(self._query(work, found))

    def _keep(self, query: Query) -> None:
        self._found.append(query)

    def _query(self, work: Work, found: QueryAndPlans) -> Query:
        """What is kept of a query, and whatever else is to be made of it while its plans are at hand."""
        return found[0]

    def in_order(self) -> tuple[Query, ...]:
        return tuple(sorted(self._found, key=lambda q: q.id))


class QueriesInFull(QueryList):
    """The same with all that is measured of them, of the most that a run of the history holds in full."""

    def __init__(self) -> None:
        super().__init__()
        self._kept = KeptQueries()
        self._found = self._kept.found
        self.ends = WorkEnds()

    def take(self, work: Work) -> None:
        super().take(work)
        self.ends.take(work)

    def _keep(self, query: Query) -> None:
        self._kept.add(query)

    def _query(self, work: Work, found: QueryAndPlans) -> Query:
        return in_full(found, work.stages, work.execution.logical_plan if work.execution else None)


def read_into(new_sink: Callable[[], S], source: LogSource) -> tuple[Application, S]:
    """An application, and what took its work."""
    sink = new_sink()
    return read_log(source, sink.take), sink


class LogReader:
    """Reads the logs of several paths, so many at once (`processes`; None: as many as there are cores); `failures` counts what
    was asked for and could not be read."""

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes
        self.failures = 0

    def read(
        self, paths: Iterable[str], look: Callable[[LogSource], tuple[Application, Seen]]
    ) -> Iterator[tuple[Application, Seen]]:
        """Each application, also partial ones, with what `look` saw in its log; in the order of the paths, and of names in each.

        Files of a directory that hold no Spark events are passed over, and named.
        """
        found = list(self._found(paths))
        looks = side_by_side(look, [source for _, sources in found for source in sources], self._processes)
        for path, sources in found:
            yield from self._of_path(path, sources, looks)

    def _found(self, paths: Iterable[str]) -> Iterator[tuple[str, list[LogSource]]]:
        for path in paths:
            try:
                place = log_path(path)
                yield shown(place), find_logs(place)
            except (EventLogNotFoundError, OSError) as error:
                self._fail(str(error))

    def _of_path(
        self, path: str, sources: Sequence[LogSource], looks: Iterator[tuple[Application, Seen]]
    ) -> Iterator[tuple[Application, Seen]]:
        passed_over = []
        for source, (application, seen) in zip(sources, looks, strict=False):
            if application.status is not Completeness.FAILED:
                yield application, seen
            elif holds_no_events(application) and not source.named:
                passed_over.append(source.path.name)
            else:
                yield application, seen
                self._fail(f"{shown(source.path)}: {application.problems[0].message}")
        if passed_over:
            told = ", ".join(passed_over[:5]) + (f" and {len(passed_over) - 5} more" if len(passed_over) > 5 else "")
            if len(passed_over) == len(sources):
                self._fail(f"{path}: no event log in this directory, only {told}")
            else:
                _say(f"{path}: passed over, not event logs: {told}")

    def _fail(self, message: str) -> None:
        self.failures += 1
        _say(message)


def _say(message: str) -> None:
    print(f"spark-tuner: {printable(message)}", file=sys.stderr)
