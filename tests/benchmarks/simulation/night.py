"""What happens in one night, whatever is in force: which queries run with which values, on what machine, and what fails."""

from __future__ import annotations

from dataclasses import dataclass

from tests.benchmarks.simulation.simulated_query import SimulatedQuery, Values
from tuner.model.cluster import Cluster
from tuner.model.failure import FailureKind

# Seconds of queries are those on so many cores.
USUAL_CORES, CORES_PER_EXECUTOR = 8, 4


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a query in a night, whose input has this `scale`. Its noise multiplies seconds by `chance`, CPU time by
    `cpu_chance`."""

    query: SimulatedQuery
    values: Values
    chance: float = 1.0
    cpu_chance: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Night:
    """One night. `scale` is that of the input; `machine` multiplies seconds, `cpu_machine` CPU time.

    The first `failing_tries` fail by themselves, for `cause` if they say why; a try that fails, by that or by a change, does so
    after `got_to` of its seconds. A night that `loses_log` tells nothing. `words`, between 0 and 1, chooses what the failure of
    a broadcast says of its cause: 1 for nothing.
    """

    number: int
    scale: float
    machine: float
    executions: tuple[Execution, ...]
    start_up_seconds: float = 0.0
    spark_version: str = "4.0.1"
    cores: int = USUAL_CORES
    failing_tries: int = 0
    cause: FailureKind | None = None
    got_to: float = 1.0
    loses_log: bool = False
    words: float = 1.0
    cpu_machine: float = 1.0

    @property
    def cluster(self) -> Cluster:
        """As its log tells it."""
        return Cluster(
            cores=self.cores, executors=self.cores // CORES_PER_EXECUTOR, cores_per_executor=CORES_PER_EXECUTOR
        )

    def load(self, execution: Execution) -> float:
        """How much an execution has to do, as a share of its query's usual night."""
        fixed = execution.query.fixed_share
        return fixed + (1 - fixed) * self.scale * execution.values.rows

    def seconds(self, execution: Execution) -> float:
        """Seconds of an execution with nothing in force."""
        query = execution.query
        on_cores = query.serial_share + (1 - query.serial_share) * USUAL_CORES / self.cores
        return query.seconds * self.load(execution) * on_cores * self.machine * execution.chance
