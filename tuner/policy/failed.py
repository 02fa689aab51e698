"""What a run that failed says of the changes that were in force in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tuner.model.decision import DecidedAction, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import Run, RunState
from tuner.policy.blame import FAR_SLOWER
from tuner.policy.measure import usable
from tuner.policy.suspects import alike, from_outside, known_makers, plainly_guilty, suspects
from tuner.units import format_seconds

# What somebody ended, who may have done so because it took too long.
_ENDED_BY_SOMEBODY = frozenset({FailureKind.KILLED, FailureKind.OWN_EXIT})


@dataclass(frozen=True, slots=True)
class Said:
    """Where an action stands after a run that failed, and why. `cleared`: the job failed in the same way without it.

    `counts`: as one of its trials. `suspected`: it is proven, and one more failure like this one takes it out.
    """

    decided: DecidedAction
    standing: Standing
    reason: str
    cleared: bool = False
    counts: bool = True
    suspected: bool = False


@dataclass(frozen=True, slots=True)
class Failing:
    """A run that failed, among the others, oldest first. `last_trials` are ids of actions that are not tried again after it,
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


def said_by_failure(failing: Failing, in_force: Sequence[DecidedAction]) -> Iterator[Said]:
    """Of what was on trial, what can have made the failure is rolled back, unless the job then failed in the same way without
    it; what cannot is tried again, and a failure that no change can have made is none of its trials.

    What was promoted is rolled back where the failure is plainly of its making; else only if the job failed with nothing on
    trial, and then succeeded without any change: at once where it is known to make such failures, else when the next run with
    it fails so, too. One failure that says nothing of its cause does not undo what was proven.
    """
    run, after = failing.run, _next_that_tells(failing.later)
    outside, reason = failing.from_outside, _how_it_failed(failing.run)
    counts = not outside or (run.failure is not None and run.failure.kind is FailureKind.KILLED)
    trials = {} if outside else _blamed(failing, in_force)
    proven = proven_suspects(failing, in_force)
    alone = after is not None and usable(after) and not after.decision.in_force
    for decided in in_force:
        id_, on_trial = decided.action.id, decided.standing is Standing.TRIAL
        if on_trial and after is not None and _failed_without(decided, run, after):
            yield Said(decided, decided.standing, decided.reason, cleared=True, counts=False)
        elif id_ in trials:
            yield Said(decided, Standing.ROLLED_BACK, reason if on_trial else f"{reason}; {trials[id_]}")
        elif on_trial and counts and id_ in failing.last_trials:
            yield Said(decided, Standing.ROLLED_BACK, f"{reason}; not of its making, but no trial told anything of it")
        elif on_trial:
            yield Said(decided, Standing.TRIAL, f"{reason}: not of its making, tried once more", counts=counts)
        elif alone and id_ in proven and (proven[id_] or id_ in failing.suspected):
            again = "" if proven[id_] else ", as the run with it before did"
            yield Said(decided, Standing.ROLLED_BACK, f"{reason}{again}; succeeded without it")
        else:
            yield Said(decided, decided.standing, decided.reason, suspected=alone and id_ in proven)


def no_change_made_it(run: Run, earlier: Iterable[Run]) -> bool:
    """Whether a run failed from outside. One that was ended when it had taken far longer than any before it may have been
    too slow, for whoever ended it, because of a change."""
    if not from_outside(run.failure):
        return False
    longest = max((took for r in earlier if usable(r) and (took := _took_ms(r)) is not None), default=None)
    took = _took_ms(run)
    patient = longest is None or took is None or took <= (1 + FAR_SLOWER) * longest
    return patient or run.failure is None or run.failure.kind not in _ENDED_BY_SOMEBODY


def proven_suspects(failing: Failing, in_force: Sequence[DecidedAction]) -> dict[str, bool]:
    """What was promoted and can have made a run fail with nothing on trial, by action id; and whether one such failure is
    enough: it is known to make them, or the run was ended for taking far longer than ever."""
    on_trial = any(d.standing is Standing.TRIAL for d in in_force)
    if on_trial or failing.run.state is not RunState.FAILED or failing.from_outside:
        return {}
    proven = [d for d in in_force if d.standing is Standing.PROMOTED]
    if from_outside(failing.run.failure):
        return {d.action.id: True for d in proven}
    known = bool(known_makers(failing.failure, proven))
    return {d.action.id: known for d in suspects(failing.failure, proven)}


def _took_ms(run: Run) -> float | None:
    """By its log; where that has no end, by the clock of its driver."""
    if run.outcome is not None and run.outcome.duration_ms is not None:
        return run.outcome.duration_ms
    return (run.ended_at - run.started_at).total_seconds() * 1e3 if run.ended_at else None


def _next_that_tells(later: Sequence[Run]) -> Run | None:
    return next(
        (r for r in later if r.state not in (RunState.RUNNING, RunState.LOST) and not from_outside(r.failure)), None
    )


def _failed_without(decided: DecidedAction, run: Run, after: Run) -> bool:
    """Whether the next run that tells failed without the action, in the same way as this one."""
    failed = after.state is RunState.FAILED and decided.action not in after.decision.in_force
    return failed and alike(run.failure, after.failure)


def _blamed(failing: Failing, in_force: Sequence[DecidedAction]) -> dict[str, str]:
    """Action ids, and why, by the failure alone."""
    new = [d for d in in_force if d.standing is Standing.TRIAL]
    found = {d.action.id: "" for d in suspects(failing.failure, new)}
    return found | {d.action.id: "nothing new can have made it" for d in plainly_guilty(failing.failure, in_force)}


def _how_it_failed(run: Run) -> str:
    how = "failed" if run.state is RunState.FAILED else "broke off"
    took = run.outcome.duration_ms if run.outcome else None
    after = f" after {format_seconds(took / 1e3)}" if took is not None else ""
    return f"run {run.key} {how} with it{after}" + (f": {run.failure.sentence}" if run.failure else "")
