"""The queries of the runs so far, and what they tell of the changes that were in force."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from tuner.policy.evidence.clock_effect import borne_out, over_values
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.evidence.hours import Turn, speeds_by_turn
from tuner.policy.evidence.known_query import KnownQuery
from tuner.policy.evidence.log_filter import ALIKE
from tuner.policy.evidence.log_ratio import UNKNOWN, LogRatio, pooled_ratio
from tuner.policy.evidence.machine import SEEMS_BUSY, Control, Shared, Speed, machine_speed, told_by, without
from tuner.policy.evidence.metric import CLOCK, CPU, METRICS, WORK, Metric
from tuner.policy.evidence.spread import Spread
from tuner.policy.measure import Key, Keys, Measured

# How far a change may be off from doing nothing, as long as nothing is measured.
EFFECT_SPREAD = 2.0
# A property does little to most queries that it is not meant for: as controls of the machine they are as unsure as this.
BYSTANDER_SPREAD = 0.1
# At another size a change may do something else: by this share of the log of how far it is off.
EFFECT_BY_SIZE = 0.15
# Work (its log) that is off by more is other work.
SAME_WORK = 0.1
# Seconds on the clock follow the number of cores by this power, give or take.
CORES, CORES_SPREAD = 0.7, 0.3
# What takes less does not tell how fast the machine was. Stages that did the same work as ever do.
MIN_CONTROL_SECONDS = 0.5
STAGE_NOISE = 0.08
# Core seconds that a new JVM takes longer over what runs in it first, which another order of joins moves from one stage to
# others: two stages that took 0.6 s behind large ones took 1.7 to 2.1 s before them (local[2]).
WARM_UP_SECONDS = 1.0
# All of a run's together are off by this (a standard deviation) from what the machine is for whole queries: the medians of both,
# over queries that nothing had changed, in 34 pairs of runs of seven benches.
STAGES_APART = 0.05
# Of a query whose tasks only wait, work and processors tell the clock no better than this.
IDLE = 0.3
# What other values of its filters move a query by (a standard deviation of logs), until its own runs tell: of 16 queries whose
# literals were drawn anew each night (two to four by default) 0.01 to 0.48, of all together 0.23.
VALUES_SPREAD = 0.3

# How much longer a query takes by the clock from which executors were taken (a standard deviation of logs), and core seconds
# that a new executor takes to warm up. Of two executors one killed in a query of 7 to 8 s (local-cluster, eight times): 8 to 23,
# and without what ran again 9 to 13 s of processors instead of 8.
REPEATED_SPREAD, NEW_EXECUTOR_SECONDS = 0.5, 3.0

_OF_STAGES, _NEVER = Shared(0, STAGES_APART**-2), Shared(0, EFFECT_SPREAD**-2)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A query of a run by one metric: `noise` is the variance of a single run."""

    query: Measured
    known: KnownQuery
    changes: frozenset[str]
    size: float
    log: float
    noise: float
    control: Control | None


