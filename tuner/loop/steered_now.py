"""How a job is steered, decided now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tuner.cost.learned.has_learner import has_learner
from tuner.history.store import Store
from tuner.loop.decide import decide
from tuner.loop.event_log_place import EventLogPlace
from tuner.loop.first_run import lent_to_first_run
from tuner.loop.known import what_is_known
from tuner.loop.next_decision import learned_from
from tuner.loop.size_limits import size_limits
from tuner.loop.steered import Steered, carry_out, have_jar_built, sharing, steered, unsteered
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.model.run import Run
from tuner.policy.known_queries import newest_of_each
from tuner.policy.usable import latest_outcome
from tuner.problems import Problems
from tuner.steering.agent.agent_directives import SizeLimits, agent_directives
from tuner.words.query_names import names_in


def steered_now(store: Store, job: JobToRun, place: EventLogPlace, runs: Sequence[Run], problems: Problems) -> Steered:
    """The decision on all that the store knows, or on what other jobs have proven for a first run, carried out."""
    if not place.directory:
        return unsteered(job, place)
    if not runs and job.mode is Mode.AUTO and job.try_number == 1:
        lent = problems.guard("look at what other jobs lend", lambda: lent_to_first_run(store, job, place), None)
        if lent is not None:
            return lent
    latest = latest_outcome(runs)
    version = latest.spark_version if latest else ""
    known = what_is_known(store, job, runs, version, problems)
    have_jar_built(job, known.way, problems)
    decision = decide(known, problems)
    newest = newest_of_each(runs, job.instance)
    limits = size_limits(known.facts, decision, newest) if known.facts and known.way.route else SizeLimits()
    told = partial(agent_directives, decision, newest.of_latest, limits, newest.absent, newest.executions)
    way = sharing(known.way, job, place)
    directives = carry_out(job, way, decision, told, lambda: newest.of_latest, version, problems)
    taught = learned_from(known.own_runs, known.elsewhere, learns=has_learner())
    return steered(job, place, decision, directives, taught, names_in(runs))
