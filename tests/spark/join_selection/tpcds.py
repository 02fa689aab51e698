"""Every join of the TPC-DS queries, as a real Spark's optimiser leaves and its planner plans it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import LogicalJoin, Rule, Side
from tuner.spark.join_selection.reselect_join import reselect_join
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import SelectionConf

from .agreement import Compared
from .executed import known_side
from .executed_cases import ADAPTIVE, ADVISORY, BASE, LOCAL_MAP
from .spark_planner import SparkPlanner, choice_of, each, joins_of, read_join

_THRESHOLD, _PREFER = "spark.sql.autoBroadcastJoinThreshold", "spark.sql.join.preferSortMergeJoin"
_DIALECT = {"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true"}
# Everything is shuffled at first, and AQE has something to turn.
_EXECUTED = {**BASE, ADAPTIVE: "50000", LOCAL_MAP: "100000", ADVISORY: "100000"}
# As good as endless to the planner, as the static threshold is off.
_UNFINISHED = Side(1 << 62)
_CONF: tuple[dict[str, str], ...] = (
    {},
    {_THRESHOLD: "-1"},
    {_THRESHOLD: "200000"},
    {_THRESHOLD: "200000", _PREFER: "false"},
    {_THRESHOLD: "1g"},
)


def compare_queries(planner: SparkPlanner, tables: Path, queries: Mapping[str, str]) -> Iterator[Compared]:
    """The joins of the queries and of their subqueries, each under every setting."""
    _read(planner, tables)
    with planner.conf(_DIALECT):
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
                    category = f"{', '.join(f'{key[10:]} {value}' for key, value in properties.items())} {join.type}"
                    choice = select_join(join, conf)
                    yield Compared(category, f"query {name}", properties, join, choice, choice_of(operator))


def compare_executed_queries(planner: SparkPlanner, tables: Path, queries: Mapping[str, str]) -> Iterator[Compared]:
    """The joins of the queries as AQE ended with them, by what its planner knew when it last planned each.

    Those that had a broadcast started by then are a category of their own: there is little left to choose. So are those
    that were decided by the side that finished first.
    """
    _read(planner, tables)
    with planner.conf({**_DIALECT, **_EXECUTED}) as conf:
        for name, text in queries.items():
            execution = planner.run(text).queryExecution()
            execution.toRdd().count()
            for operator in joins_of(execution.executedPlan()):
                logical = operator.logicalLink().get()
                known = read_join(
                    logical,
                    equi_keys=planner.has_equi_keys(logical),
                    null_aware=planner.is_null_aware(logical),
                )
                sides = [known_side(planner, side) for side in (logical.left(), logical.right())]
                left, right = reversed(sides) if known.turned else sides
                join = replace(known, left=left, right=right)
                yield _decided(f"query {name}", join, conf, choice_of(operator))


def _decided(
    statement: str, join: LogicalJoin, conf: SelectionConf, spark: tuple[Strategy, BuildSide | None]
) -> Compared:
    """A join by what is known at its end; where Spark chose otherwise, by what was known with one side unfinished.

    A broadcast that the first side to finish started is kept, and the statistics of the other are newer than the plan.
    """
    moments = {
        "chosen": join,
        "chosen before the left side finished": replace(join, left=_UNFINISHED),
        "chosen before the right side finished": replace(join, right=_UNFINISHED),
    }
    compared = []
    for moment, known in moments.items():
        choice = reselect_join(known, conf)
        when = "broadcast already" if choice.rule is Rule.BROADCAST_STAGE else moment
        compared.append(Compared(f"{when}, {join.type}", statement, _EXECUTED, known, choice, spark))
    return next((one for one in compared if one.agrees), compared[0])


def _read(planner: SparkPlanner, tables: Path) -> None:
    for folder in filter(Path.is_dir, sorted(tables.iterdir())):
        planner.read_parquet(folder)


def _plans(plan: Any) -> Iterator[Any]:
    """An optimised plan and those of its subqueries, which are planned by themselves."""
    yield plan
    yield from each(plan.subqueriesAll())
