"""What a run measured of each query, beside the changes that reached it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tuner.cost.priced_work import in_brief
from tuner.model.directive_result import DirectiveStatus
from tuner.model.failure import FailureKind
from tuner.model.query import Query, QueryStatus
from tuner.model.query_work import WorkInBrief
from tuner.model.run import Run
from tuner.policy.asked_cores import asked_cores
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.idle_runs import is_of_no_bytes, reads_uncounted
from tuner.policy.usable import usable

# Fingerprint, id of values ("" where unknown), and which of these in its run.
Key = tuple[str, str, int]
# Executors that are lost for other reasons may be lost by a change.
_TAKEN = {FailureKind.EXECUTOR_PREEMPTED}


@dataclass(frozen=True, slots=True)
class Measured:
    """One query of one run under the changes (ids) in force for it.

    `occurrence` counts equal fingerprints in a run, `turn` those with equal values among them. `properties` are all that were
    set in the run, as these reach a query whether or not they were meant for it. `cpu_seconds` are those of executors' cores,
    and of all of them while the driver builds broadcasts; `work_seconds` what its measured rows and bytes take at fixed
    prices (0: not known). `cpu_share` is how much of its tasks' time is computing. `stages` are core seconds of what its
    stages did, by a digest of exactly that. `cores` are those that its run asked for (0: not known). `source_bytes` count each
    file once (0: not known), `input_bytes` as often as it was scanned. `fleeting`: `literals` stands for many values, which
    move rows.
    `repeated_share` is how much of its tasks' time was spent anew after executors were taken from it. `quiet`: its run read
    no bytes, though one in the 35 days before did, and it no more rows than a program may have of its own
    (`tuner.policy.idle_runs`).
    """

    fingerprint: str
    occurrence: int
    seconds: float
    input_bytes: int
    changes: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    literals: str = ""
    turn: int = 0
    cpu_seconds: float = 0.0
    work_seconds: float = 0.0
    cpu_share: float = 1.0
    stages: Mapping[str, float] = field(default_factory=dict)
    cores: int = 0
    source_bytes: int = 0
    fleeting: bool = False
    repeated_share: float = 0.0
    quiet: bool = False

    @property
    def is_reached(self) -> bool:
        """Whether any change can have done something to it."""
        return bool(self.changes or self.properties)

    def is_reached_by(self, change: str) -> bool:
        """Whether a change was in force for it, or set in its run."""
        return change in self.changes or change in self.properties

    @property
    def data_bytes(self) -> int:
        """How large its inputs are, as well as that is known."""
        return self.source_bytes or self.input_bytes

    @property
    def key(self) -> Key:
        return (self.fingerprint, self.literals, self.turn) if self.literals else self.key_without_values

    @property
    def key_without_values(self) -> Key:
        """As it is known in runs that were harvested before values were looked at."""
        return self.fingerprint, "", self.occurrence


@dataclass(slots=True)
class Keys:
    """By which keys the runs of queries so far are kept."""

    _with_values: set[str] = field(default_factory=set)

    def add(self, query: Measured) -> Key:
        """The key that a query is to be kept by."""
        if query.literals:
            self._with_values.add(query.fingerprint)
        return query.key

    def of(self, query: Measured) -> Key:
        """The key of the runs that a query may be compared with: its filters had the same values, as far as any run tells."""
        return query.key if query.fingerprint in self._with_values else query.key_without_values


def measured_queries(run: Run) -> tuple[Measured, ...]:
    """The finished queries of a run."""
    if run.outcome is None:
        return ()
    changes: dict[str, set[str]] = {}
    in_force, cores, quiet = changes_in_effect(run), asked_cores(run, run.outcome), is_of_no_bytes(run)
    were_taken = set(run.outcome.resources.lost_executors) == _TAKEN
    properties = frozenset(d.id for d in in_force if not d.change.is_on_joins)
    for decided in in_force:
        for fingerprint in decided.queries:
            changes.setdefault(fingerprint, set()).add(decided.id)
    seen: Counter[tuple[str, str | None]] = Counter()
    found = []
    for query in run.outcome.queries:
        fingerprint, literals = query.fingerprint, query.literals
        occurrence, turn = seen[fingerprint, None], seen[fingerprint, literals]
        seen.update([(fingerprint, None), (fingerprint, literals)])
        if query.status is QueryStatus.SUCCEEDED and query.duration_ms is not None:
            held = {o.action_id for o in query.directives if o.status is DirectiveStatus.HELD}
            reached = frozenset(changes.get(fingerprint, ())) - held
            work = brief_work(query)
            repeated = _repeated_share(query) if were_taken else 0.0
            found.append(
                Measured(
                    fingerprint=fingerprint,
                    occurrence=occurrence,
                    seconds=query.seconds,
                    input_bytes=query.input_bytes,
                    source_bytes=query.source_bytes,
                    changes=reached,
                    properties=properties,
                    literals=literals,
                    turn=turn,
                    cpu_seconds=_cpu_seconds(query, cores, repeated),
                    work_seconds=work.priced_seconds if work else 0.0,
                    cpu_share=min(1.0, query.executor_cpu_ms / query.executor_run_ms) if query.executor_run_ms else 1.0,
                    stages={did: core_ms / 1e3 for did, core_ms in work.stages.items()} if work else {},
                    cores=cores,
                    fleeting=query.fleeting,
                    repeated_share=repeated,
                    quiet=quiet and not reads_uncounted(query),
                )
            )
    return tuple(found)


def _repeated_share(query: Query) -> float:
    return query.repeated_run_ms / query.executor_run_ms if query.executor_run_ms else 0.0


def _cpu_seconds(query: Query, cores: int, repeated: float) -> float:
    """0 where the log does not tell. While the driver builds and sends a broadcast, cores wait for it; what is `repeated` is no
    work of the query's."""
    if not query.executor_cpu_ms:
        return 0.0
    return (query.executor_cpu_ms * (1 - repeated) + waiting_core_ms(query, cores)) / 1e3


