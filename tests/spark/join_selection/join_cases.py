"""Joins for a planner to choose strategies for: statements over tables of chosen sizes, under chosen conf."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tuner.spark.join_selection.logical_join import SideHint

# Around the thresholds below, three times them, and what partitions make of them.
SIZES = (
    1,
    900,
    1000,
    1001,
    2700,
    2999,
    3000,
    3003,
    200_000,
    10 << 20,
    (10 << 20) + 1,
    30 << 20,
    (30 << 20) + 3,
    1 << 40,
)
CONF = {
    "spark.sql.autoBroadcastJoinThreshold": ("10MB", "1000", "-1", "0", "2999", "100GB"),
    "spark.sql.adaptive.autoBroadcastJoinThreshold": ("-1", "1GB"),
    "spark.sql.join.preferSortMergeJoin": ("true", "false", "false"),
    "spark.sql.shuffledHashJoinFactor": ("3", "1", "10"),
    "spark.sql.shuffle.partitions": ("200", "1", "3"),
    "spark.sql.optimizeNullAwareAntiJoin": ("true", "true", "false"),
    "spark.sql.optimizeNullAwareAntiJoin.broadcastThreshold": ("-1", "0", "2999"),
}
SQL_HINTS = (SideHint.BROADCAST, SideHint.MERGE, SideHint.SHUFFLE_HASH, SideHint.SHUFFLE_REPLICATE_NL)
INNER_HINTS = (SideHint.NO_BROADCAST_HASH, SideHint.PREFER_SHUFFLE_HASH, SideHint.NO_BROADCAST_AND_REPLICATION)

_EQUAL = "l.k = r.k"
_ALSO = "l.k + r.k > 3"
_LESS = "l.k < r.k"
_TYPES = {
    "inner": "JOIN",
    "left outer": "LEFT JOIN",
    "right outer": "RIGHT JOIN",
    "full outer": "FULL JOIN",
    "left semi": "LEFT SEMI JOIN",
    "left anti": "LEFT ANTI JOIN",
}
# What is selected keeps both columns in need, so that the sides are as large as their tables.
_SHAPES = {
    **{
        f"{name}, {kind}": f"SELECT {{outer}} l.k FROM {{left}} l {words} {{right}} r ON {on}"
        for name, words in _TYPES.items()
        for kind, on in {"equal": _EQUAL, "equal and more": f"{_EQUAL} AND {_ALSO}", "less": _LESS}.items()
    },
    "cross, equal": f"SELECT {{outer}} l.k FROM {{left}} l CROSS JOIN {{right}} r WHERE {_EQUAL}",
    "cross, none": "SELECT {outer} l.k + r.k FROM {left} l CROSS JOIN {right} r",
    "existence, equal": f"SELECT {{left_hint}} l.k FROM {{left}} l WHERE l.k > 5 OR EXISTS "
    f"(SELECT {{right_hint}} 1 FROM {{right}} r WHERE {_EQUAL})",
    "existence, less": f"SELECT {{left_hint}} l.k FROM {{left}} l WHERE l.k > 5 OR EXISTS "
    f"(SELECT {{right_hint}} 1 FROM {{right}} r WHERE {_LESS})",
    "not in": "SELECT {left_hint} l.k FROM {left} l WHERE l.k NOT IN (SELECT {right_hint} r.k FROM {right} r)",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A table of a size, or the view of it with a hint that SQL has no word for."""

    name: str
    bytes: int
    hint: SideHint | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One join of two relations; `kind` names its type and condition."""

    kind: str
    left: Relation
    right: Relation
    left_hint: SideHint | None
    right_hint: SideHint | None

    @property
    def statement(self) -> str:
        calls = [f"{hint}({name})" for name, hint in (("l", self.left_hint), ("r", self.right_hint)) if hint]
        return _SHAPES[self.kind].format(
            outer=_comment(calls),
            left_hint=_comment([c for c in calls if c.endswith("(l)")]),
            right_hint=_comment([c for c in calls if c.endswith("(r)")]),
            left=self.left.name,
            right=self.right.name,
        )

    @property
    def facts(self) -> dict[str, bool]:
        """What the statement says of the join's condition."""
        return {"equi_keys": ", equal" in self.kind, "null_aware": self.kind == "not in"}


def sample_cases(seed: int, count: int) -> list[Case]:
    """Cases of every kind in turn."""
    choose = random.Random(seed)
    kinds = sorted(_SHAPES)
    return [_sample_case(choose, kinds[number % len(kinds)]) for number in range(count)]


def tied_cases() -> list[Case]:
    """Sides of the same size that both qualify, and hints on a NOT IN: rare in a sample."""
    left, right = (Relation(f"{name}_3000", 3000) for name in "lr")
    ties = [
        Case(f"{type_}, {condition}", left, right, hint, hint)
        for type_ in _TYPES
        for condition in ("equal", "less")
        for hint in (None, *SQL_HINTS)
    ]
    return ties + [Case("not in", left, right, *hints) for hint in SQL_HINTS for hints in ((hint, None), (None, hint))]


def sample_conf(seed: int) -> Iterator[dict[str, str]]:
    """Conf without end, the defaults first; half of the properties are as they are by default."""
    choose = random.Random(seed)
    yield {}
    while True:
        yield {key: choose.choice(values) for key, values in CONF.items() if choose.random() < 0.6}


def _sample_case(choose: random.Random, kind: str) -> Case:
    left, right = (_sample_relation(choose, name) for name in "lr")
    if choose.random() < 0.2:
        right = Relation(right.name.replace(str(right.bytes), str(left.bytes)), left.bytes, right.hint)
    hints = [
        None if relation.hint or choose.random() < 0.55 else choose.choice(SQL_HINTS) for relation in (left, right)
    ]
    return Case(kind, left, right, *hints)


def _sample_relation(choose: random.Random, name: str) -> Relation:
    size = choose.choice(SIZES)
    hint = choose.choice(INNER_HINTS) if choose.random() < 0.15 else None
    return Relation(f"{name}_{size}" + (f"_{hint.lower()}" if hint else ""), size, hint)


def _comment(calls: list[str]) -> str:
    return f"/*+ {', '.join(calls)} */" if calls else ""
