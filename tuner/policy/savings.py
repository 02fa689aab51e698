"""What each change gained in each run, nothing counted twice: as all runs of the cohort tell by now."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from tuner.model.decision import Standing
from tuner.model.query import total_data_bytes
from tuner.model.run import Run, RunState
from tuner.model.saving import OF_SIZES, Saving
from tuner.model.size_change import values_of
from tuner.policy.asked_executors import AskedExecutors, asked_executors
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.context import ByContext
from tuner.policy.evidence.history import EFFECT_SPREAD, History
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.evidence.unsure_sum import UnsureSum
from tuner.policy.failed_run import FailedRun, after_failure, clock_ms
from tuner.policy.failed_twice import failed_twice
from tuner.policy.held_share import HeldShare
from tuner.policy.idle_runs import without_idle
from tuner.policy.judging.queries_beside import QueriesBeside
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.measure import Key, Measured
from tuner.policy.moved_beside import moved_beside
from tuner.policy.overlap import clock_share
from tuner.policy.queries_that_read import queries_that_read
from tuner.policy.usable import usable
from tuner.units import SECONDS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one trial, by the change that the others need, in what a query gained."""

    change_id: str
    seconds: float
    deviation: float
    variance_of_all: float = 0.0


def savings(runs: Sequence[Run]) -> list[Saving]:
    """Of each run that changes were in force in, a row for each trial of them, by the change that the others need; `runs` are
    oldest first.

    A query's gain is that of all its changes together, which is then shared out among trials, so that the parts add up. What
    changes did to queries that never ran without them is not known, and claimed by none. A run that a change made fail lost what
    it took.
    """
    held, held_share = _Held(runs), HeldShare(runs)
    found = list(_of_failures(runs, held))
    for run, gained in _gained(runs):
        on_the_clock = clock_share(run.outcome.queries if run.outcome else ())
        of_clock = on_the_clock * held_share.of(run, sum(s.seconds for s in gained) * on_the_clock)
        for s in gained:
            hours, variance = held.hours(run, s.seconds * of_clock), s.variance_of_all
            found.append(Saving(run.key, s.change_id, s.seconds, s.deviation, *hours, variance_of_run=variance))
    found.extend(held.of_sizes())
    order = {run.key: number for number, run in enumerate(runs)}
    return sorted(found, key=lambda saving: order[saving.run_key])


def shared_out(without: float, ratio: LogRatio, each: Sequence[tuple[str, LogRatio]]) -> list[Share]:
    """What several changes gained together of a query that takes `without` seconds without them, by what each does alone.

    The logarithmic mean makes parts that add up to the whole without a rest (the LMDI method: Ang, Energy Policy 33, 2005,
    867-871). Where the logs of the parts do not add up to that of the whole, each takes of the rest by its variance, as
    observations are adjusted by least squares; so it does of what is unsure of the whole.
    """
    rest = ratio.mean - sum(one.mean for _, one in each)
    unsure = sum(one.variance for _, one in each)
    with_them = without * math.exp(ratio.mean)
    scale = without if abs(ratio.mean) < 1e-9 else (without - with_them) / -ratio.mean
    of_all = without**2 * ratio.variance
    return [
        Share(
            id_,
            -(one.mean + rest * one.variance / unsure) * scale,
            without * one.deviation,
            of_all * one.variance / unsure,
        )
        for id_, one in each
    ]


def _gained(runs: Sequence[Run]) -> Iterator[tuple[Run, list[Share]]]:
    """Of each measured run with changes, what each of these gained."""
    histories, beside, steered = ByContext(History), QueriesBeside(), list[tuple[Run, list[_Took]]]()
    trials = {d.id: d.change.trial for run in runs for d in run.decision.changes}
    for run in with_literal_classes(runs):
        if usable(run) and run.outcome:
            history = histories.of(run)
            queries = queries_that_read(run, history)
            history.add(queries, beside=beside.add(run))
            # A night that was slow for other reasons makes no gain larger.
            took = [
                _Took(query, seconds, history.usual_without(query))
                for query in queries
                if query.changes | query.properties and (seconds := history.usual_with(query)) is not None
            ]
            if took:
                steered.append((run, took))
    effects: dict[int, _Effects] = {}
    for run, took in steered:
        history = histories.of(run)
        yield run, _of_run(took, trials, effects.setdefault(id(history), _Effects()), history)


