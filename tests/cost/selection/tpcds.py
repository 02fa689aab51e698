"""Every join of the TPC-DS queries, as a real Spark's optimiser leaves and its planner plans it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from tuner.cost.selection.planning import select_join

from .agreement import Compared
from .spark_planner import SparkPlanner, choice_of, each, joins_of, read_join

_THRESHOLD, _PREFER = "spark.sql.autoBroadcastJoinThreshold", "spark.sql.join.preferSortMergeJoin"
_CONF: tuple[dict[str, str], ...] = (
    {},
    {_THRESHOLD: "-1"},
    {_THRESHOLD: "200000"},
    {_THRESHOLD: "200000", _PREFER: "false"},
    {_THRESHOLD: "1g"},
)


def compare_queries(planner: SparkPlanner, tables: Path, queries: Mapping[str, str]) -> Iterator[Compared]:
    """The joins of the queries and of their subqueries, each under every setting."""
    for folder in filter(Path.is_dir, sorted(tables.iterdir())):
        planner.read_parquet(folder)
    with planner.conf({"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true"}):
        plans = {
            name: list(_plans(planner.run(text).queryExecution().optimizedPlan())) for name, text in queries.items()
        }
    for properties in _CONF:
        with planner.conf(properties) as conf:
            for name, optimized in plans.items():
                for operator in chain.from_iterable(joins_of(planner.plan(plan)) for plan in optimized):
                    logical = operator.logicalLink().get()
                    join = read_join(
                        logical,
                        equi_keys=planner.has_equi_keys(logical),
                        null_aware=planner.is_null_aware(logical),
                    )
                    category = f"{properties or 'default'}, {join.type}"
                    choice = select_join(join, conf)
                    yield Compared(category, f"query {name}", properties, join, choice, choice_of(operator))


def _plans(plan: Any) -> Iterator[Any]:
    """An optimised plan and those of its subqueries, which are planned by themselves."""
    yield plan
    yield from each(plan.subqueriesAll())
