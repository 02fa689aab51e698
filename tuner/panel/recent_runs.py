"""The runs that the panel looks at, and what follows from them: kept between answers, since of finished runs only the
state may change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from threading import Lock

from tuner.history.store import Store
from tuner.model.run import Run
from tuner.model.turning_point import TurningPoint
from tuner.policy.baseline import Baseline, baselines, query_baselines
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.measured_gain import RunsSoFar
from tuner.policy.turning_points import turning_points
from tuner.policy.usable import latest_usable
from tuner.words.query_names import QueryNames, names_in

# As many as its charts show.
PANEL_RUNS = 200
# Runs' queries that are kept in all: 200 runs of 100 queries take some 20 MB.
MOST_QUERIES = 60_000


class RunsInView:
    """Some runs of one cohort, brief and oldest first, and what follows from them."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = tuple(runs)

    @cached_property
    def latest(self) -> Run | None:
        """The newest one whose times were measured."""
        return latest_usable(self.runs)

    @cached_property
    def baselines(self) -> dict[str, Baseline]:
        return baselines(self.runs)

    @cached_property
    def query_baselines(self) -> dict[str, float]:
        return query_baselines(self.runs)

    @cached_property
    def so_far(self) -> RunsSoFar:
        """What all of them tell of the changes of the latest."""
        return RunsSoFar.of(self.runs)

    @cached_property
    def turning_points(self) -> list[TurningPoint]:
        return turning_points(self.runs)

    @cached_property
    def followed(self) -> list[tuple[Run, frozenset[str]]]:
        """The runs that something steered, each with the ids of what was in force and followed."""
        steered = (run for run in self.runs if run.decision.in_force)
        found = ((run, frozenset(d.id for d in changes_in_effect(run))) for run in steered)
        return [(run, ids) for run, ids in found if ids]

    @cached_property
    def names(self) -> QueryNames:
        """What queries are called, as they were last."""
        return names_in(self.runs)

    @cached_property
    def names_without_descriptions(self) -> QueryNames:
        return names_in(self.runs, described=False)

    @property
    def size(self) -> int:
        """Queries of all runs."""
        return sum(len(run.outcome.queries) for run in self.runs if run.outcome)


class RecentRuns:
    """The newest runs of the cohorts that were looked at last. Of several answers at once one reads a cohort's runs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, RunsInView] = OrderedDict()
        self._reading: dict[str, Lock] = {}

    def of(self, cohort: str, store: Store) -> RunsInView:
        """The newest PANEL_RUNS, as they are in the store now."""
        with self._lock:
            reading = self._reading.setdefault(cohort, Lock())
        with reading:
            before = self._kept.get(cohort)
            known = {run.key: run for run in before.runs} if before else {}
            runs = store.brief_runs(cohort, PANEL_RUNS, known)
            now = before if before is not None and before.runs == tuple(runs) else RunsInView(runs)
            self._keep(cohort, now)
        return now

    def _keep(self, cohort: str, view: RunsInView) -> None:
        with self._lock:
            self._kept[cohort] = view
            self._kept.move_to_end(cohort)
            while len(self._kept) > 1 and sum(kept.size for kept in self._kept.values()) > MOST_QUERIES:
                forgotten, _ = self._kept.popitem(last=False)
                self._reading.pop(forgotten, None)
