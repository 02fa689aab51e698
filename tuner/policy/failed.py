"""What a run that failed says of the changes that were in force in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tuner.eventlog.failure_rules import FailureKind
from tuner.history.model import DecidedAction, Run, RunState, Standing
from tuner.policy.blame import FAR_SLOWER
from tuner.policy.measure import usable
from tuner.policy.suspects import alike, from_outside, plainly_guilty, suspects
from tuner.units import format_seconds


@dataclass(frozen=True, slots=True)
class Said:
    """Where an action stands after a run that failed, and why. `cleared`: the job failed in the same way without it."""

    decided: DecidedAction
    standing: Standing
    reason: str
    cleared: bool = False


def said_by_failure(
    run: Run,
    in_force: Sequence[DecidedAction],
    earlier: Sequence[Run],
    later: Sequence[Run],
    last_trials: Collection[str],
) -> Iterator[Said]:
    """Of what was on trial, what is to blame is rolled back, unless the job then failed in the same way without it; what
    is not is tried again, but for `last_trials` (action ids).

    What was promoted is rolled back where the failure is plainly of its making; else only if it failed with nothing on
    trial, and the job then succeeded without it.
    """
    after = _next_that_tells(later)
    without = after is not None and not after.decision.in_force
    fails_anyway = (
        without and after is not None and after.state is RunState.FAILED and alike(run.failure, after.failure)
    )
    blamed = {} if no_change_made_it(run, earlier) else _blamed(run, in_force)
    if without and after is not None and usable(after) and not no_change_made_it(run, earlier):
        blamed |= _proven_guilty(run, in_force)
    reason = _how_it_failed(run)
    for decided in in_force:
        id_, on_trial = decided.action.id, decided.standing is Standing.TRIAL
        if on_trial and fails_anyway:
            yield Said(decided, decided.standing, decided.reason, cleared=True)
        elif id_ in blamed:
            yield Said(decided, Standing.ROLLED_BACK, reason if on_trial else f"{reason}; {blamed[id_]}")
        elif on_trial and id_ in last_trials:
            yield Said(decided, Standing.ROLLED_BACK, f"{reason}; not of its making, but no trial told anything of it")
        elif on_trial:
            yield Said(decided, Standing.TRIAL, f"{reason}: not of its making, tried once more")
        else:
            yield Said(decided, decided.standing, decided.reason)


def no_change_made_it(run: Run, earlier: Iterable[Run]) -> bool:
    """Whether a run failed from outside. One that was killed when it had taken far longer than any before it may have been
    too slow, for whoever killed it, because of a change."""
    if not from_outside(run.failure):
        return False
    longest = max((took for r in earlier if usable(r) and (took := _took_ms(r)) is not None), default=None)
    took = _took_ms(run)
    patient = longest is None or took is None or took <= (1 + FAR_SLOWER) * longest
    return patient or run.failure is None or run.failure.kind is not FailureKind.KILLED


def _took_ms(run: Run) -> float | None:
    """By its log; where that has no end, by the clock of its driver."""
    if run.outcome is not None and run.outcome.duration_ms is not None:
        return run.outcome.duration_ms
    return (run.ended_at - run.started_at).total_seconds() * 1e3 if run.ended_at else None


def _next_that_tells(later: Sequence[Run]) -> Run | None:
    return next(
        (r for r in later if r.state not in (RunState.RUNNING, RunState.LOST) and not from_outside(r.failure)), None
    )


def _blamed(run: Run, in_force: Sequence[DecidedAction]) -> dict[str, str]:
    """Action ids, and why, by the failure alone."""
    new = [d for d in in_force if d.standing is Standing.TRIAL]
    found = {d.action.id: "" for d in suspects(run.failure, new)}
    return found | {d.action.id: "nothing new can have made it" for d in plainly_guilty(run.failure, in_force)}


def _proven_guilty(run: Run, in_force: Sequence[DecidedAction]) -> dict[str, str]:
    """What was promoted and failed with nothing on trial, where the next run succeeds without it."""
    on_trial = any(d.standing is Standing.TRIAL for d in in_force)
    if on_trial or run.state is not RunState.FAILED:
        return {}
    return {d.action.id: "succeeded without it" for d in in_force if d.standing is Standing.PROMOTED}


def _how_it_failed(run: Run) -> str:
    how = "failed" if run.state is RunState.FAILED else "broke off"
    took = run.outcome.duration_ms if run.outcome else None
    after = f" after {format_seconds(took / 1e3)}" if took is not None else ""
    return f"run {run.key} {how} with it{after}" + (f": {run.failure.sentence}" if run.failure else "")
