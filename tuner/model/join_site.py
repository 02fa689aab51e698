"""One join of one query, as measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tuner.model.strategy import BuildSide as BuildSide
from tuner.model.strategy import JoinType as JoinType
from tuner.model.strategy import Strategy as Strategy


class RuntimeFilter(StrEnum):
    """What Spark made of one side of a join to read less of the other: a bloom filter of its keys, or the partitions that they
    are in (dynamic partition pruning)."""

    BLOOM = "bloom"
    PARTITIONS = "partitions"


@dataclass(frozen=True, slots=True)
class JoinSide:
    """One input of a join.

    rows and bytes are None where the plan reports none. `shuffle_bytes` is the exchange's "data size" (what
    AQE compares with its threshold), `broadcast_bytes` the broadcast relation's. `estimated_bytes` is the planner's own
    estimate (what it compares with autoBroadcastJoinThreshold): known when the run recorded it. `file_bytes` is the
    size of the files behind a side that is one scan with filters and projections: an upper bound of that estimate,
    which scales it by the share of the columns read (SizeInBytesOnlyStatsPlanVisitor). `leaf_bytes` sums the planner's estimates
    of the relations themselves; of one that it knows no size of it is `file_bytes`. `sort_ms` is what sorting its rows once took.
    `filtered_by_other` is what the join's other side has left out of this one: with another strategy Spark may not do so, and the
    rows are more. `skipped` says that an earlier execution of the application has made its rows, which Spark found: nothing was
    measured of it here. `readers` are the places of the plan that read its shuffle (ReusedExchange). Where it has none,
    `fed_bytes` are what its rows may have by the shuffles that fed its stage; None where these do not tell.
    """

    relations: tuple[str, ...]
    rows: int | None = None
    bytes: int | None = None
    shuffle_bytes: int | None = None
    broadcast_bytes: int | None = None
    file_bytes: int | None = None
    estimated_bytes: int | None = None
    sort_ms: int | None = None
    leaf_bytes: int | None = None
    filtered_by_other: RuntimeFilter | None = None
    skipped: bool = False
    readers: int = 1
    fed_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """What an operator above a join, in the same stage, would have to shuffle had the join's inputs not been shuffled.

    `rows` reach it. `sorts` says that it would have to sort them as well. `join` is the signature and occurrence of a join.
    """

    rows: int
    sorts: bool
    join: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """What the tasks of a stage wrote to a table or a directory, and the bytes of it."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class JoinSite:
    """One join of one query, the same in every run whichever strategy ran it.

    `occurrence` tells apart joins of one query that share a signature, in plan order. `keys` are pairs of
    `relation.column`, left then right. `runs` says how often its stage computed it: twice below a range partitioning, which
    samples its rows first. `has_condition` says that it drops rows for something besides its keys, too. `core_ms` sums the
    run times of its stage's `tasks`, whatever else they did. `reshuffle` is there where an operator above relies on its
    shuffles, `written` where its stage wrote files. `coalesced_to` are the most tasks that its stage may have where the job
    coalesces what comes out of it (`DataFrame.coalesce`, which moves no rows). `hinted` says that the job hints it, as far as the
    log tells; `with_changed_table` that its left side are rows of the table that the query changes (MERGE, UPDATE, DELETE): both
    are left as they are; `taken_as_it_lies` that an operator above takes its rows as tasks have them (`mapInPandas`, TRANSFORM).
    Of a join that is not `placed` the log does not tell what hangs on its place in the plan: tasks, readers
    of its shuffles, and what is above.
    """

    signature: str
    occurrence: int
    type: JoinType
    strategy: Strategy
    build_side: BuildSide | None
    keys: tuple[tuple[str, str], ...]
    left: JoinSide
    right: JoinSide
    output_rows: int | None
    planned_strategy: Strategy | None
    runs: int = 1
    core_ms: int | None = None
    tasks: int | None = None
    reshuffle: Reshuffle | None = None
    has_condition: bool = False
    with_changed_table: bool = False
    written: WrittenFiles | None = None
    hinted: bool = False
    coalesced_to: int | None = None
    placed: bool = True
    taken_as_it_lies: bool = False

    def side(self, which: BuildSide) -> JoinSide:
        return self.left if which is BuildSide.LEFT else self.right

    @property
    def sides(self) -> tuple[JoinSide, JoinSide]:
        return self.left, self.right

    @property
    def sort_ms(self) -> int | None:
        """What sorting its sides took, all the times that its stage computed it; None where none was sorted for it."""
        once = [side.sort_ms for side in self.sides if side.sort_ms is not None]
        return self.runs * sum(once) if once else None

    @property
    def is_skipped(self) -> bool:
        """Whether an earlier execution has made what feeds it: the join is to be looked at there."""
        return self.left.skipped or self.right.skipped

    @property
    def built(self) -> JoinSide | None:
        """The side that was built; None where none was (sort merge, Cartesian product)."""
        return self.side(self.build_side) if self.build_side else None
