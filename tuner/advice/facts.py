"""What advisors read: the queries of one run, its cluster and its conf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

from tuner.advice.known_blocks import KnownBlock, MeasuredBlock
from tuner.advice.once_per_block import OncePerBlock
from tuner.advice.steering_reach import Reach
from tuner.advice.unseen_joins import unseen_joins
from tuner.cost.learned.prediction_errors import PredictionErrors, shipped_errors
from tuner.cost.operator_seconds import calibrate
from tuner.cost.unit_costs import DEFAULT_COSTS, PRICE_ERROR, UnitCosts
from tuner.model.cluster import Cluster
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query, QueryStatus
from tuner.plan.merge_graphs import merge_graphs
from tuner.spark.join_selection.selection_conf import SelectionConf, read_conf
from tuner.spark.knobs import (
    DRIVER_MAX_RESULT_SIZE,
    MAX_BROADCAST_TABLE_SIZE,
    MEMORY_FRACTION,
    MEMORY_STORAGE_FRACTION,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    TASK_CPUS,
)
from tuner.spark.memory import (
    BroadcastCap,
    broadcast_cap,
    hash_map_cap,
    task_relation_cap,
)
from tuner.spark.settings import Settings
from tuner.spark.version import major_minor, read_version

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class PastRun:
    """An earlier run of the same job: what advisors read of it."""

    queries: tuple[Query, ...]
    conf: Mapping[str, str] = field(default_factory=dict)
    cluster: Cluster = Cluster()  # noqa: RUF009 (frozen)
    _blocks: dict[tuple[str, str], Sequence[MeasuredBlock]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @cached_property
    def by_fingerprint(self) -> Mapping[str, tuple[Query, ...]]:
        found: dict[str, list[Query]] = {}
        for query in self.queries:
            found.setdefault(query.fingerprint, []).append(query)
        return {fingerprint: tuple(queries) for fingerprint, queries in found.items()}

    def blocks(self, fingerprint: str, signature: str) -> Sequence[MeasuredBlock]:
        """One block of a query as its executions that came to their end measured it."""
        key = fingerprint, signature
        if key not in self._blocks:
            whole = filter(is_whole, self.by_fingerprint.get(fingerprint, ()))
            graphs = (graph for query in whole for graph in query.graphs if graph.signature == signature)
            self._blocks[key] = tuple(map(MeasuredBlock, graphs))
        return self._blocks[key]


@dataclass(frozen=True)
class Facts:
    """One run as advisors see it. `reach` says which joins a hint can reach; cores are `cores_for_tasks`.

    `prices` are operator times learned from the history, `price_error` the factor that 90 % of them are within.
    `earlier` are the runs before it, oldest first; `prediction_errors` is how far off what was foretold of changes was. Of
    `passing` queries (fingerprints), which will hardly come back, no joins are steered.
    """

    queries: tuple[Query, ...]
    cluster: Cluster
    conf: Mapping[str, str] = field(default_factory=dict)
    reach: Reach = Reach.CONF
    spark_version: str = ""
    prices: UnitCosts = DEFAULT_COSTS
    price_error: float = PRICE_ERROR
    earlier: tuple[PastRun, ...] = ()
    prediction_errors: PredictionErrors = field(default_factory=shipped_errors)
    passing: frozenset[str] = frozenset()
    _found: dict[Callable[..., Any], Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def once(self, find: Callable[[Self], _Found]) -> _Found:
        """The result of a function of these facts that several advisors need, computed once."""
        if find not in self._found:
            self._found[find] = find(self)
        found: _Found = self._found[find]
        return found

    @property
    def per_join(self) -> bool:
        """Whether a hint can reach a single join."""
        return self.reach is not Reach.CONF

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor version of Spark; (0, 0) where unknown."""
        return major_minor(self.spark_version)

    @cached_property
    def settings(self) -> Settings:
        return Settings(self.conf, read_version(self.spark_version))

    @cached_property
    def selection(self) -> SelectionConf:
        """What Spark selected joins by."""
        return read_conf(self.conf, self.spark_version)

    @cached_property
    def costs(self) -> UnitCosts:
        return calibrate(self.queries, self.prices)

    @cached_property
    def cap(self) -> BroadcastCap:
        return broadcast_cap(
            self.cluster.driver_memory_bytes,
            self.cluster.executor_memory_bytes,
            self.memory_fraction,
            self.settings[DRIVER_MAX_RESULT_SIZE],
            self.settings[MAX_BROADCAST_TABLE_SIZE],
        )

    @property
    def task_cap_bytes(self) -> int:
        """The most bytes of hash relation for one task of a shuffled hash join."""
        return task_relation_cap(
            self.cluster.executor_memory_bytes,
            self.cluster.cores_per_executor,
            self.memory_fraction,
            self.settings[MEMORY_STORAGE_FRACTION] or MEMORY_STORAGE_FRACTION.default,
            self._off_heap_bytes,
        )

    @property
    def task_memory_bytes(self) -> int:
        """The bytes that one task has for certain to sort and to aggregate in."""
        cluster = self.cluster
        return hash_map_cap(
            cluster.executor_memory_bytes, cluster.cores_per_executor, self.memory_fraction, self._off_heap_bytes
        )

    @property
    def _off_heap_bytes(self) -> int:
        return self.settings[OFF_HEAP_SIZE] if self.settings[OFF_HEAP] else 0

    @property
    def memory_fraction(self) -> float:
        return self.settings[MEMORY_FRACTION] or MEMORY_FRACTION.default

    @cached_property
    def succeeded(self) -> tuple[Query, ...]:
        """The queries whose measurements are whole."""
        return tuple(q for q in self.queries if is_whole(q))

    @cached_property
    def unsteered(self) -> frozenset[str]:
        """Queries (fingerprints) whose joins are left as they are: those that will hardly come back, and, where the agent steers,
        those that read a cache."""
        reading = {query.fingerprint for query in self.queries if query.reads_cache}
        return self.passing | reading if self.reach is Reach.AGENT else self.passing

    @property
    def of_all_runs(self) -> tuple[tuple[Query, ...], ...]:
        """The queries of each run, oldest first; this one is the last."""
        return (*(past.queries for past in self.earlier), self.queries)

    def as_each_earlier_run(self, fingerprint: str | None) -> Iterator[Facts]:
        """The executions of a query that each earlier run had with values that this one has, newest first, as if that were the
        latest run, with all runs at hand beside it."""
        values = {query.literals for query in self.queries}
        all_runs = (*self.earlier, self._this_run)
        for past in reversed(self.earlier):
            mine = past.by_fingerprint.get(fingerprint or "", ())
            if then := tuple(query for query in mine if query.literals in values):
                yield replace(self, queries=then, earlier=all_runs)

    @cached_property
    def of_other_runs(self) -> Facts:
        """The same of the queries that earlier runs had and this one has not, as they ran last, and of `unseen_joins`: what
        reaches every query of a job reaches them, too."""
        mine = {query.fingerprint for query in self.queries}
        told = [q for past in self.earlier for q in past.queries if not q.work_in_brief]
        others = {query.fingerprint: query for query in told if query.fingerprint not in mine}
        unseen = unseen_joins(self.queries, filter(is_whole, told))
        # Their own ids are those of several runs.
        numbered = (
            replace(query, id=number, root_id=number) for number, query in enumerate((*others.values(), *unseen))
        )
        return replace(self, queries=tuple(numbered), earlier=())

    def graphs_of(self, query: Query) -> tuple[JoinGraph, ...]:
        """The blocks of a query of this run, each once, with what earlier runs measured of them in other orders."""
        mine = {graph.signature: graph for graph in query.graphs}
        known = (other for graph in mine.values() for other in self._in_other_orders(query, graph))
        return merge_graphs((*known, *query.graphs))

    def with_history(self, query: Query, graph: JoinGraph) -> JoinGraph:
        """One block of a query, which may have several alike, with what earlier runs measured of it in other orders."""
        return self.once(_histories).of(graph, lambda: self._with_history(query, graph), query.fingerprint)

    def _with_history(self, query: Query, graph: JoinGraph) -> JoinGraph:
        (merged,) = merge_graphs((*self._in_other_orders(query, graph), graph))
        return merged

    def _in_other_orders(self, query: Query, graph: JoinGraph) -> Sequence[JoinGraph]:
        known, key = self.once(_known_blocks), (query.fingerprint, graph.signature)
        if key not in known:
            known[key] = KnownBlock([block for run in (*self.earlier, self._this_run) for block in run.blocks(*key)])
        return known[key].in_other_orders(graph)

    @cached_property
    def _this_run(self) -> PastRun:
        return PastRun(self.queries, self.conf, self.cluster)


def _histories(_: Facts) -> OncePerBlock[JoinGraph]:
    return OncePerBlock()


def _known_blocks(_: Facts) -> dict[tuple[str, str], KnownBlock]:
    return {}


def cores_for_tasks(cluster: Cluster, conf: Mapping[str, str]) -> Cluster:
    """The cluster with as many cores, and for each executor, as tasks run at once: one may take several (CPUS_PER_TASK)."""
    cpus = max(1, Settings(conf)[TASK_CPUS])
    if cpus == 1 or not cluster.cores_per_executor:
        return cluster
    at_once = max(1, cluster.cores_per_executor // cpus)
    return replace(cluster, cores=cluster.executors * at_once, cores_per_executor=at_once)


def is_whole(query: Query) -> bool:
    """Whether a query came to its end, so that its rows and times are all there."""
    return query.status is QueryStatus.SUCCEEDED and query.duration_ms is not None
