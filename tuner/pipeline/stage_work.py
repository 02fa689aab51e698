"""What prices are learned from, as rows of `query_work` and `stage_work`, and back: the one place that knows both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import groupby
from typing import Any

from tuner.cost.learned.query_samples import Sample, sample_of
from tuner.model.application import Stage
from tuner.model.cluster import Cluster
from tuner.model.query import Query
from tuner.model.query_work import BroadcastWork, QueryWork, SortWork, StageWork
from tuner.plan.query_work import Resource

# What training needs of a query and of its stages.
QUERY_COLUMNS = ("wall_ms", "sort_rows", "sort_ms", "broadcasts")
STAGE_COLUMNS = ("stage_id", "attempt", "tasks", "run_ms", "cpu_ms", *(resource.value for resource in Resource))

Row = Mapping[str, Any]

_BROADCAST = tuple(field.name for field in fields(BroadcastWork))
# No stage does more of anything, whatever a damaged log says: sums of larger numbers are no numbers.
_MOST = float(1 << 63)


def rows_of(query: Query, stages: Sequence[Stage]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a query with its work, of its tables; none where nothing can be learned from it.

    `stages` are those the work was found of, in the same order.
    """
    sample = sample_of(query, Cluster())
    if sample is None:
        return
    key = {"query_id": query.id, "fingerprint": query.fingerprint}
    work = sample.work
    yield (
        "query_work",
        {
            **key,
            "wall_ms": sample.wall_ms,
            "stages": len(work.stages),
            "sort_rows": work.sorts.rows,
            "sort_ms": work.sorts.sort_ms,
            "broadcasts": [asdict(broadcast) for broadcast in work.broadcasts],
        },
    )
    for stage, done in zip(stages, work.stages, strict=True):
        yield (
            "stage_work",
            {
                **key,
                "stage_id": done.stage_id,
                "attempt": stage.attempt,
                "tasks": done.tasks,
                "run_ms": done.core_ms,
                "cpu_ms": done.cpu_ms,
                **{resource.value: _amount(done.amounts.get(resource)) for resource in Resource},
            },
        )


def samples_of(rows: Iterable[Row]) -> list[Sample]:
    """The samples of rows of stages, each with the columns of its query and of its run: oldest first, in an order that does
    not depend on theirs.

    Columns beyond are passed over. One that is null or lacking is 0: a column that an earlier version did not write.
    """
    ordered = sorted(rows, key=_order)
    return [_sample(list(stages)) for _, stages in groupby(ordered, key=lambda row: (row["log"], row["query_id"]))]


def _order(row: Row) -> tuple[Any, ...]:
    numbers = (_number(row, name) for name in ("query_id", "stage_id", "attempt"))
    return _number(row, "start_ms"), row["log"], *numbers


def _sample(stages: Sequence[Row]) -> Sample:
    query = stages[0]
    work = QueryWork(
        tuple(map(_stage, stages)),
        tuple(map(_broadcast, _items(query.get("broadcasts")))),
        SortWork(_number(query, "sort_rows"), _number(query, "sort_ms")),
    )
    return Sample(query["fingerprint"], _number(query, "wall_ms"), max(1, _number(query, "cores")), work)


def _stage(row: Row) -> StageWork:
    found = {resource.value: row.get(resource.value) for resource in Resource}
    amounts = {name: float(amount) for name, amount in found.items() if _is_number(amount) and amount}
    return StageWork(
        stage_id=_number(row, "stage_id"),
        tasks=_number(row, "tasks"),
        core_ms=_number(row, "run_ms"),
        amounts=amounts,
        cpu_ms=_number(row, "cpu_ms"),
    )


def _broadcast(row: Any) -> BroadcastWork:
    """Of a row as PySpark hands it on: a mapping, or a `Row`."""
    return BroadcastWork(*(_number(row if isinstance(row, Mapping) else row.asDict(), name) for name in _BROADCAST))


def _items(value: Any) -> Sequence[Any]:
    """An array, which is null as None or as NaN."""
    return () if value is None or isinstance(value, float) else value


def _number(row: Row, name: str) -> int:
    value: Any = row.get(name)
    return int(value) if _is_number(value) else 0


def _is_number(value: Any) -> bool:
    # pandas has NaN where a number is null.
    return value is not None and value == value


def _amount(amount: float | None) -> float | None:
    return float(max(-_MOST, min(_MOST, amount))) if amount else None
