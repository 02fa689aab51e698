"""What a run was run by: its Spark and its cluster. Times of one context say little of another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from tuner.model.cluster import Cluster
from tuner.model.run import Outcome, Run
from tuner.model.size_change import SizeChange
from tuner.spark.knobs import DRIVER_MEMORY, EXECUTOR_CORES, EXECUTOR_MEMORY
from tuner.spark.version import major_minor
from tuner.units import format_bytes, parse_bytes

# Heaps that differ by less are the same.
SAME_HEAP = 1.1
# What a submission tells of a cluster's shape.
_SHAPE = (DRIVER_MEMORY.property, EXECUTOR_MEMORY.property, EXECUTOR_CORES.property)

_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True)
class Context:
    """Major and minor version of Spark ((0, 0) where unknown), and the cluster's shape (0 for what is unknown). `runtime` is what
    a submission tells of both ("" where it tells nothing, and in what a log tells)."""

    version: tuple[int, int] = (0, 0)
    cluster: Cluster = field(default_factory=Cluster)
    runtime: str = ""

    def difference(self, before: Context) -> str:
        """In words, what makes this another context than the one `before`; "" where nothing does.

        The number of cores does not: dynamic allocation gives another one every night, and evidence counts core seconds.
        """
        if (0, 0) not in (self.version, before.version) and self.version != before.version:
            return f"Spark {_version(self)} instead of {_version(before)}"
        if "" not in (self.runtime, before.runtime) and self.runtime != before.runtime:
            return f"{self.runtime} instead of {before.runtime}"
        now, then = self.cluster, before.cluster
        for what, new, old in (
            ("executors", now.executor_memory_bytes, then.executor_memory_bytes),
            ("a driver", now.driver_memory_bytes, then.driver_memory_bytes),
        ):
            if _apart(new, old, SAME_HEAP):
                return f"{what} of {format_bytes(new)} instead of {format_bytes(old)}"
        if _apart(now.cores_per_executor, then.cores_per_executor, 1.0):
            return f"{now.cores_per_executor} cores for each executor instead of {then.cores_per_executor}"
        return ""


def context_of(outcome: Outcome, cuts: Iterable[SizeChange] = ()) -> Context:
    """The context that a run was measured in: as its job asks for it, where memory was taken that none of its runs used."""
    cluster = outcome.cluster
    asked = _heap({one.property: one.was for one in cuts}, EXECUTOR_MEMORY.property)
    return Context(
        major_minor(outcome.spark_version), replace(cluster, executor_memory_bytes=asked) if asked else cluster
    )


def context_to_come(latest: Outcome, spark_version: str, conf: Mapping[str, str]) -> Context:
    """The context of a run to come: the latest one's, but for what is known of this one ("" and no entry: unknown)."""
    cluster = latest.cluster
    driver, executor = (_heap(conf, knob.property) for knob in (DRIVER_MEMORY, EXECUTOR_MEMORY))
    # In local mode there is one heap, the driver's.
    executor = driver if cluster.local else executor
    cores = conf.get(EXECUTOR_CORES.property, "")
    return Context(
        major_minor(spark_version or latest.spark_version),
        replace(
            cluster,
            driver_memory_bytes=driver or cluster.driver_memory_bytes,
            executor_memory_bytes=executor or cluster.executor_memory_bytes,
            cores_per_executor=int(cores) if cores.isdecimal() and not cluster.local else cluster.cores_per_executor,
        ),
    )


def shape_in(conf: Mapping[str, str]) -> dict[str, str]:
    """Of a run's conf, what tells the shape of its cluster."""
    return {name: conf[name] for name in _SHAPE if name in conf}


@dataclass(slots=True)
class ByContext(Generic[_Kept]):
    """Something for each context that measured runs had; contexts that are alike share it."""

    make: Callable[[], _Kept]
    _kept: list[tuple[Context, _Kept]] = field(default_factory=list)

    def of(self, run: Run) -> _Kept:
        """What is kept for the context of a run; made where no run had one like it, or nothing tells its context."""
        return self.at(context_of(run.outcome, run.decision.cuts)) if run.outcome else self.make()

    def at(self, context: Context) -> _Kept:
        """What is kept for a context."""
        for known, kept in self._kept:
            if known == context or not context.difference(known):
                return kept
        self._kept.append((context, self.make()))
        return self._kept[-1][1]

    def __iter__(self) -> Iterator[_Kept]:
        return (kept for _, kept in self._kept)


def _version(context: Context) -> str:
    return ".".join(map(str, context.version))


def _heap(conf: Mapping[str, str], key: str) -> int | None:
    """Spark reads a number without a unit as MiB."""
    return parse_bytes(conf[key], "m") if key in conf else None


def _apart(new: int, old: int, factor: float) -> bool:
    return min(new, old) > 0 and max(new, old) > factor * min(new, old)