def waiting_core_ms(query: Query, cores: int) -> float:
    """What cores waited for a query's driver to build and send broadcasts: of an application's as many as the tasks of this one
    kept busy besides, for at most half of its time. A cluster may have hundreds that it never used."""
    took, duration = broadcast_ms(query), query.duration_ms or 0
    busy = query.executor_run_ms / max(1, duration - took, duration / 2)
    return took * max(1.0, min(cores, busy))


def broadcast_ms(query: Query) -> int:
    """What its driver took to build and send broadcasts."""
    return work.broadcast_ms if (work := brief_work(query)) else 0


def brief_work(query: Query) -> WorkInBrief | None:
    """What its work comes to; None where none was measured."""
    return query.work_in_brief or (in_brief(query.work) if query.work else None)


def seconds_by_query(run: Run) -> dict[str, float]:
    """Seconds by fingerprint, those of all executions of a query together."""
    seconds: dict[str, float] = {}
    for query in measured_queries(run):
        seconds[query.fingerprint] = seconds.get(query.fingerprint, 0.0) + query.seconds
    return seconds


def is_reached(run: Run) -> bool:
    """Whether any change reached a finished query of a run: where all were held, none did, whatever was decided."""
    return any(query.is_reached for query in measured_queries(run))


def query_seconds(run: Run) -> float | None:
    """Seconds of a run's finished queries together; None where its times may not be compared."""
    return sum(query.seconds for query in measured_queries(run)) if usable(run) else None


def data_bytes_by_query(queries: Iterable[Query | Measured]) -> Counter[str]:
    """How large inputs are by query (fingerprint), those of all its executions together."""
    found = Counter[str]()
    for query in queries:
        found[query.fingerprint] += query.data_bytes
    return found
