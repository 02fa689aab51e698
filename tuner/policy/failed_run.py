"""What a run that failed says of the changes that were in force in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tuner.model.decision import DecidedChange, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy.blame import FAR_SLOWER
from tuner.policy.measure import usable
from tuner.policy.suspects import alike, from_outside, known_makers, plainly_guilty, suspects

# What somebody ended, who may have done so because it took too long.
_ENDED_BY_SOMEBODY = frozenset({FailureKind.KILLED, FailureKind.OWN_EXIT})


class Making(StrEnum):
    """What a failure says of a change that was in force in its run.

    nothing_new: nothing on trial can have made it, what was proven can. failed_twice: as the run with it before did.
    """

    ITS_OWN = "its_own"
    NOTHING_NEW = "nothing_new"
    ANOTHER = "another"
    NO_TRIAL_TOLD = "no_trial_told"
    SUCCEEDED_WITHOUT = "succeeded_without"
    FAILED_TWICE = "failed_twice"


@dataclass(frozen=True, slots=True)
class AfterFailure:
    """Where a change stands after a run that failed, and why. `cleared`: the job failed in the same way without it.

    `counts`: as one of its trials. `suspected`: it is proven, and one more failure like this one takes it out.
    """

    decided: DecidedChange
    standing: Standing
    why: Reason
    cleared: bool = False
    counts: bool = True
    suspected: bool = False


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that failed, among the others, oldest first. `last_trials` are ids of changes that are not tried again after it,
    `suspected` of those that were proven, and that the run before with them made suspect."""

    run: Run
    earlier: Sequence[Run] = ()
    later: Sequence[Run] = ()
    last_trials: Collection[str] = ()
    suspected: Collection[str] = ()

    @property
    def from_outside(self) -> bool:
        """Whether no change can have made it."""
        return no_change_made_it(self.run, self.earlier)

    @property
    def failure(self) -> Failure | None:
        """Why it failed, as far as that tells of its maker: not where somebody ended what took far too long."""
        return None if from_outside(self.run.failure) else self.run.failure


def after_failure(failed: FailedRun, in_force: Sequence[DecidedChange]) -> Iterator[AfterFailure]:
    """Of what was on trial, what can have made the failure is rolled back, unless the job then failed in the same way without
    it; what cannot is tried again, and a failure that no change can have made is none of its trials.

    What was promoted is rolled back where the failure is plainly of its making; else only if the job failed with nothing on
    trial, and then succeeded without any change: at once where it is known to make such failures, else when the next run with
    it fails so, too. One failure that says nothing of its cause does not undo what was proven.
    """
    run, after = failed.run, _next_that_tells(failed.later)
    outside = failed.from_outside
    counts = not outside or (run.failure is not None and run.failure.kind is FailureKind.KILLED)
    trials = {} if outside else _blamed(failed, in_force)
    proven = proven_suspects(failed, in_force)
    alone = after is not None and usable(after) and not after.decision.in_force
    for decided in in_force:
        id_, on_trial = decided.id, decided.standing is Standing.TRIAL
        if on_trial and after is not None and _failed_without(decided, run, after):
            yield AfterFailure(decided, decided.standing, decided.why, cleared=True, counts=False)
        elif id_ in trials:
            verdict = Making.ITS_OWN if on_trial or not trials[id_] else Making.NOTHING_NEW
            yield AfterFailure(decided, Standing.ROLLED_BACK, _run_failed(run, verdict))
        elif on_trial and counts and id_ in failed.last_trials:
            yield AfterFailure(decided, Standing.ROLLED_BACK, _run_failed(run, Making.NO_TRIAL_TOLD))
        elif on_trial:
            yield AfterFailure(decided, Standing.TRIAL, _run_failed(run, Making.ANOTHER), counts=counts)
        elif alone and id_ in proven and (proven[id_] or id_ in failed.suspected):
            verdict = Making.SUCCEEDED_WITHOUT if proven[id_] else Making.FAILED_TWICE
            yield AfterFailure(decided, Standing.ROLLED_BACK, _run_failed(run, verdict))
        else:
            yield AfterFailure(decided, decided.standing, decided.why, suspected=alone and id_ in proven)


def no_change_made_it(run: Run, earlier: Iterable[Run]) -> bool:
    """Whether a run failed from outside. One that was ended when it had taken far longer than any before it may have been
    too slow, for whoever ended it, because of a change."""
    if not from_outside(run.failure):
        return False
    longest = max((took for r in earlier if usable(r) and (took := _took_ms(r)) is not None), default=None)
    took = _took_ms(run)
    patient = longest is None or took is None or took <= (1 + FAR_SLOWER) * longest
    return patient or run.failure is None or run.failure.kind not in _ENDED_BY_SOMEBODY


def proven_suspects(failed: FailedRun, in_force: Sequence[DecidedChange]) -> dict[str, bool]:
    """What was promoted and can have made a run fail with nothing on trial, by action id; and whether one such failure is
    enough: it is known to make them, or the run was ended for taking far longer than ever."""
    on_trial = any(d.standing is Standing.TRIAL for d in in_force)
    if on_trial or failed.run.state is not RunState.FAILED or failed.from_outside:
        return {}
    proven = [d for d in in_force if d.standing is Standing.PROMOTED]
    if from_outside(failed.run.failure):
        return {d.id: True for d in proven}
    known = bool(known_makers(failed.failure, proven))
    return {d.id: known for d in suspects(failed.failure, proven)}


def _took_ms(run: Run) -> float | None:
    """By its log; where that has no end, by the clock of its driver."""
    if run.outcome is not None and run.outcome.duration_ms is not None:
        return run.outcome.duration_ms
    return (run.ended_at - run.started_at).total_seconds() * 1e3 if run.ended_at else None


def _next_that_tells(later: Sequence[Run]) -> Run | None:
    return next(
        (r for r in later if r.state not in (RunState.RUNNING, RunState.LOST) and not from_outside(r.failure)), None
    )


def _failed_without(decided: DecidedChange, run: Run, after: Run) -> bool:
    """Whether the next run that tells failed without the action, in the same way as this one."""
    without = decided.id not in {d.id for d in after.decision.in_force}
    return after.state is RunState.FAILED and without and alike(run.failure, after.failure)


def _blamed(failed: FailedRun, in_force: Sequence[DecidedChange]) -> dict[str, bool]:
    """Ids of changes, and whether it is because nothing new can have made the failure: by the failure alone."""
    new = [d for d in in_force if d.standing is Standing.TRIAL]
    found = {d.id: False for d in suspects(failed.failure, new)}
    return found | {d.id: True for d in plainly_guilty(failed.failure, in_force)}


def _run_failed(run: Run, making: Making) -> Reason:
    took_ms = run.outcome.duration_ms if run.outcome else None
    return Reason(
        ReasonCode.RUN_FAILED,
        {
            "run": run.key,
            "broke_off": run.state is not RunState.FAILED,
            "seconds": None if took_ms is None else took_ms / 1e3,
            "failure": run.failure.words if run.failure else "",
            "query": run.failure.query if run.failure else None,
            "where": run.failure.where if run.failure else "",
            "making": making.value,
        },
    )
