"""Finds the operators of a plan that did not count each of their rows once: stopped early, ran in part, before, or again."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import IntEnum

from tuner.model.strategy import JoinType, Strategy
from tuner.plan.counting import NOTHING_LOST, Counting
from tuner.plan.expression import bracketed, split_top_level
from tuner.plan.join_text import RIGHT_OUTER, printed_keys, printed_type
from tuner.plan.never_ran import is_written, never_ran
from tuner.plan.node import PlanNode, is_cache, is_unfilled
from tuner.plan.shuffles import shuffle_partitions
from tuner.plan.sides import BOUNDARIES, SHUFFLE_WRITE_METRICS, SHUFFLES, feeding_shuffle, output_rows

# SparkPlan.executeTake and executeTail run as many tasks of the last stage as give the rows that are asked for.
_TAKES = frozenset({"CollectLimit", "CollectTail"})
_LIMITS = _TAKES | {"LocalLimit", "GlobalLimit"}
# What has all its input before it puts out a row.
_TAKES_ALL = frozenset({"Sort", "HashAggregate", "ObjectHashAggregate", "TakeOrderedAndProject"})
# The inputs of a merge join, by its type as printed, of which it asks for every row (SortMergeJoinExec); of the others it takes
# rows as long as the other side has some.
_ALL_ROWS_OF: Mapping[str, Container[int]] = {
    **dict.fromkeys((JoinType.LEFT_OUTER, JoinType.LEFT_ANTI, JoinType.EXISTENCE, JoinType.LEFT_SINGLE), (0,)),
    RIGHT_OUTER: (1,),
    JoinType.FULL_OUTER: (0, 1),
}
# Of a side with so many rows for each task, its last one leaves some tenth of the other side's rows behind it, at most.
_ROWS_TO_THE_END = 10
_NUMBER = re.compile(r"-?\d{1,10}\b")
_NOT_NULL = "isnotnull("
_ROWS = "number of output rows"
_READ = "records read"
_WRITTEN = "shuffle records written"


class _Stop(IntEnum):
    """What a limit above has left out: nothing, rows of each task, or tasks."""

    NEVER = 0
    ROWS = 1
    TASKS = 2


@dataclass(frozen=True, slots=True)
class _Place:
    """What operators above an operator make of its counts.

    `in_part`: of what a cache above it holds only a part was computed. `again`: a product above reads it for each partition of
    its other side, or a range partitioning some of it once more. `never`: its stage did not run.
    """

    stop: _Stop = _Stop.NEVER
    runs: int = 1
    skipped: bool = False
    in_part: bool = False
    again: bool = False
    never: bool = False

    @property
    def of_own_stage(self) -> _Place:
        """The same for what no operator above of the same stage has a part in."""
        is_alone = self.stop is _Stop.NEVER and self.runs == 1 and not self.again and not self.never
        return self if is_alone else replace(self, stop=_Stop.NEVER, runs=1, again=False, never=False)


def counting_of(root: PlanNode, *, finished: bool, lost: Set[int] = NOTHING_LOST) -> Counting:
    """What of a plan is not counted as it is; of one that did not run to its end nothing is told. `lost` are `lost_counters`."""
    if not finished:
        return Counting()
    partial, skipped, never, runs = set[int](), set[int](), set[int](), dict[int, int]()
    waiting, without = [(root, _Place())], never_ran(root)
    while waiting:
        node, above = waiting.pop()
        here = _at(node, above, without)
        if here.skipped:
            skipped.add(id(node))
        elif here.never:
            never.add(id(node))
        if here.skipped or here.stop or here.in_part or here.again or here.never or _is_lost(node, lost):
            partial.add(id(node))
        if here.runs > 1:
            runs[id(node)] = here.runs
        waiting += _below(node, here)
    return Counting(frozenset(partial), frozenset(skipped), runs, frozenset(never))


def _at(node: PlanNode, above: _Place, without: Container[int]) -> _Place:
    """A stage ends at its shuffles and broadcasts: what wrote them ran whole, and once."""
    # A reused exchange has run, below a skipped one too.
    skipped = _is_skipped(node) or (above.skipped and not node.metrics)
    place = above.of_own_stage if node.name in BOUNDARIES else above
    never = place.never or id(node) in without
    is_as_place = skipped == place.skipped and never == place.never
    return place if is_as_place else replace(place, skipped=skipped, never=never)


def _is_lost(node: PlanNode, lost: Set[int]) -> bool:
    """Whether the log lacks some of what an operator has counted: of a shuffle, of what was written."""
    if not lost:
        return False
    names = SHUFFLE_WRITE_METRICS if node.name in SHUFFLES else node.metric_ids.keys()
    return any(node.metric_ids.get(name) in lost for name in names)


def _below(node: PlanNode, here: _Place) -> Iterator[tuple[PlanNode, _Place]]:
    if is_cache(node):
        if is_unfilled(node):  # nothing ran there
            return
        place = _in_cache(node, here)
    else:
        stop, runs = _stop_below(node, here.stop), _runs_below(node, here.runs)
        again = here.again or runs is None or node.name == Strategy.CARTESIAN  # UnsafeCartesianRDD
        runs = runs or 1
        is_as_here = stop is here.stop and runs == here.runs and again is here.again
        place = here if is_as_here else replace(here, stop=stop, runs=runs, again=again)
    for at, child in enumerate(node.children):
        yield child, _of_input(node, at, place)
    for subquery in node.subqueries:
        yield subquery, place.of_own_stage


def _of_input(node: PlanNode, at: int, place: _Place) -> _Place:
    """A place below an operator as that of one of its inputs."""
    if node.name == Strategy.SORT_MERGE and place.stop is _Stop.NEVER and _ends_early(node, at):
        return replace(place, stop=_Stop.ROWS)
    return place


def _ends_early(join: PlanNode, at: int) -> bool:
    """Whether a merge join may have left out much of an input that comes row by row, when its other side had no more rows."""
    if len(join.children) != 2:
        return False
    *keys, rest = printed_keys(join.text)
    if at in _ALL_ROWS_OF.get(printed_type(rest)[0], ()) or not _comes_merged(join.children[at], keys[at]):
        return False
    others = output_rows(join.children[1 - at], finished=True)
    return others is not None and others < _ROWS_TO_THE_END * _tasks(join)


def _comes_merged(node: PlanNode, keys: Sequence[str]) -> bool:
    """Whether an input needs no sort for its join, for another merge join puts it out in the order of the keys."""
    while len(node.children) == 1 and node.name not in BOUNDARIES | _TAKES_ALL:
        node = node.children[0]
    left, right, _ = printed_keys(node.text) if node.name == Strategy.SORT_MERGE else ((), (), "")
    return bool(keys) and keys[0] in (*left, *right)


def _tasks(join: PlanNode) -> int:
    """The tasks of a join, as far as its shuffles tell: AQE may have made them fewer."""
    shuffles = filter(None, map(feeding_shuffle, join.children))
    return max((shuffle_partitions(shuffle.text) or 1 for shuffle in shuffles), default=1)


def _in_cache(cache: PlanNode, here: _Place) -> _Place:
    """It computes a partition to its end, whatever is read of it, and once."""
    stop = _Stop.NEVER if here.stop is _Stop.ROWS else here.stop
    in_part = here.in_part or _is_filled_otherwise(cache, here)
    return replace(here, stop=stop, runs=1, in_part=in_part, again=False)


def _stop_below(node: PlanNode, stop: _Stop) -> _Stop:
    if node.name in _LIMITS and _is_reached(node):
        return max(stop, _Stop.TASKS if node.name in _TAKES else _Stop.ROWS)
    return _Stop.NEVER if stop is _Stop.ROWS and node.name in _TAKES_ALL else stop


def _is_reached(limit: PlanNode) -> bool:
    """Whether there were rows enough for a limit to stop what is below it."""
    rows = output_rows(limit.children[0], finished=True) if limit.children else None
    most = _NUMBER.search(limit.text)
    return rows is None or most is None or 0 <= int(most[0]) <= rows


def _runs_below(node: PlanNode, runs: int) -> int | None:
    """RangePartitioner runs its input once to sample it, and once to write it; where it has one partition, only that.

    None where that does not tell how often: partitions that are much larger than others it samples once more.
    """
    if node.name not in SHUFFLES or "rangepartitioning(" not in node.text or len(node.children) != 1:
        return runs
    counted, written = output_rows(node.children[0], finished=True), node.metrics.get(_WRITTEN, 0)
    if counted is None or _WRITTEN not in node.metric_ids:
        return 1 if shuffle_partitions(node.text) == 1 else None
    if counted <= written or not written:
        return 1
    return None if counted % written else counted // written


def _is_skipped(node: PlanNode) -> bool:
    """Whether its rows were there: a finished stage is skipped (DAGScheduler.getMissingParentStages), a broadcast kept."""
    if node.name in SHUFFLES:
        return node.metrics.get(_READ, 0) > 0 and not is_written(node)
    return node.name == "BroadcastExchange" and bool(node.metric_ids) and not node.metrics


def _is_filled_otherwise(cache: PlanNode, here: _Place) -> bool:
    """Whether what was computed for a cache is not what was read of it: more was read, for the rest was there; or more was
    computed, for it had no room in memory, or several executors needed it at once."""
    read = cache.metrics.get(_ROWS)
    computed = [rows for child in cache.children if (rows := output_rows(child, finished=True)) is not None]
    if read is None or not computed:
        return False
    if any(rows * here.runs < read for rows in computed):
        return True
    return here.stop is _Stop.NEVER and any(0 < read < rows for rows in computed) and not _prunes_batches(cache)


def _prunes_batches(cache: PlanNode) -> bool:
    """Whether a scan of a cache may leave out batches by filters, which it prints behind its columns: few hold nulls alone."""
    columns = bracketed(cache.text)
    filters = bracketed(cache.text, columns[1]) if columns else None
    return filters is not None and any(not f.startswith(_NOT_NULL) for f in split_top_level(filters[0]))
