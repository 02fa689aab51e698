"""Joins to execute, small enough for a test: what AQE then measures of their sides decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tuner.spark.join_selection.logical_join import SideHint

_TYPES = {
    "Inner": "JOIN",
    "LeftOuter": "LEFT JOIN",
    "RightOuter": "RIGHT JOIN",
    "FullOuter": "FULL JOIN",
    "LeftSemi": "LEFT SEMI JOIN",
    "LeftAnti": "LEFT ANTI JOIN",
}
STATIC, ADAPTIVE = "spark.sql.autoBroadcastJoinThreshold", "spark.sql.adaptive.autoBroadcastJoinThreshold"
LOCAL_MAP = "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold"
ADVISORY = "spark.sql.adaptive.advisoryPartitionSizeInBytes"
NON_EMPTY = "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin"
CONVERT = "spark.sql.adaptive.convertSortMergeJoinToShuffledHashJoin.enabled"
BASE = {"spark.sql.adaptive.enabled": "true", "spark.sql.shuffle.partitions": "8", STATIC: "-1"}
LATE_MS = 1500
ROW_BYTES = 16  # an UnsafeRow of one INT: a word of null bits and a word of value


@dataclass(frozen=True, slots=True)
class Input:
    """`rows` rows of a key with `keys` values; `estimated_rows` is what the planner believes.

    A `late` one takes so long that AQE has planned anew before it is known.
    """

    rows: int
    keys: int = 1000
    estimated_rows: int = 0
    repartitioned: bool = False
    late: bool = False

    @property
    def statement(self) -> str:
        every = max(self.rows, self.estimated_rows) // self.rows
        hint = "/*+ REPARTITION(8, k) */ " if self.repartitioned else ""
        sleep = f"reflect('java.lang.Thread', 'sleep', {LATE_MS}L)"
        wait = f" AND CASE WHEN id = 0 THEN {sleep} END IS NULL" if self.late else ""
        rows = (
            f"SELECT CAST(id DIV {every} % {self.keys} AS INT) k FROM range({self.rows * every}) WHERE id % {every} = 0"
        )
        return f"(SELECT {hint}k FROM ({rows}{wait}))"


@dataclass(frozen=True, slots=True)
class ExecutedCase:
    """One join to run; the hints are the user's.

    `unknown` says that an input was late for a decision that its measurement would have changed.
    """

    about: str
    type: str
    left: Input
    right: Input
    conf: dict[str, str] = field(default_factory=dict)
    left_hint: SideHint | None = None
    right_hint: SideHint | None = None
    unknown: bool = False

    @property
    def statement(self) -> str:
        calls = [f"{hint}({name})" for name, hint in (("l", self.left_hint), ("r", self.right_hint)) if hint]
        hints = f"/*+ {', '.join(calls)} */ " if calls else ""
        words = _TYPES[self.type]
        return f"SELECT {hints}l.k FROM {self.left.statement} l {words} {self.right.statement} r ON l.k = r.k"


LARGE, SMALL = Input(20_000), Input(200)
FEW_KEYS = Input(200, keys=1)


def executed_cases() -> Iterator[ExecutedCase]:
    """Thresholds met and missed by a byte, empty partitions, and partitions that fit into a hash map."""
    yield from _thresholds()
    yield from _empty_partitions()
    yield from _local_maps()
    yield from _hints()


def _thresholds() -> Iterator[ExecutedCase]:
    limit = {ADAPTIVE: "100000"}
    for type_, (left, right) in product(_TYPES, ((LARGE, SMALL), (SMALL, LARGE))):
        yield ExecutedCase("one side below the adaptive threshold", type_, left, right, limit)
    exact = SMALL.rows * ROW_BYTES
    for bytes_ in (exact, exact - 1):
        yield ExecutedCase("at the threshold and a byte below", "Inner", LARGE, SMALL, {ADAPTIVE: str(bytes_)})
    believed = Input(200, estimated_rows=200_000)
    yield ExecutedCase("the static threshold where there is no other", "Inner", LARGE, believed, {STATIC: "100000"})
    yield ExecutedCase("no broadcasts in AQE", "Inner", LARGE, believed, {STATIC: "100000", ADAPTIVE: "-1"})
    hashing = {STATIC: "20000", ADAPTIVE: "-1", "spark.sql.join.preferSortMergeJoin": "false"}
    smaller = Input(200, estimated_rows=20_000)
    yield ExecutedCase("much smaller, once measured", "Inner", LARGE, smaller, hashing)
    yield ExecutedCase("much smaller, but of few partitions", "Inner", LARGE, smaller, {**hashing, STATIC: "400"})
    yield ExecutedCase("broadcast from the start", "Inner", LARGE, SMALL, {STATIC: "100000"})
    yield ExecutedCase("broadcast from the start, semi", "LeftSemi", LARGE, SMALL, {STATIC: "100000", ADAPTIVE: "-1"})


def _empty_partitions() -> Iterator[ExecutedCase]:
    limit = {ADAPTIVE: "100000"}
    large = Input(20_000, keys=1)
    for type_ in _TYPES:
        yield ExecutedCase("few keys in the small side", type_, LARGE, FEW_KEYS, limit)
    for type_ in ("Inner", "LeftOuter", "LeftSemi", "LeftAnti"):
        yield ExecutedCase("few keys in the large side", type_, large, Input(200, late=True), limit)
    yield ExecutedCase("few keys in the large side", "RightOuter", Input(200, late=True), large, limit)
    late = Input(20_000, keys=1, late=True)
    yield ExecutedCase("few keys in the large side, known too late", "LeftOuter", late, SMALL, limit, unknown=True)
    few = Input(200, keys=2)
    yield ExecutedCase("two of eight partitions", "Inner", LARGE, few, limit)
    yield ExecutedCase("two of eight partitions, at a higher ratio", "Inner", LARGE, few, {**limit, NON_EMPTY: "0.9"})
    yield ExecutedCase("at no ratio", "Inner", LARGE, FEW_KEYS, {**limit, NON_EMPTY: "0"})


def _local_maps() -> Iterator[ExecutedCase]:
    roomy = {LOCAL_MAP: "1m", ADVISORY: "1m"}
    for type_, (left, right) in product(_TYPES, ((LARGE, SMALL), (SMALL, LARGE))):
        yield ExecutedCase("all partitions fit", type_, left, right, roomy)
    narrow = {LOCAL_MAP: "1000", ADVISORY: "1000"}
    for type_, (left, right) in product(_TYPES, ((LARGE, SMALL), (SMALL, LARGE))):
        yield ExecutedCase("those of the small side fit", type_, left, right, narrow)
    yield ExecutedCase("coalesced ones would not", "Inner", LARGE, SMALL, {LOCAL_MAP: "1m", ADVISORY: "2m"})
    few = {**roomy, ADAPTIVE: "100000"}
    yield ExecutedCase("small, few keys, and all partitions fit", "Inner", LARGE, FEW_KEYS, few)
    yield ExecutedCase("few keys in a side never broadcast", "FullOuter", Input(20_000, keys=1), SMALL, roomy)
    yield ExecutedCase("a broadcast goes first", "Inner", LARGE, SMALL, few)
    yield ExecutedCase("a shuffle of the user's", "Inner", LARGE, Input(200, repartitioned=True), narrow)
    yield ExecutedCase("no conversion", "Inner", LARGE, SMALL, {**roomy, CONVERT: "false"})


def _hints() -> Iterator[ExecutedCase]:
    roomy, limit = {LOCAL_MAP: "1m", ADVISORY: "1m"}, {ADAPTIVE: "100000"}
    for hint in (SideHint.MERGE, SideHint.SHUFFLE_HASH, SideHint.BROADCAST):
        yield ExecutedCase("a hint on the large side", "Inner", LARGE, SMALL, roomy, left_hint=hint)
        yield ExecutedCase("a hint on the small side", "Inner", LARGE, SMALL, limit, right_hint=hint)
    wrong = {**roomy, ADAPTIVE: "100000"}
    yield ExecutedCase("an idle hint", "LeftOuter", LARGE, SMALL, wrong, left_hint=SideHint.BROADCAST)
    yield ExecutedCase(
        "an idle hint, few keys", "LeftSemi", LARGE, FEW_KEYS, limit, right_hint=SideHint.SHUFFLE_REPLICATE_NL
    )
    yield ExecutedCase("an idle hint, full", "FullOuter", LARGE, SMALL, roomy, right_hint=SideHint.BROADCAST)