@dataclass(frozen=True, slots=True)
class _Took:
    """A query of a run, and what it usually took with its changes at that time; `without` is what it took without them, where
    that run was the first to tell of one of them."""

    query: Measured
    seconds: float
    without: float | None

    def expected(self, ratio: LogRatio) -> float:
        """What it takes without its changes, by what all runs tell of them: the first night with one may have hung."""
        expected = self.seconds * math.exp(-ratio.mean)
        return expected if self.without is None else min(expected, self.without)


@dataclass(slots=True)
class _Effects:
    """What changes are known to do to queries, each worked out once for all runs of a context."""

    _known: dict[tuple[Key, frozenset[str]], LogRatio | None] = field(default_factory=dict)

    def of(self, query: Measured, changes: frozenset[str], history: History) -> LogRatio | None:
        key = query.key, changes
        if key not in self._known:
            self._known[key] = history.effect(query, changes)
        return self._known[key]


def _of_run(took: Sequence[_Took], trials: Mapping[str, str], effects: _Effects, history: History) -> list[Share]:
    usual = [replace(one.query, seconds=one.seconds) for one in took]
    moved = moved_beside(usual, lambda query, changes: effects.of(query, changes, history))
    total: dict[str, _OfTrial] = {}
    for number, one in enumerate(took):
        changes = one.query.changes | moved.get(number, frozenset())
        ratio = effects.of(one.query, changes, history) if changes else None
        if ratio is None:
            continue
        by_trial: dict[str, set[str]] = {}
        for id_ in sorted(changes):
            by_trial.setdefault(trials[id_], set()).add(id_)
        each = [(trial, effects.of(one.query, frozenset(ids), history)) for trial, ids in by_trial.items()]
        known = [(trial, own or LogRatio(0.0, EFFECT_SPREAD**2)) for trial, own in each]
        for share in shared_out(one.expected(ratio), ratio, known):
            common = history.shared_effect(one.query, frozenset(by_trial[share.change_id]))
            total.setdefault(share.change_id, _OfTrial()).add(share, common)
    return [
        Share(id_, found.seconds, math.sqrt(found.alone.variance), found.of_all.variance)
        for id_, found in total.items()
    ]


@dataclass(slots=True)
class _OfTrial:
    """The sum of a trial's shares in what queries of a run gained: how unsure it is by what the trial does alone, and its part in
    what is unsure `of_all`."""

    seconds: float = 0.0
    alone: UnsureSum = field(default_factory=UnsureSum)
    of_all: UnsureSum = field(default_factory=UnsureSum)

    def add(self, share: Share, common: float) -> None:
        """What one query gained: so much of what is unsure of it is common to all queries."""
        self.seconds += share.seconds
        self.alone.add(share.deviation**2, common)
        self.of_all.add(share.variance_of_all, common)


@dataclass(frozen=True, slots=True)
class _Sized:
    """What a run's executors held on average, and for how long; `sizes` are those set in place of its job's own, `asked`."""

    run: Run
    cores: float
    gib: float
    seconds: float
    sizes: frozenset[tuple[str, str]]
    asked: AskedExecutors
    changes: frozenset[str]
    input_bytes: int


class _Held:
    """What executors held in each run of a cohort, a second: cores, and GiB. One that found nothing to read tells of none."""

    def __init__(self, runs: Sequence[Run]) -> None:
        told = without_idle([run for run in runs if usable(run)])
        sized = [one for run in told if (one := _sized(run)) is not None]
        self._own = [one for one in sized if not one.sizes]
        self._other = [one for one in sized if one.sizes]

    def hours(self, run: Run, seconds: float) -> tuple[float | None, float | None]:
        """Core-hours and GiB-hours that a run's job as its author sized it holds in so many seconds on the clock: by the run's
        own log where that tells, else by its other runs."""
        if values_of(run.decision.sizes) or not _has_end(run):
            rates = _median(self._as_asked(asked_executors(run), _changes(run)) or self._own)
        else:
            rates = _rates(run)
        if rates is None:
            return None, None
        cores, gib = (seconds * rate / SECONDS_PER_HOUR for rate in rates)
        return cores, gib

    def of_sizes(self) -> Iterator[Saving]:
        """What other sizes than the job's own saved: what runs held, against what its own hold in the time it takes with them."""
        alike: dict[tuple[object, ...], list[_Sized]] = {}
        for one in self._other:
            alike.setdefault((one.sizes, one.asked, one.changes), []).append(one)
        for sized in alike.values():
            if own := self._as_asked(sized[0].asked, sized[0].changes):
                yield from _of_alike(sized, own)

    def _as_asked(self, asked: AskedExecutors, changes: frozenset[str]) -> list[_Sized]:
        """Runs in the sizes that their author asks for, which were these: what he asks for later says nothing of earlier runs.
        Those with the same changes, where there are any: what these hold more or less is nothing of sizes."""
        own = [one for one in self._own if one.asked == asked]
        return [one for one in own if one.changes == changes] or own


