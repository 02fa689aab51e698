"""The decision for the next run, made when one ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from tuner.cost.learned.has_learner import has_learner
from tuner.history.store import Store
from tuner.loop.decide import decide
from tuner.loop.known import Known, reach_of, what_is_known
from tuner.loop.proofs import proofs_of
from tuner.loop.stamps import are_known, decision_stamp
from tuner.loop.steered import names_of_changed
from tuner.loop.told_to_agent import told_to_agent
from tuner.loop.turn import JobToRun
from tuner.model.decision import Decision
from tuner.model.look_ahead import LookAhead
from tuner.model.run import Run, RunMark
from tuner.policy.instances import ask_alike
from tuner.policy.known_queries import newest_of_each
from tuner.policy.usable import latest_outcome
from tuner.problems import Problems
from tuner.steering.agent.agent_directives import AgentDirectives
from tuner.steering.steering_method import choose_method
from tuner.words.query_names import names_in

# Of no run: what is decided ahead is for none that has a key yet.
_NO_KEY = ""


def look_ahead(
    store: Store, job: JobToRun, runs: Sequence[Run], spark_version: str, problems: Problems
) -> tuple[Decision | None, Known | None]:
    """The decision for a run of this job that would start now, which is kept for it, and what it rests on."""
    job, before = replace(job, key=_NO_KEY, try_number=1), len(problems.found)
    known = problems.guard(
        "look at what is known", lambda: what_is_known(store, job, runs, spark_version, problems), None
    )
    outlook = problems.guard("look ahead", lambda: decide(known, problems) if known else None, None)
    if known and outlook and len(problems.found) == before:
        problems.guard("keep what was decided ahead", lambda: _keep_ahead(store, known, outlook), None)
    return outlook, known


def _keep_ahead(store: Store, known: Known, outlook: Decision) -> None:
    """Stores the decision for the next run, which that takes up where nothing has changed by then."""
    latest = latest_outcome(known.runs)
    if not known.advice_stamp or latest is None or known.facts is None:
        return
    job, runs, way = known.job, known.runs, known.way
    marks, reach = [run.mark for run in runs], reach_of(job, way)
    rests_on = (known.verdicts, known.imported, known.advised, outlook, known.elsewhere, known.now)
    stamp = decision_stamp(job, way, reach, known.advice_stamp, marks, *rests_on)
    # The run that ended may have had another Spark than the latest that measured anything.
    of_latest = choose_method(job.steering, job.submission, latest.spark_version, known.no_agent, known.beside)
    is_certain = of_latest == way and are_known(
        [*known.advised, *(decided.change for run in runs for decided in run.decision.changes)]
    )
    told = AgentDirectives()
    if way.route is not None:
        told = told_to_agent(outlook, known.facts, newest_of_each(runs, job.instance))
    store.keep_look_ahead(
        job.cohort,
        LookAhead(
            stamp if is_certain else "",
            outlook,
            latest.spark_version,
            known.own_runs,
            has_learner(),
            told.text,
            told.skipped,
            names_of_changed(outlook, names_in(runs)),
            asdict(known.facts.prices),
            tuple(known.advised),
            known.advice_stamp,
            "" if ask_alike(runs) else job.instance,
            known.no_agent,
            known.beside,
        ),
    )


def prove(store: Store, known: Known, outlook: Decision, marks: Sequence[RunMark]) -> None:
    """What other jobs may be lent since this run; `marks` are those of its cohort's newest runs from before these were read."""
    if known.facts is None:
        return
    job = known.job
    proofs = proofs_of(job.cohort, outlook, known.runs, known.facts, job.instance)
    store.prove(job.cohort, proofs, marks)
