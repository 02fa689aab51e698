"""The result of a stream: all seconds of each contender, by share of repetition and over the nights, and where it lost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from tuner.bench.bench_result import DEFAULT
from tuner.bench.hours_apart import MOST_HOURS
from tuner.bench.slowdown import MARGIN, p_slower_in_pairs, significant
from tuner.bench.stream.executed import Executed, JobNight

Seconds = npt.NDArray[np.float64]

# Of intervals: from the 5th to the 95th percentile of that many draws of jobs' nights.
INTERVAL = (5.0, 95.0)
_DRAWS = 4000
# Of fewer nights hardly any draw is another: all are alike where it is one.
LEAST_NIGHTS = 5
_SEED = 1


@dataclass(frozen=True, slots=True)
class Sum:
    """All seconds with tuning, of the executions that the defaults came through; `ratio` is the default's over these (1 where
    nothing took any time), `low` to `high` its 90 % interval (None where fewer than LEAST_NIGHTS of jobs tell none)."""

    executions: int
    seconds: float
    ratio: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Executions that took over 5 % less and more than by default, of those `executions` that succeeded with both, with the same
    rows, by how often their query comes back (0: never). A single pair is noise in part: faster and slower ones tell how much."""

    every: int
    executions: int
    default_seconds: float
    seconds: float
    faster: int
    slower: int

    @property
    def ratio(self) -> float:
        """How many times as long the defaults take; 1 where nothing took any time."""
        return self.default_seconds / self.seconds if self.seconds else 1.0


@dataclass(frozen=True, slots=True)
class Slower:
    """A repeated query of a job that is over 5 % slower by more than chance: over its nights, corrected for all such queries."""

    job: str
    name: str
    nights: int
    ratio: float
    p: float


@dataclass(frozen=True, slots=True)
class Death:
    """A job's application that died in a night, and with which code."""

    job: str
    night: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class ContenderSum:
    """A contender over the whole stream. `total` and those by job and by night (cumulative) have tuning included.
    `application_seconds` also have applications' start and end. `tested` is how many repeated queries were tested for `slower`.
    `other_rows` and `failed` name executions, `died` the applications that did not come to their end."""

    name: str
    title: str
    total: Sum
    by_job: Mapping[str, Sum]
    by_night: tuple[float, ...]
    tuning_seconds: float
    application_seconds: float
    compared: tuple[Compared, ...]
    tested: int
    slower: tuple[Slower, ...]
    other_rows: tuple[str, ...]
    failed: tuple[str, ...]
    died: tuple[Death, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamResult:
    """All contenders, Spark's defaults first. `shares` are those of repeated executions by job. `apart` are the hours between the
    starts of applications that are compared, one for each job's night in which these are more than MOST_HOURS. `left_out` says
    why a contender is not among them."""

    title: str
    nights: int
    executions: int
    shares: Mapping[str, float]
    contenders: tuple[ContenderSum, ...]
    apart: tuple[float, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


def stream_result(
    title: str, titles: Mapping[str, str], done: Sequence[JobNight], left_out: Mapping[str, str] | None = None
) -> StreamResult:
    """The result of what is done, by contender in the order of their titles."""
    return StreamResult(
        title,
        max((one.night for one in done), default=0),
        sum(len(one.executions) for one in done),
        {one.job.name: one.job.share for one in done},
        tuple(_contender(name, titles[name], done) for name in titles),
        tuple(one.hours_apart for one in done if one.hours_apart > MOST_HOURS),
        left_out or {},
    )


def _contender(name: str, title: str, done: Sequence[JobNight]) -> ContenderSum:
    all_executed = [one for each in done for one in each.executions]
    tested, slower = _slower(name, all_executed)
    nights = sorted({one.night for one in done})
    by_night = accumulate(sum(one.seconds(name) for one in done if one.night == night) for night in nights)
    return ContenderSum(
        name,
        title,
        _sum(name, done),
        {job: _sum(name, [one for one in done if one.job.name == job]) for job in dict.fromkeys(_jobs(done))},
        tuple(by_night),
        sum(one.tuning[name] for one in done),
        sum(one.application_seconds(name) for one in done),
        tuple(_compared(name, every, all_executed) for every in sorted({one.of.every for one in all_executed})),
        tested,
        slower,
        tuple(_named(one) for one in all_executed if one.other_rows(name)),
        tuple(_named(one) for one in all_executed if one.times[name].error),
        tuple(Death(one.job.name, one.night, one.exit_codes[name]) for one in done if name in one.exit_codes),
    )


def _jobs(done: Collection[JobNight]) -> list[str]:
    return [one.job.name for one in done]


def _sum(name: str, done: Sequence[JobNight]) -> Sum:
    default = np.array([one.seconds(DEFAULT) for one in done])
    mine = np.array([one.seconds(name) for one in done])
    executions, took = sum(len(one.counted) for one in done), float(mine.sum())
    return Sum(executions, took, float(default.sum()) / took if took else 1.0, *_interval(default, mine))


def _interval(default: Seconds, mine: Seconds) -> tuple[float, float] | tuple[None, None]:
    """Of the ratio. Whole nights of a job are drawn: its queries share a machine's hour, and what tuning took."""
    # Those in which the defaults came through nothing tell nothing, and could be all of a draw.
    default, mine = default[default > 0], mine[default > 0]
    nights = len(default)
    if nights < LEAST_NIGHTS:
        return None, None
    drawn = np.random.default_rng(_SEED).integers(nights, size=(_DRAWS, nights))
    low, high = np.percentile(default[drawn].sum(axis=1) / mine[drawn].sum(axis=1), INTERVAL)
    return float(low), float(high)


def _compared(name: str, every: int, executions: Collection[Executed]) -> Compared:
    found = [one for one in executions if one.of.every == every and one.compared(name)]
    pairs = [(one.times[DEFAULT].seconds, one.times[name].seconds) for one in found]
    return Compared(
        every,
        len(pairs),
        sum(default for default, _ in pairs),
        sum(mine for _, mine in pairs),
        sum(mine * (1 + MARGIN) < default for default, mine in pairs),
        sum(mine > default * (1 + MARGIN) for default, mine in pairs),
    )


def _slower(name: str, executions: Collection[Executed]) -> tuple[int, tuple[Slower, ...]]:
    """How many repeated queries could be tested, and those that are slower."""
    by_query: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one in executions:
        if one.of.every and one.compared(name) and name != DEFAULT:
            pair = one.times[DEFAULT].seconds, one.times[name].seconds
            by_query.setdefault((one.of.job, one.of.name), []).append(pair)
    p_values = {f"{job}/{query}": p_slower_in_pairs(pairs) for (job, query), pairs in by_query.items()}
    surely = significant(p_values)
    found = [
        Slower(job, query, len(pairs), _ratio(pairs), p)
        for (job, query), pairs in by_query.items()
        if (p := p_values[f"{job}/{query}"]) is not None and f"{job}/{query}" in surely
    ]
    return sum(p is not None for p in p_values.values()), tuple(found)


def _ratio(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(default for default, _ in pairs) / sum(mine for _, mine in pairs)


def _named(one: Executed) -> str:
    return f"night {one.night}, {one.of.job}, {one.of.name}"