def _of_alike(sized: Sequence[_Sized], own: Sequence[_Sized]) -> Iterator[Saving]:
    """Of runs with the same sizes and changes, which together tell how much slower these sizes make the job than its `own`."""
    cores, gib = median(one.cores for one in own), median(one.gib for one in own)
    usual, read = median(one.seconds for one in own), median(one.input_bytes for one in own)
    # Who reads more takes longer with any sizes.
    expected = [usual * max(1.0, one.input_bytes / read) if read else usual for one in sized]
    slower = max(1.0, median(one.seconds / seconds for one, seconds in zip(sized, expected, strict=True)))
    for one, seconds in zip(sized, expected, strict=True):
        # A night that hung saves no more than others.
        hours = min(one.seconds, seconds * slower) / SECONDS_PER_HOUR
        saved = (cores / slower - one.cores) * hours, (gib / slower - one.gib) * hours
        yield Saving(one.run.key, OF_SIZES, 0.0, 0.0, *saved)


def _sized(run: Run) -> _Sized | None:
    """None where its log does not tell."""
    rates = _rates(run)
    if rates is None or run.outcome is None:
        return None
    sizes, read = values_of(run.decision.sizes), total_data_bytes(run.outcome.queries)
    return _Sized(run, *rates, _took_seconds(run), sizes, asked_executors(run), _changes(run), read)


def _changes(run: Run) -> frozenset[str]:
    return frozenset(decided.id for decided in changes_in_effect(run))


def _rates(run: Run) -> tuple[float, float] | None:
    """Cores and GiB that a run's executors held on average; None where its log does not tell."""
    outcome, hours = run.outcome, _took_seconds(run) / SECONDS_PER_HOUR
    if outcome is None or not hours or outcome.allocated_core_hours is None:
        return None
    return outcome.allocated_core_hours / hours, (outcome.allocated_gib_hours or 0.0) / hours


def _median(sized: Sequence[_Sized]) -> tuple[float, float] | None:
    return (median(one.cores for one in sized), median(one.gib for one in sized)) if sized else None


def _took_seconds(run: Run) -> float:
    return (run.outcome.duration_ms or 0) / 1e3 if run.outcome else 0.0


def _has_end(run: Run) -> bool:
    return run.outcome is not None and run.outcome.duration_ms is not None


def _of_failures(runs: Sequence[Run], held: _Held) -> Iterator[Saving]:
    """What runs took that failed, by what made them: changes that were taken out for it, or less memory than was asked for."""
    longest_ms = max((clock_ms(run) or 0.0 for run in runs if usable(run)), default=None)
    suspected = failed_twice(runs)
    for position, run in enumerate(runs):
        if run.state is not RunState.FAILED or not (run.decision.in_force or run.decision.cuts):
            continue
        failed = FailedRun(run, runs[:position], runs[position + 1 :], suspected=suspected.get(run.key, ()))
        guilty = list(_made_by(failed))
        for id_ in guilty:
            lost = -_lost_seconds(failed, longest_ms) / len(guilty)
            yield Saving(run.key, id_, lost, 0.0, *held.hours(run, lost), failed=True)


def _lost_seconds(failed: FailedRun, longest_ms: float | None) -> float:
    """By its log. Where that has no end, by its driver's clock, and no more than any run that succeeded took, or where none did
    (None), than its log tells of queries: the death of a worker is noticed late. What somebody ended for its slowness was seen
    to its end."""
    took_ms = max(0.0, clock_ms(failed.run) or 0.0)  # Clocks are set back.
    if _has_end(failed.run) or failed.ended_for_slowness:
        return took_ms / 1e3
    return min(took_ms, _told_ms(failed.run) if longest_ms is None else longest_ms) / 1e3


def _told_ms(run: Run) -> float:
    """From the first start of a query to the last end of one that a run's log tells."""
    queries = run.outcome.queries if run.outcome else ()
    ends = [query.end_ms for query in queries]
    return max(ends) - min(query.start_ms for query in queries) if queries else 0.0


def _made_by(failed: FailedRun) -> Iterable[str]:
    if failed.had_less_memory:
        return () if failed.died_in_own_sizes else (OF_SIZES,)
    after = after_failure(failed, changes_in_effect(failed.run))
    made = (one.decided for one in after if one.standing is Standing.ROLLED_BACK and not one.cleared)
    return dict.fromkeys(decided.change.trial for decided in made)
