"""Spark's planner asked for many joins, and the simulation beside it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import Choice, LogicalJoin, SideHint
from tuner.spark.join_selection.select_join import select_join

from .join_cases import SQL_HINTS, Case, Relation, sample_cases, sample_conf, tied_cases
from .spark_planner import SparkPlanner, as_written, choice_of, choices_of, joins_of, read_join

_PLAIN_TYPES = ("Inner", "Cross", "LeftOuter", "RightOuter", "FullOuter", "LeftSemi", "LeftAnti")
BRANCHES = 30  # statements that are optimised together


@dataclass(frozen=True, slots=True)
class Compared:
    """One join under one conf: what the simulation was told and said, and what Spark did."""

    category: str
    statement: str
    conf: dict[str, str]
    join: LogicalJoin
    choice: Choice
    spark: tuple[Strategy, BuildSide | None]

    @property
    def agrees(self) -> bool:
        return as_written(self.join, self.choice) == self.spark

    def __str__(self) -> str:
        told = f"{self.category}: {self.statement} {self.conf}\n  {self.join}"
        return f"{told}\n  simulated {self.choice}\n  Spark {self.spark}"


def compare_planning(planner: SparkPlanner, statements: int, confs: int, seed: int = 0) -> Iterator[Compared]:
    """`statements` sampled joins and those of tied sides, each planned under `confs` settings of its own."""
    relations = _Relations(planner)
    settings = sample_conf(seed)
    cases = list(filter(relations.has, [*tied_cases(), *sample_cases(seed, statements)]))
    for first in range(0, len(cases), BRANCHES):
        batch = cases[first : first + BRANCHES]
        execution = planner.union([case.statement for case in batch])
        operators = list(joins_of(execution.sparkPlan()))
        joins = [
            read_join(operator.logicalLink().get(), **case.facts)
            for operator, case in zip(operators, batch, strict=True)
        ]
        for properties in islice(settings, confs):
            with planner.conf(properties) as conf:
                did = choices_of(planner.plan(execution.optimizedPlan()))
            for case, join, spark in zip(batch, joins, did, strict=True):
                yield Compared(case.kind, case.statement, properties, join, select_join(join, conf), spark)


def compare_odd_keys(planner: SparkPlanner, seed: int = 0) -> Iterator[Compared]:
    """Joins on keys that cannot be sorted, or not be hashed (from 4.0), which no optimised SQL has: by JoinSelection."""
    choose = random.Random(seed)
    planner.make_table("odd", "k INT", 5000)
    keys = {"maps": ("map(k, k)", {"orderable": False})}
    if planner.version >= "4":
        keys["collated"] = ("CAST(k AS STRING) COLLATE UTF8_LCASE", {"hashable": False})
    for (name, (key, facts)), type_name in product(keys.items(), _PLAIN_TYPES):
        for threshold, left_hint in product(("1", "10MB"), (None, *SQL_HINTS)):
            hints = [left_hint, choose.choice((None, *SQL_HINTS))]
            left, right = (f"SELECT {key}{choose.choice(('', ', k'))} FROM odd" for _ in "lr")
            properties = {
                "spark.sql.autoBroadcastJoinThreshold": threshold,
                "spark.sql.join.preferSortMergeJoin": "false",
            }
            with planner.conf(properties) as conf:
                operator, logical = planner.select(type_name, left, right, hints)
                join = read_join(logical, **facts)
                category = f"{type_name}, {name}"
                yield Compared(
                    category, f"{left} / {right}", properties, join, select_join(join, conf), choice_of(operator)
                )


class _Relations:
    """Tables and views, made when they are first needed."""

    def __init__(self, planner: SparkPlanner) -> None:
        self._planner = planner
        self._made: set[str] = set()
        self._unknown: set[SideHint] = set()

    def has(self, case: Case) -> bool:
        """Whether the relations of a case are there; not all versions know all hints."""
        return all(self._make(relation) for relation in (case.left, case.right))

    def _make(self, relation: Relation) -> bool:
        if relation.hint in self._unknown:
            return False
        if relation.name not in self._made:
            if relation.hint:
                table = Relation(relation.name[: -len(relation.hint) - 1], relation.bytes)
                self._make(table)
                if not self._planner.hint_view(relation.name, table.name, relation.hint):
                    self._unknown.add(relation.hint)
                    return False
            else:
                self._planner.make_table(relation.name, "k INT", relation.bytes)
            self._made.add(relation.name)
        return True
