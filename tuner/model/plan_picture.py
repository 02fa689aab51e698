"""A plan as a person looks at it: the operators that read, move, join and reduce rows, and how many flow between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from tuner.model.strategy import BuildSide, Strategy


class StepKind(StrEnum):
    SCAN = "scan"
    FILTER = "filter"
    SHUFFLE = "shuffle"
    BROADCAST = "broadcast"
    JOIN = "join"
    AGGREGATE = "aggregate"
    WINDOW = "window"
    UNION = "union"
    OTHER = "other"


# A run stores thousands of steps.
_STORED_AS = {"kind": "k", "operator": "o", "label": "l", "rows": "r", "bytes": "b", "inputs": "i"}
_STORED_AS |= {"signature": "s", "occurrence": "n", "strategy": "t", "build_side": "d"}
_STORED_AS |= {"relations": "v", "columns": "c", "keys": "e", "is_partial": "p", "by_query": "q", "seconds": "m"}


class PlanStep(msgspec.Struct, frozen=True, omit_defaults=True, rename=_STORED_AS):
    """One step. `label` names it in words that hold no literal: a relation, join keys, grouping columns.

    `rows` and `bytes` are what it puts out, None where the plan does not say. `inputs` are positions in the picture's
    steps, left before right. A join has its signature, its occurrence, its strategy, the side it builds and the columns of
    its `keys`, left then right. `relations` are the short names of what a scan, or a reused exchange, reads. `columns` are
    those that a shuffle hashes, an aggregate groups or a window partitions by. `is_partial` marks an aggregate before its
    shuffle, `by_query` a shuffle that the query asked for, not an operator above it. `seconds` is its part of what its
    stages took on the clock (`tuner.cost.operator_shares`), None where that is not known.
    As JSON its fields have names of one letter, and those with their defaults are left out.
    """

    kind: StepKind
    operator: str
    label: str
    rows: int | None = None
    bytes: int | None = None
    inputs: tuple[int, ...] = ()
    signature: str = ""
    occurrence: int = 0
    strategy: Strategy | None = None
    build_side: BuildSide | None = None
    relations: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    is_partial: bool = False
    by_query: bool = False
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class PlanPicture:
    """The plan that a query ran in the end, by its fingerprint. `steps[0]` is the last one to run; () if too large."""

    query: str
    description: str
    steps: tuple[PlanStep, ...] = ()
