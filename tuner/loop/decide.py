"""The decision on a job's next run, on what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from tuner.loop.known import Known, reach_of
from tuner.loop.next_decision import context_of_next, next_decision
from tuner.loop.size_changes import cut_sizes, raised_sizes
from tuner.loop.turn import JobToRun
from tuner.model.decision import Decision, Mode
from tuner.model.run import Run
from tuner.model.size_change import SizeChange
from tuner.policy.context import Context
from tuner.policy.instances import latest_of_instance
from tuner.problems import Problems
from tuner.steering.directives import Steering


def decide(known: Known, problems: Problems) -> Decision:
    """What is in force in the next run, and on trial, with its sizes. What cannot be looked at is told as a problem."""
    job, way = known.job, known.way
    is_off = way.steering is Steering.OFF
    raises = problems.guard("look at what memory the job needs", partial(raised_sizes, known), tuple[SizeChange, ...]())
    raised = {one.property: one.value for one in raises}
    decided = next_decision(
        known.runs,
        known.facts,
        key=job.key,
        try_number=job.try_number,
        # Without steering nothing is in force: as in observe.
        mode=Mode.OBSERVE if is_off else job.mode,
        verdicts=known.verdicts,
        reach=reach_of(job, way),
        problems=problems,
        earlier_tries=known.earlier_tries,
        to_come=_context(job, known.runs, raises),
        elsewhere=known.elsewhere,
        advised=known.advised,
        # What heals a death is as if its author had set it: where broadcasts are off, none is tried.
        own_conf={**job.submission.conf, **job.user_conf, **raised},
        user_conf={**job.user_conf, **raised},
        objective=job.objective,
        imported=known.imported,
        instance=job.instance,
        tries_left=job.tries_left,
        now=known.now,
    )
    taken = partial(cut_sizes, known, raises, decided)
    cuts = problems.guard("look at what the job never uses", taken, tuple[SizeChange, ...]())
    return replace(decided, raises=raises, cuts=cuts, steering_off=is_off)


def _context(job: JobToRun, runs: Sequence[Run], raises: Sequence[SizeChange]) -> Context | None:
    latest = latest_of_instance(runs, job.instance)
    if latest is None:
        return None
    # What the latest run had in place of its own, is not what this one has by itself.
    own = {one.property: one.was for one in latest.decision.sizes if one.was}
    submitted = job.submitted_shape(raises)
    # Of what it was submitted with alike its log tells what came of it: its program may set another.
    cut = {one.property for one in latest.decision.cuts}
    alike = {name for name, value in latest.decision.submitted if submitted.get(name) == value} - cut
    conf = {name: value for name, value in {**own, **submitted}.items() if name not in alike}
    found = context_of_next(runs, job.submission.spark_version, conf, job.instance)
    return replace(found, runtime=job.runtime) if found else None
