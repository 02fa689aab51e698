"""Which job runs which query in which night."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tuner.bench.workloads.drawn_number import drawn_number
from tuner.bench.workloads.joins.part_queries import PartQuery
from tuner.errors import TunerError

# How often the queries of a job's first, second, … repeated execution come back: every night, every second one, every week.
EVERY = (1, 2, 1, 7)
# The share of repeated queries that ask with the same literals each time.
KEEPS = 0.3
# The share of a job's repeated queries that another job has, too.
SHARED = 0.25


@dataclass(frozen=True, slots=True)
class StreamJob:
    """A recurring job: one application a night. `share`: how many of its executions are of queries that come back."""

    name: str
    share: float


def stream_job(percent: int) -> StreamJob:
    """The job whose executions are of queries that come back to that percentage."""
    return StreamJob(f"repeats-{percent}", percent / 100)


@dataclass(frozen=True, slots=True)
class Execution:
    """A query that a job runs in a night. Its name is the job's own, the same whenever it comes back: `every` so many nights,
    0 if never. `purpose` draws its literals; they are those of the first time if it `keeps` them."""

    job: str
    name: str
    query: PartQuery
    every: int
    keeps: bool
    purpose: str


Night = Mapping[str, tuple[Execution, ...]]


@dataclass(frozen=True, slots=True)
class _Repeated:
    name: str
    query: PartQuery
    every: int
    keeps: bool


def drawn_stream(
    parts: Sequence[PartQuery], jobs: Sequence[StreamJob], per_night: int, nights: int, seed: int
) -> tuple[Night, ...]:
    """The executions of each night by job, `per_night` each. More nights go on where fewer end.

    No query that never comes back is drawn twice: TunerError if there are not as many `parts`.
    """
    fresh = iter(parts)
    repeated: dict[str, list[list[_Repeated]]] = {}
    for job in jobs:
        others = [one.query for slots in repeated.values() for one in chain(*slots)]
        repeated[job.name] = _slots(job, round(job.share * per_night), others, fresh, seed)
    found: list[Night] = []
    try:
        for night in range(1, nights + 1):
            found.append(
                {job.name: tuple(_executions(job, repeated[job.name], per_night, night, fresh)) for job in jobs}
            )
    except _NoneLeftError:
        most = len(found) * len(jobs) * per_night
        raise TunerError(
            f"of {len(parts)} queries {most} executions can be drawn, so that none that never comes back is there twice; "
            f"give --executions {most} or fewer"
        ) from None
    return tuple(found)


class _NoneLeftError(Exception):
    """All queries are asked."""


def _next(fresh: Iterator[PartQuery]) -> PartQuery:
    """A query that nobody has asked yet."""
    found = next(fresh, None)
    if found is None:
        raise _NoneLeftError
    return found


def _slots(
    job: StreamJob, number: int, others: Sequence[PartQuery], fresh: Iterator[PartQuery], seed: int
) -> list[list[_Repeated]]:
    """The queries that take turns in each repeated execution of a job."""
    slots: list[list[_Repeated]] = []
    own: list[PartQuery] = []
    for slot in range(number):
        slots.append([])
        for _ in range(EVERY[slot % len(EVERY)]):
            purpose = f"{seed}/{job.name}/{len(own)}"
            there = [query for query in others if query not in own]
            shares = there and drawn_number(f"{purpose}/shared") < SHARED
            query = there[int(drawn_number(f"{purpose}/which") * len(there))] if shares else _next(fresh)
            own.append(query)
            name = f"r{len(own):02d}-q{query.template.number:02d}"
            keeps = drawn_number(f"{purpose}/keeps") < KEEPS
            slots[-1].append(_Repeated(name, query, EVERY[slot % len(EVERY)], keeps))
    return slots


def _executions(
    job: StreamJob, slots: Sequence[Sequence[_Repeated]], per_night: int, night: int, fresh: Iterator[PartQuery]
) -> Iterator[Execution]:
    for slot in slots:
        one = slot[(night - 1) % len(slot)]
        purpose = f"{job.name}/{one.name}" if one.keeps else f"{job.name}/{one.name}/night {night}"
        yield Execution(job.name, one.name, one.query, one.every, one.keeps, purpose)
    for number in range(1, per_night - len(slots) + 1):
        query = _next(fresh)
        name = f"once-{night:03d}-{number}-q{query.template.number:02d}"
        yield Execution(job.name, name, query, 0, False, f"{job.name}/{name}")
