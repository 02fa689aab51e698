"""What a run gets more or less of memory and executors."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.loop.known import Known
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.size_change import Resources, SizeChange, values_of
from tuner.policy.executor_cuts import executor_cuts
from tuner.policy.memory_raises import memory_raises
from tuner.policy.size_cuts import size_cuts
from tuner.steering.directives import Steering


def raised_sizes(known: Known) -> tuple[SizeChange, ...]:
    """What the run gets more of memory."""
    job = known.job
    if not _is_sized(known):
        return ()
    # What one of many mapped instances needs, the others need not: it is given more only where it itself died.
    tries = {run.key: run for run in (*(() if job.is_mapped else known.runs), *known.earlier_tries)}
    in_order = sorted(tries.values(), key=lambda run: run.started_at)
    return memory_raises(in_order, {**job.submission.conf, **job.user_conf}, job.memory_limits)


def cut_sizes(known: Known, raises: Sequence[SizeChange], decided: Decision) -> tuple[SizeChange, ...]:
    """What the run gets less of memory and executors. One of many mapped instances may need what the others do not."""
    job = known.job
    if not _is_sized(known) or job.resources is not Resources.TUNE or job.is_mapped or raises:
        return ()
    if any(run.decision.cuts for run in known.earlier_tries):
        return ()  # Whatever made that fail, this one has all that its author asks for.
    tries = {run.key: run for run in (*known.runs, *known.earlier_tries) if run.key != job.key}
    in_order = sorted(tries.values(), key=lambda run: run.started_at)
    own_conf, may_step = {**job.submission.conf, **job.user_conf}, job.try_number == 1
    # A change on trial is judged by the core time that runs hold, too.
    is_trial = any(d.standing is Standing.TRIAL for d in decided.in_force)
    in_force = frozenset(d.id for d in decided.in_force)
    fewer = executor_cuts(in_order, own_conf, job.objective, in_force, may_step=may_step and not is_trial)
    # One step at a time: which of two a run was slower for, or failed, would not be known.
    is_step = not any(values_of(fewer) <= values_of(run.decision.cuts) for run in in_order)
    if job.memory_limits.shapes:
        return fewer  # The service has least containers, too.
    return (*size_cuts(in_order, own_conf, may_step=may_step and not is_step), *fewer)


def _is_sized(known: Known) -> bool:
    """Whether the run's driver can set its sizes, and nobody has asked to change nothing."""
    job = known.job
    is_steered = job.mode is Mode.AUTO and known.way.steering is not Steering.OFF
    return is_steered and job.resources is not Resources.OBSERVE
