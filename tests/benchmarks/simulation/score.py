"""What became of one cohort: seconds by policy, runs and queries that were slower, and changes judged wrongly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.simulation.alternatives import all_advice, best, ever_advised, seconds_with, untuned_seconds
from tests.benchmarks.simulation.play import Try, tries_by_night
from tests.benchmarks.simulation.regret import LOST, regret_of
from tests.benchmarks.simulation.turns import Turns, turns_of
from tests.benchmarks.simulation.world import World, seconds

# A run or a query is slower when it took this share more than untuned it would have, and for a query this many seconds.
SLOWER, SLOWER_SECONDS = 0.05, 0.1
# The gain that a cohort ends with: the mean of so many nights, if it is more than a trifle.
FINAL_NIGHTS, TRIFLE, NEARLY = 5, 0.02, 0.9


@dataclass(frozen=True, slots=True)
class Score:
    """One cohort's nights. Seconds are of all queries, failed tries with them.

    `regret` is seconds by why an oracle saves them and the tuner does not, `slower_by` counts slower runs by what made most of
    them. `nights_to_gain` is how many nights passed before
    one gained nearly what the last ones do; None where these gain nothing.
    """

    scenario: str
    nights: int
    untuned: float
    tuned: float
    oracle: float
    all_advice: float
    slower_runs: int
    slower_seconds: float
    queries: int
    slower_queries: int
    failed_by_tuner: int
    nights_to_gain: int | None
    turns: Turns = field(default_factory=Turns)
    regret: Mapping[str, float] = field(default_factory=dict)
    slower_by: Mapping[str, float] = field(default_factory=dict)

    @property
    def lost(self) -> bool:
        """Whether the cohort as a whole took longer than with nothing ever in force."""
        return self.tuned > self.untuned * 1.001


def score(world: World, tries: Sequence[Try]) -> Score:
    """The score of a cohort that was played."""
    advised = ever_advised(world)
    by_night = tries_by_night(tries)
    nights = [_Night.of(night) for night in by_night]
    regrets = [regret_of(night[-1], advised) for night in by_night]
    return Score(
        scenario=world.scenario.name,
        nights=len(nights),
        untuned=sum(n.untuned for n in nights),
        tuned=sum(n.tuned for n in nights),
        oracle=sum(seconds_with(night, best(advised, night)) for night in world.nights),
        all_advice=sum(seconds_with(night, all_advice(world, night)) for night in world.nights),
        slower_runs=sum(n.is_slower for n in nights),
        slower_seconds=sum(n.tuned - n.untuned for n in nights if n.is_slower),
        queries=sum(n.queries for n in nights),
        slower_queries=sum(n.slower_queries for n in nights),
        failed_by_tuner=sum(n.failed_by_tuner for n in nights),
        nights_to_gain=_nights_to_gain([1 - n.tuned / n.untuned for n in nights]),
        turns=turns_of(tries),
        regret=_sums(regrets),
        slower_by=Counter(n.slower_by(regret) for n, regret in zip(nights, regrets, strict=True) if n.is_slower),
    )


@dataclass(frozen=True, slots=True)
class _Night:
    untuned: float
    tuned: float
    queries: int
    slower_queries: int
    failed_by_tuner: bool

    @classmethod
    def of(cls, tries: Sequence[Try]) -> _Night:
        night, last = tries[0].night, tries[-1]
        without = seconds(night)
        slower = (now - s > max(SLOWER_SECONDS, SLOWER * s) for now, s in zip(last.seconds, without, strict=True))
        wasted = sum(sum(t.seconds) * night.got_to for t in tries if t.failed)
        return cls(
            untuned=untuned_seconds(night),
            tuned=wasted + (0.0 if last.failed else sum(last.seconds)),
            queries=len(without),
            slower_queries=0 if last.failed else sum(slower),
            failed_by_tuner=any(t.by_tuner for t in tries),
        )

    @property
    def is_slower(self) -> bool:
        return self.tuned > (1 + SLOWER) * self.untuned

    def slower_by(self, regret: Mapping[str, float]) -> str:
        """What made most of it: a failure of the tuner's, or where the change stood that lost most."""
        if self.failed_by_tuner:
            return "made to fail"
        return max(
            (why for why in regret if why.startswith(LOST)), key=regret.__getitem__, default="failed with changes"
        )


def _nights_to_gain(gains: Sequence[float]) -> int | None:
    last = gains[-FINAL_NIGHTS:]
    final = sum(last) / len(last)
    if final <= TRIFLE:
        return None
    return next(number for number, gain in enumerate(gains) if gain >= NEARLY * final)


def _sums(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for part in parts:
        found.update(part)
    return dict(found)


def total(scores: Iterable[Score], scenario: str) -> Score:
    """Cohorts together; `nights_to_gain` is the median of those that gained."""
    each = list(scores)
    gained = sorted(s.nights_to_gain for s in each if s.nights_to_gain is not None)
    return Score(
        scenario=scenario,
        nights=sum(s.nights for s in each),
        untuned=sum(s.untuned for s in each),
        tuned=sum(s.tuned for s in each),
        oracle=sum(s.oracle for s in each),
        all_advice=sum(s.all_advice for s in each),
        slower_runs=sum(s.slower_runs for s in each),
        slower_seconds=sum(s.slower_seconds for s in each),
        queries=sum(s.queries for s in each),
        slower_queries=sum(s.slower_queries for s in each),
        failed_by_tuner=sum(s.failed_by_tuner for s in each),
        nights_to_gain=gained[len(gained) // 2] if gained else None,
        turns=Turns.together(s.turns for s in each),
        regret=_sums(s.regret for s in each),
        slower_by=_sums(s.slower_by for s in each),
    )
