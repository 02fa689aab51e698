"""What a simulated run leaves behind: its queries with seconds, CPU time and work, as far as it came."""

from __future__ import annotations

from collections.abc import Collection

from tests.benchmarks.simulation.words import failure_of_night
from tests.benchmarks.simulation.work import cpu_ms, work_of
from tests.benchmarks.simulation.world import Candidate, Night, SimulatedQuery, World
from tuner.model.cluster import Cluster
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome


def outcome_of(world: World, night: Night, in_force: Collection[Candidate], *, failed: bool) -> Outcome:
    """The outcome of a night with these changes in force; of one that failed, what came before that."""
    took = world.seconds(night, in_force)
    left = sum(took.values()) * (night.got_to if failed else 1.0)
    duration_ms = int(left * 1e3)
    queries: list[Query] = []
    for number, query in enumerate(world.at(night)):
        seconds = took[query.fingerprint]
        queries.append(_query(number, query, night, in_force, seconds, ended=left >= seconds))
        left -= seconds
        if left < 0:
            break
    failure = failure_of_night(night, in_force, [query.fingerprint for query in queries]) if failed else None
    return Outcome("app", night.spark_version, duration_ms, Cluster(cores=night.cores), tuple(queries), failure=failure)


def _query(
    number: int, query: SimulatedQuery, night: Night, in_force: Collection[Candidate], seconds: float, *, ended: bool
) -> Query:
    work = work_of(query, night, in_force) if ended else None
    return Query(
        id=number,
        root_id=number,
        fingerprint=query.fingerprint,
        description="",
        start_ms=0,
        duration_ms=round(seconds * 1e3) if ended else None,
        status=QueryStatus.SUCCEEDED if ended else QueryStatus.UNFINISHED,
        input_bytes=int(query.input_bytes * night.scale),
        executor_run_ms=sum(stage.core_ms for stage in work.stages) if work else 0,
        executor_cpu_ms=cpu_ms(query, night, in_force) if ended else 0,
        task_count=sum(stage.tasks for stage in work.stages) if work else 0,
        work=work,
    )
