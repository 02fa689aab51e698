"""Where a change stands after a run that tried it: by what was measured, what was predicted, and how often it was tried."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.model.decision import DecidedChange, Standing
from tuner.model.objective import Objective
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.blame import slower
from tuner.policy.effect import Effect
from tuner.policy.evidence.allocation import MOST_WORSE, Allocation
from tuner.policy.evidence.comparison import MAX_TRIALS, MIN_GAIN_SECONDS, MIN_SECONDS, SURE_LOSS, Comparison

# A trial ends after two nights or more once a gain is less likely than this, by what was measured and predicted. One night may be
# the machine's. (In simulated trials half of what that ends truly loses over 3 %; of what truly gains over 5 % it ends next to
# none that four nights would have kept.)
UNLIKELY_GAIN, LEAST_TRIALS = 0.3, 2
# Where values are others in each run, a loss is told late: what does not seem to gain goes at once. (A broadcast in a stream made
# 2.4 s of 1.7, and was 26 and 21 % sure of a gain after its first nights.)
UNLIKELY_ON_FLEETING = 0.5
# After the last trial that neither won nor lost for sure, what is likely decides: a change has shown that it does little.
LIKELY_GAIN, UNLIKELY_LOSS = 0.85, 0.1
# Where a gain is at least this likely by then, or nothing was measured, one more run without it is worth its price: most such
# changes have but one to be held against.
PROMISING_GAIN = 0.7
# What secures a plan that had been there by chance, or surely holds less core time, stays unless it is likelier to lose than not.
LIKELY_LOSS = 0.5

ONE_MORE_WITHOUT = Reason(ReasonCode.ONE_MORE_WITHOUT, {"runs": MAX_TRIALS})


@dataclass(frozen=True, slots=True)
class TrialRun:
    """What a run tells of a change that it tried, the `trials`-th in a row, beside `others` on the same queries.

    `belief` is what was measured and predicted. `allocation` is None where nothing tells what executors hold.
    """

    decided: DecidedChange
    effect: Effect
    belief: Comparison
    allocation: Allocation | None
    trials: int
    others: int


@dataclass(frozen=True, slots=True)
class AfterTrial:
    """Where the change stands, and why; `held_out` is why the next run is to be without it."""

    standing: Standing
    why: Reason
    held_out: Reason | None = None


def after_trial(tried: TrialRun, run: Run) -> AfterTrial:
    """Of a change that was measured (its effect has comparisons), and that surely lost nothing."""
    total, allocation = tried.effect.total, tried.allocation
    objective = run.decision.objective
    if tried.decided.change.secures and total.loss_probability < LIKELY_LOSS:
        return AfterTrial(Standing.PROMOTED, _measured(ReasonCode.SECURED, tried))
    if _is_faster(tried) and (allocation is None or allocation.is_worth(objective)):
        return AfterTrial(Standing.PROMOTED, _measured(ReasonCode.FASTER, tried))
    if allocation is not None and allocation.is_gain(objective) and total.ratio.above(1 + MOST_WORSE) < LIKELY_LOSS:
        return AfterTrial(Standing.PROMOTED, allocation.reason(ReasonCode.ALLOCATED_LESS, run))
    if tried.trials == MAX_TRIALS and _may_gain(tried.effect):
        return AfterTrial(Standing.TRIAL, _measured(ReasonCode.WITHIN_NOISE, tried), held_out=ONE_MORE_WITHOUT)
    if _is_last(tried):
        is_dear = allocation is not None and not allocation.is_worth(objective)
        dear = allocation.reason(ReasonCode.ALLOCATED_MORE, run) if allocation and is_dear else None
        return AfterTrial(Standing.ROLLED_BACK, dear or Reason(ReasonCode.NO_GAIN, {"runs": tried.trials}))
    if _is_unlikely(tried) and not _may_hold_less(tried, objective):
        return AfterTrial(Standing.ROLLED_BACK, _measured(ReasonCode.UNLIKELY_GAIN, tried))
    return AfterTrial(Standing.TRIAL, _measured(ReasonCode.WITHIN_NOISE, tried))


def sure_loss(effect: Effect, belief: Comparison, allocation: Allocation | None, run: Run) -> Reason | None:
    """Why a change surely costs more than it gains, in seconds or in core time that executors hold; None where it does not."""
    if effect.comparisons and (belief.slower or _loses_in_all(effect)):
        worst = min((*effect.named, *effect.beside), key=lambda c: c.gain)
        return slower(worst, run, named=worst not in effect.beside)
    if allocation is not None and allocation.is_surely_more:
        return allocation.reason(ReasonCode.ALLOCATED_MORE, run)
    return None


def _is_unlikely(tried: TrialRun) -> bool:
    if tried.decided.fleeting:
        return tried.belief.gain_probability < UNLIKELY_ON_FLEETING
    is_unlikely = tried.trials >= LEAST_TRIALS and tried.belief.gain_probability < UNLIKELY_GAIN
    return is_unlikely and not _is_faster_by_the_clock(tried.effect)


def _may_hold_less(tried: TrialRun, objective: Objective) -> bool:
    """Whether a change is not tried for seconds alone: it secures a plan, or core time is asked for, which takes runs to tell."""
    of_cost = objective is not Objective.TIME and tried.allocation is not None
    is_slower = tried.effect.total.ratio.above(1 + MOST_WORSE) >= LIKELY_LOSS
    return tried.decided.change.secures or (of_cost and not is_slower)


def _is_faster(tried: TrialRun) -> bool:
    return _gains_in_all(tried.effect) and (tried.belief.faster or (_is_last(tried) and _is_likely(tried.effect.total)))


def _gains_in_all(effect: Effect) -> bool:
    """Whether a gain on some queries is not likely to be lost on others."""
    return effect.whole.gain_probability > 0.5


def _loses_in_all(effect: Effect) -> bool:
    """Whether a property surely costs its run more than it gains there; 3 % of a run are more than most changes gain."""
    whole = effect.whole
    return bool(effect.beside) and -whole.usual_gain > MIN_SECONDS and whole.ratio.above(1.0) > SURE_LOSS


def _is_last(tried: TrialRun) -> bool:
    return tried.trials >= MAX_TRIALS


def _is_likely(measured: Comparison) -> bool:
    likely = measured.gain_probability > LIKELY_GAIN and measured.loss_probability < UNLIKELY_LOSS
    return likely and measured.usual_gain > MIN_GAIN_SECONDS


def _may_gain(effect: Effect) -> bool:
    """Whether one more run without may show a gain: it is likely, or sure by the clock alone."""
    is_likely = _is_promising(effect.total) and _gains_in_all(effect)
    return is_likely or _is_faster_by_the_clock(effect)


def _is_faster_by_the_clock(effect: Effect) -> bool:
    """Whether the clock is sure of a gain, as where cores had been idle; or the one run without was a slow one, which another
    tells."""
    by_clock = effect.on_the_clock
    return by_clock.total.faster and _gains_in_all(by_clock)


def _is_promising(measured: Comparison) -> bool:
    return measured.gain_probability > PROMISING_GAIN and measured.usual_gain > MIN_GAIN_SECONDS


def _measured(code: ReasonCode, tried: TrialRun) -> Reason:
    """With usual seconds and how fast the machine was: together what it would have taken that night."""
    total = tried.effect.total
    return Reason(
        code,
        {
            "usual_seconds": total.usual,
            "seconds": total.measured,
            "queries": len(tried.effect.comparisons),
            "queries_not_named": len(tried.effect.moved),
            "other_changes": tried.others,
            "machine_speed": total.speed,
            "gain_probability": total.gain_probability,
        },
    )