@dataclass(slots=True)
class History:
    """Runs of one context, oldest first: each teaches what it is off by from what the ones before foretold."""

    _known: dict[Key, KnownQuery] = field(default_factory=dict)
    _keys: Keys = field(default_factory=Keys)
    _by_query: dict[str, list[KnownQuery]] = field(default_factory=dict)
    _spreads: dict[str, Spread] = field(default_factory=lambda: {m.name: Spread(m.noise) for m in METRICS})
    _machines: dict[str, Spread] = field(default_factory=lambda: {m.name: Spread(m.machine) for m in METRICS})
    # By metric and property: in how many runs it was, and how surely it was told how fast the machine was in these.
    _with_property: dict[tuple[str, str], Shared] = field(default_factory=dict)
    # By metric: by how much the machine was off in the latest run, and whether anything told that which no change reached.
    _off: dict[str, float] = field(default_factory=lambda: {m.name: 0.0 for m in METRICS})
    _is_told: dict[str, bool] = field(default_factory=dict)
    # By metric: whether anything told that in it which no change was meant for.
    _has_controls: dict[str, bool] = field(default_factory=dict)
    # By metric, once queries that no change reached told how fast the machine was: by how much (log) the first run was slower
    # than the second, where it is taken for a slow one and no third tells yet; else 0.
    _was_slow: dict[str, float] = field(default_factory=dict)
    _has_read: bool = False

    def add(self, queries: Sequence[Measured], *, beside: Container[str] = ()) -> None:
        """Those of the next run. `beside` are the fingerprints of those that ran beside an earlier run: it began before that one
        had ended."""
        # What is known of a query from before its values were looked at is known of each of them.
        before = [self._known.get(self._keys.of(query)) for query in queries]
        pairs = []
        for query, earlier in zip(queries, before, strict=True):
            key = self._keys.add(query)
            if key not in self._known or (query.input_bytes and not self._known[key].input_bytes):
                # What it took to read nothing says nothing of what it takes now.
                earlier = earlier if earlier and earlier.input_bytes else None
                self._known[key] = deepcopy(earlier) if earlier else KnownQuery.of(query)
                self._by_query.setdefault(query.fingerprint, []).append(self._known[key])
            self._has_read = self._has_read or query.input_bytes > 0
            self._known[key].tell_size(query)
            self._known[key].fleeting = query.fleeting
            pairs.append((query, self._known[key]))
        for metric in METRICS:
            self._learn(metric, pairs)
        for query, known in pairs:
            is_beside = query.fingerprint in beside
            known.add_run(query.changes | query.properties, query.cpu_share, is_beside=is_beside)
            for stage, seconds in query.stages.items():
                usual = known.stages.get(stage)
                known.stages[stage] = seconds if usual is None else 0.7 * usual + 0.3 * seconds

    def is_of_nothing(self, query: Measured) -> bool:
        """Whether a query read nothing that reads something else: an upstream was late, and its time tells of no change."""
        known = self._of(query)
        reads = known is not None and known.input_bytes > 0
        return not query.input_bytes and (reads or (query.quiet and not self._has_read))

    def ever_without(self, fingerprint: str, change: str) -> bool:
        """Whether any run of a query, whatever its values, was without a change."""
        return any(known.ever_without(frozenset([change])) for known in self._by_query.get(fingerprint, ()))

    @property
    def has_controls(self) -> bool:
        """Whether anything in the latest run told how fast the machine was that no change was meant for."""
        return self._has_controls.get(CLOCK.name, False)

    def has_come_back(self, query: Measured) -> bool:
        """Whether a query of the latest run ran before with the same values."""
        known = self._of(query)
        return known is not None and sum(runs.number for runs in known.together.values()) > 1

    def effect(self, query: Measured, changes: frozenset[str], instead_of: Iterable[str] = ()) -> LogRatio | None:
        """How many times as long a query takes with these changes as with others instead: None where it never ran without."""
        known = self._of(query)
        if known is None or not known.ever_without(changes):
            return None
        level, _ = known.filters[CLOCK.name].foretold(0.0, {})
        sure = []
        for metric in METRICS:
            found = known.filters[metric.name].effect(changes, instead_of)
            if metric is not CLOCK and found.variance < UNKNOWN:
                # The less of its tasks' time is computing, the less does that tell.
                sure.append(metric.on_the_clock(found, math.exp(level)).less_sure(IDLE * (1 - known.cpu_share)))
        clock = known.filters[CLOCK.name].effect(changes, instead_of)
        if sure and clock.variance < UNKNOWN:
            clock = borne_out(clock, pooled_ratio(sure), known, changes)
        found = over_values(clock, known, changes) if known.fleeting else pooled_ratio([*sure, clock])
        return found if found.variance < UNKNOWN / 2 else None

    def effect_on_the_clock(self, query: Measured, changes: frozenset[str]) -> LogRatio | None:
        """As `effect`, by the clock alone: in a third of the time, and less sure."""
        known = self._of(query)
        if known is None or not known.ever_without(changes):
            return None
        found = known.filters[CLOCK.name].effect(changes)
        return found if found.variance < UNKNOWN / 2 else None

    def shared_effect(self, query: Measured, changes: frozenset[str]) -> float:
        """The share of what is unsure of `effect` that a query shares with the others of its runs."""
        known = self._of(query)
        return known.shared_effect(changes) if known else 0.0

    def compared(self, query: Measured, changes: frozenset[str], instead_of: Iterable[str] = ()) -> Comparison | None:
        """A query of the latest run with these of its changes, against what it would have taken with others instead: None
        where it never ran without them."""
        known, ratio = self._of(query), self.effect(query, changes, instead_of)
        if known is None or ratio is None or not query.seconds:
            return None
        clock = known.filters[CLOCK.name]
        size, log, extra = self._scaled(CLOCK, query, known, query.seconds)
        others = [id_ for id_ in query.changes | query.properties if id_ not in changes] + list(instead_of)
        by_clock = clock.effect(changes, instead_of)
        gain = by_clock.mean < ratio.mean
        # Where its rows are known, one more run without tells whether the only one was slow.
        may_be_slow = known.runs_without(changes) == 1 and WORK.of(query) > 0 and not known.fleeting
        level = clock.without(size, others, changes, ratio, known.waits(changes, gain=True) if gain else 0.0)
        return Comparison(
            fingerprint=query.fingerprint,
            measured=query.seconds,
            ratio=ratio,
            expected=query.seconds * math.exp(level.mean - log) * known.speed,
            speed=known.speed,
            shared=known.shared,
            ratio_shared=known.shared_effect(changes),
            unsure=level.variance + extra + known.spreads[CLOCK.name].variance,
            literals=query.literals,
            runs=known.runs_with(changes),
            turn=query.turn,
            clock=by_clock if may_be_slow else None,
        )

    def left_out(self, query: Measured, changes: frozenset[str], instead_of: Collection[str] = ()) -> Comparison | None:
        """What a query of the latest run, which ran without these changes, would have taken with them, instead of with others;
        None where nothing tells. As much as it was slow by in that run, it may have been in those before."""
        known = self._of(query)
        mine = changes & known.seen if known else frozenset()
        ratio = self.effect(query, mine, instead_of) if mine else None
        if known is None or ratio is None or not query.seconds:
            return None
        # A query that nothing else tells of may be as slow as the machine was.
        off = max(0.0, math.log(known.speed) + known.errors.get(CLOCK.name, 0.0))
        found = ratio.less_sure(off)
        return Comparison(
            fingerprint=query.fingerprint,
            measured=query.seconds * math.exp(min(50.0, found.mean)),
            ratio=found,
            expected=query.seconds,
            speed=known.speed,
            ratio_shared=(known.shared_effect(mine) * ratio.variance + off**2) / found.variance,
            literals=query.literals,
            turn=query.turn,
        )

    def doubt(self, queries: Iterable[Measured], changes: frozenset[str]) -> None:
        """As slow as the machine and its queries were in the latest run, which was without these changes, they may have been in
        those with them: so much less sure is what they do."""
        latest = {self._keys.of(query) for query in queries}
        for metric in METRICS:
            for key, known in self._known.items():
                own = known.errors.get(metric.name, 0.0) if key in latest else 0.0
                known.filters[metric.name].doubt(changes, max(0.0, self._off[metric.name] + own))
            for id_ in changes:
                self._with_property.pop((metric.name, id_), None)

    def foretold(self, query: Measured) -> Comparison | None:
        """What a query that is still to come takes with nothing in force; None where nothing tells."""
        known = self._of(query)
        if known is None or not query.seconds or not known.ever_without(known.filters[CLOCK.name].changes):
            return None
        size, log, extra = self._scaled(CLOCK, query, known, query.seconds)
        mean, variance = known.filters[CLOCK.name].foretold(size, {})
        noise = variance + extra + known.spreads[CLOCK.name].variance + self._machines[CLOCK.name].variance
        expected = query.seconds * math.exp(mean - log)
        return Comparison(query.fingerprint, query.seconds, LogRatio(), expected, shared=0.5, unsure=noise)

    def usual_with(self, query: Measured) -> float | None:
        """Seconds that a query takes with the changes that it has, on the machine as it usually is: by the clock of its runs so
        far. None where nothing tells."""
        return self._usual(query, query.changes | query.properties)

    def usual_without(self, query: Measured) -> float | None:
        """As `usual_with`, without these changes: where its latest run is all that tells of one of them. Else None, and where it
        never ran without."""
        known, in_force = self._of(query), query.changes | query.properties
        if known is None or not known.ever_without(in_force):
            return None
        is_first = any(known.runs_with(frozenset([id_])) == 1 for id_ in in_force)
        return self._usual(query, frozenset()) if is_first else None

    def _usual(self, query: Measured, changes: frozenset[str]) -> float | None:
        known = self._of(query)
        if known is None or not query.seconds:
            return None
        size, log, _ = self._scaled(CLOCK, query, known, query.seconds)
        return query.seconds * math.exp(known.filters[CLOCK.name].foretold(size, dict.fromkeys(changes, 0.0))[0] - log)

    def night(self, query: Measured, change: str) -> float:
        """How many times as long a query took in its latest run as it would have without a change: by that night alone, beside
        what was known of the change before it, as far as processors bear out the clock. Where changes reached all that ran,
        nothing tells the machine from what they do."""
        known = self._of(query)
        if known is None:
            return 0.0
        ratios = [
            known.errors[m.name] + known.effects_before[m.name].get(change, 0.0) + self._untold(m, known)
            for m in (CPU, CLOCK)
            if m.name in known.errors
        ]
        return math.exp(min(ratios, default=0.0))

    def _untold(self, metric: Metric, known: KnownQuery) -> float:
        """What was taken for the machine of a query's latest run, though changes may have made it."""
        return 0.0 if self._is_told.get(metric.name, True) else known.speeds.get(metric.name, 0.0)

    def has_slowed_down(self, query: Measured) -> bool:
        """Whether a query took far longer than foretold for the second time: for all that its runs tell, by a change in it."""
        known = self._of(query)
        return known is not None and known.filters[CLOCK.name].shifted > 0

    def _of(self, query: Measured) -> KnownQuery | None:
        return self._known.get(self._keys.of(query))

    def _learn(self, metric: Metric, pairs: Sequence[tuple[Measured, KnownQuery]]) -> None:
        fleet, machine = self._spreads[metric.name], self._machines[metric.name]
        usual = math.sqrt(fleet.variance)
        seen = [
            self._seen(metric, query, known, value, usual) for query, known in pairs if (value := metric.of(query)) > 0
        ]
        stages = [_of_stages(s.query, s.known) if metric is CLOCK and s.query.is_reached else None for s in seen]
        controls = [control for control in (*(s.control for s in seen), *stages) if control]
        spread = math.sqrt(machine.variance)
        together = machine_speed(controls, spread)
        self._off[metric.name] = together.log
        self._is_told[metric.name] = any(control.clean for control in controls)
        not_named = [one.control for one in seen if not one.query.changes]
        self._has_controls[metric.name] = any(not_named) or any(stages)
        if controls:
            machine.add_estimate(*together)
        if spread:
            self._learn_properties(metric, (query for query, _ in pairs), told_by(controls, spread, together))
        low, high = self._not_believed(metric, seen, together.log, spread)
        turns = [_turn(*one, together) for one in zip(seen, stages, strict=True)]
        for one, here in zip(seen, speeds_by_turn(turns), strict=True):
            others = without(controls, one.control)
            speed, unsure = together if others is controls else machine_speed(others, spread)
            speed, unsure = speed + here.log, unsure + here.variance
            is_other = low < speed < high
            if is_other:
                self._was_slow[metric.name] = max(0.0, -speed)
                speed = self._off[metric.name] = 0.0
            spreads = dict.fromkeys(one.changes, EFFECT_SPREAD)
            own, filter_ = one.known.spreads[metric.name], one.known.filters[metric.name]
            may_be_slow = metric is not WORK and _did_the_same(one) and abs(speed) <= SEEMS_BUSY * spread
            one.known.effects_before[metric.name] = {id_: filter_.mean_effect(id_) for id_ in one.changes}
            error, foretold = filter_.observe(
                one.log - speed, one.size, spreads, one.noise + unsure, may_be_slow=may_be_slow
            )
            one.known.errors[metric.name], one.known.speeds[metric.name] = error, speed
            usual_run = not is_other and not one.query.repeated_share
            if usual_run and filter_.runs > 1 and one.changes <= one.known.seen:
                start_up = (metric.least / math.exp(one.log)) ** 2
                rest = foretold + unsure + start_up
                own.add(error, rest)
                if not one.known.fleeting:
                    # Of many short queries, which tell of start-up alone, it would seem to be near 0.
                    fleet.add(error, rest, fleet.told(start_up))
            if metric is CLOCK:
                one.known.unsure, one.known.noise = unsure, one.noise

    def _seen(self, metric: Metric, query: Measured, known: KnownQuery, value: float, usual: float) -> _Seen:
        """What one query measured, and whether that tells how fast the machine was. `usual` is the spread of all queries."""
        size, log, extra = self._scaled(metric, query, known, value)
        own = known.spreads.get(metric.name)
        if own is None:
            own = known.spreads[metric.name] = Spread(usual)
        own.usual = math.hypot(usual, VALUES_SPREAD) if known.fleeting else usual
        filter_ = known.filters[metric.name]
        mean, variance = filter_.foretold(size, _as_control(query)) if filter_.runs else (log, 0.0)
        noise = own.variance + extra + (metric.least / math.exp(min(log, mean))) ** 2 + _of_repeats(metric, query)
        telling = filter_.runs and mean > math.log(MIN_CONTROL_SECONDS)
        shared = self._shared(metric, query)
        control = Control(log - mean, variance + noise, not query.is_reached, shared) if telling else None
        return _Seen(query, known, query.changes | query.properties, size, log, noise, control)

    def _not_believed(self, metric: Metric, seen: Sequence[_Seen], speed: float, spread: float) -> tuple[float, float]:
        """Between which logs the speed of the machine is not believed.

        No machine is so much faster than usual: where nothing reaches a run, and but one before it tells what its queries take
        so, that one was slow; unless the next that tells is as slow again.
        """
        if not any(one.control and one.control.clean and _did_the_same(one) for one in seen):
            return 0.0, 0.0
        slow = self._was_slow.get(metric.name)
        if slow is None:
            self._was_slow[metric.name] = 0.0
            is_reached = any(one.query.is_reached for one in seen)
            return (0.0, 0.0) if is_reached else (-math.inf, -SEEMS_BUSY * spread)
        low, high = (share * slow for share in ALIKE)
        if speed < high:
            self._was_slow[metric.name] = 0.0
        return low, high

    def _learn_properties(self, metric: Metric, queries: Iterable[Measured], told: float) -> None:
        for property_ in {id_ for query in queries for id_ in query.properties}:
            before = self._with_property.get((metric.name, property_), _NEVER)
            found = Shared(before.runs + 1, told + (before.told if before.runs else 0.0))
            self._with_property[metric.name, property_] = found

    def _shared(self, metric: Metric, query: Measured) -> Shared | None:
        """What the effects of properties are off by on all queries that they are meant for: as much as the machine was in the
        runs that taught them. Of several, of that which runs tell least of."""
        properties = query.changes & query.properties
        told = [self._with_property.get((metric.name, id_), _NEVER) for id_ in properties]
        return min(told, default=None)

    @staticmethod
    def _scaled(metric: Metric, query: Measured, known: KnownQuery, value: float) -> tuple[float, float, float]:
        """The log of the input over that of its first run, the log of what is measured, by the clock as if it had that run's
        cores, and the variance that scaling adds to that."""
        size = known.size_of(query)
        log, extra = math.log(value), (EFFECT_BY_SIZE * size) ** 2
        if metric is CLOCK and query.cores and known.cores and query.cores != known.cores:
            more = math.log(query.cores / known.cores)
            log += CORES * more
            extra += (CORES_SPREAD * more) ** 2
        return size, log, extra


