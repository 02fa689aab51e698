"""What a harvest tells of how its run ended."""

from __future__ import annotations

from typing import TypeGuard

from tuner.history.failure import TELLS_FAILURES, UNSEEN, Ending, failure_in, failure_of
from tuner.history.store import Store
from tuner.loop.harvest import HarvestedRun
from tuner.loop.known_runs import known_runs
from tuner.model.application import Completeness, ProblemCode
from tuner.model.failure import Failure
from tuner.model.run import Outcome, Run
from tuner.spark.version import major_minor


def failure_of_run(
    found: HarvestedRun | None, outcome: Outcome | None, ending: Ending = UNSEEN, *, is_seen: bool = False
) -> Failure | None:
    """Why a run failed, by its log and how its driver ended; `is_seen`: who submitted it saw it fail."""
    ended = found is None or found.application.end_ms is not None
    if found is None or outcome is None:
        return failure_of(None, ending, ended=ended)
    application, queries = found.application, outcome.queries
    logged = failure_in(application.failures, queries, application.executors.count, ending)
    tells_all = major_minor(outcome.spark_version) >= TELLS_FAILURES
    return failure_of(logged, ending, ended=ended, tells_all=tells_all, queries=queries, is_seen=is_seen)


def has_ended(found: HarvestedRun | None) -> TypeGuard[HarvestedRun]:
    """Whether the log says that its application ended, and lacks nothing that may come yet: what a compaction left out never
    does."""
    if found is None:
        return False
    application = found.application
    lacks = {problem.code for problem in application.problems if problem.code.loses_events}
    return application.status is Completeness.COMPLETE or (
        application.end_ms is not None and lacks == {ProblemCode.COMPACTED}
    )


def outcomes_of(store: Store, run: Run) -> list[Outcome]:
    """What the runs of its cohort came to, as far as a decision for its instance looks at them."""
    return [known.outcome for known in known_runs(store, run.cohort, run.origin) if known.outcome]
