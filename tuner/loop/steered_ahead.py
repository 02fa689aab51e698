"""How a job is steered, as it was decided when its last run ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from tuner.history.store import Store
from tuner.loop.ahead import Ahead
from tuner.loop.event_log_place import EventLogPlace
from tuner.loop.known import MOST_COHORTS_ELSEWHERE
from tuner.loop.known_runs import known_runs
from tuner.loop.next_decision import learned_from
from tuner.loop.stamps import decision_stamp
from tuner.loop.steered import Steered, carry_out, have_jar_built, sharing, steered
from tuner.loop.turn import JobToRun
from tuner.model.query import Query
from tuner.model.run import Elsewhere, RunMark
from tuner.policy.known_queries import newest_of_each
from tuner.problems import Problems
from tuner.steering.agent.agent_directives import AgentDirectives


def steered_ahead(
    store: Store, job: JobToRun, place: EventLogPlace, marks: Sequence[RunMark], found: Ahead | None, problems: Problems
) -> Steered | None:
    """What was decided when the last run ended; None where anything that it rests on may have changed since."""
    if found is None or not found.look_ahead.stamp:
        return None
    ahead = found.look_ahead
    elsewhere = store.elsewhere(job.cohort, MOST_COHORTS_ELSEWHERE, 0)
    verdicts, imported = store.verdicts(job.cohort), store.imports(job.cohort)
    rests_on = (verdicts, imported, ahead.advised, ahead.decision, elsewhere, datetime.now(UTC))
    stamp = decision_stamp(job, found.way, found.reach, found.advice, marks, *rests_on)
    if stamp != ahead.stamp:
        return None
    have_jar_built(job, found.way, problems)
    told = AgentDirectives(ahead.message, ahead.skipped)
    way = sharing(found.way, job, place)
    newest, version = partial(_newest, store, job), ahead.spark_version
    directives = carry_out(job, way, ahead.decision, lambda: told, newest, version, problems)
    taught = learned_from(ahead.own_runs, Elsewhere(), learns=ahead.has_learner)
    return steered(job, place, ahead.decision, directives, taught, ahead.names)


def _newest(store: Store, job: JobToRun) -> Sequence[Query]:
    return newest_of_each(known_runs(store, job.cohort, job.origin), job.instance).of_latest