def _of_repeats(metric: Metric, query: Measured) -> float:
    """The variance that it adds where executors were taken away: the clock waited for others, and for tasks that ran again; of
    processors' time, the share that was spent anew is left out, and may be off by as much as it is, and a new executor has more
    to compile."""
    if not query.repeated_share:
        return 0.0
    if metric is CLOCK:
        return REPEATED_SPREAD**2
    warms_up = NEW_EXECUTOR_SECONDS / query.cpu_seconds if metric is CPU else 0.0
    return query.repeated_share**2 + warms_up**2


def _as_control(query: Measured) -> Mapping[str, float]:
    """How far each change of a query may be off from doing nothing, if it was never seen."""
    if not query.is_reached:
        return {}
    beside = dict.fromkeys(query.properties - query.changes, BYSTANDER_SPREAD)
    return beside | dict.fromkeys(query.changes, EFFECT_SPREAD)


def _did_the_same(one: _Seen) -> bool:
    """Whether a query did what it did under the same changes before: then its time alone is another."""
    off = one.known.errors.get(WORK.name)
    is_known = WORK.of(one.query) > 0 and one.known.filters[WORK.name].runs_with(one.changes) > 1
    return is_known and off is not None and abs(off) < SAME_WORK


def _of_stages(query: Measured, known: KnownQuery) -> Control | None:
    """The stages of a query that did the very same work as in other runs: no change reaches them."""
    alike = [(seconds, known.stages[stage]) for stage, seconds in query.stages.items() if stage in known.stages]
    usual = sum(before for _, before in alike)
    if usual < MIN_CONTROL_SECONDS:
        return None
    error = math.log(max(1e-3, sum(now for now, _ in alike)) / usual)
    return Control(error, 2 * STAGE_NOISE**2 + (WARM_UP_SECONDS / usual) ** 2, shared=_OF_STAGES)


def _turn(one: _Seen, stages: Control | None, rest: Speed) -> Turn:
    """What one query tells of the machine at its time: nothing of what a change does that is in force for the first time."""
    return Turn(
        _beside(one.control, rest) if one.changes <= one.known.seen else None,
        _beside(stages, rest) if one.query.properties <= one.known.seen else None,
    )


def _beside(control: Control | None, rest: Speed) -> Control | None:
    return Control(control.error - rest.log, control.variance) if control else None
