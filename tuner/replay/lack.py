"""What a run went without of a decision: each trial alone, and all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tuner.model.action import ActionKind
from tuner.model.change import Prediction
from tuner.model.decision import Decision
from tuner.model.run import Run
from tuner.policy.already_set import already_set
from tuner.policy.measure import seconds_by_query
from tuner.policy.usable import usable
from tuner.replay.cohort_replay import Lacked
from tuner.replay.has_action import has_action
from tuner.replay.trials import Trial, trials_lacked, with_trials


@dataclass(frozen=True, slots=True)
class Lack:
    """`predicted` are the seconds of all queries of the run without and with what it lacked, but for the trials of properties
    that it had set: `gain_if_unset` is what these would gain beside that."""

    trials: tuple[Lacked, ...] = ()
    predicted: Prediction | None = None
    gain_if_unset: float = 0.0


def lack_of(run: Run, decision: Decision) -> Lack:
    """For the run's own seconds; nothing where it has none."""
    seconds = seconds_by_query(run) if usable(run) else {}
    lacked = trials_lacked(decision, {decided.id for decided in run.decision.in_force})
    trials = [trial for trial in lacked if not _is_set_so(trial, run)]
    conf = _set_by_others(run)
    free = with_trials(seconds, [trial for trial in trials if not _already_set(trial, conf)])
    every = with_trials(seconds, trials)
    return Lack(tuple(_each(trials, seconds, conf)), _of_all(free, seconds), _gain(every) - _gain(free))


def _each(trials: Iterable[Trial], seconds: Mapping[str, float], conf: Mapping[str, str]) -> Iterator[Lacked]:
    for trial in trials:
        if (predicted := with_trials(seconds, [trial])) is not None:
            yield Lacked(tuple(d.id for d in trial.decided), predicted, _already_set(trial, conf))


def _is_set_so(trial: Trial, run: Run) -> bool:
    """Whether somebody had set all that it sets, as it does, and it does nothing else."""
    outcome = run.outcome
    return outcome is not None and all(a.kind is ActionKind.SET_CONF and has_action(outcome, a) for a in trial.actions)


def _already_set(trial: Trial, conf: Mapping[str, str]) -> dict[str, str]:
    return already_set((decided.change for decided in trial.decided), conf)


def _set_by_others(run: Run) -> dict[str, str]:
    """What a run's log tells of its conf, but for what is in force: whoever set the rest."""
    conf = run.outcome.conf if run.outcome else {}
    own = {action.target for action in run.decision.actions}
    return {name: value for name, value in conf.items() if name not in own}


def _of_all(predicted: Prediction | None, seconds: Mapping[str, float]) -> Prediction | None:
    """With the seconds of the queries that nothing is for."""
    if predicted is None:
        return None
    rest = sum(seconds.values()) - predicted.before
    return Prediction(*(getattr(predicted, end) + rest for end in ("before", "after", "low", "high")))


def _gain(predicted: Prediction | None) -> float:
    return predicted.gain if predicted else 0.0
