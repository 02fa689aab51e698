"""The shuffles of a plan: how many partitions, and what went through."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from types import MappingProxyType

from tuner.model.query import ShuffleExchange
from tuner.plan.counting import NOTHING_LOST
from tuner.plan.expression import argument_list, split_top_level
from tuner.plan.never_ran import never_ran
from tuner.plan.node import PlanNode, ran_as
from tuner.plan.sides import SHUFFLES, is_exchange
from tuner.plan.stateful import exchanges_of_state
from tuner.plan.writes_files import exchanges_of_writers

_PARTITIONING = re.compile(r"(?:hash|range|[Rr]ound[Rr]obin)[Pp]artitioning(?=\()")
# Where an exchange comes from, behind its partitioning.
_ORIGIN = re.compile(r"(?:\)|SinglePartition), ([A-Z_]+|true|false)\b")
# Of the user's own REPARTITION, with a number: since Spark 3.2, in 3.1, and in 3.0, which has one text for all of the user's.
_OF_NUMBER = ("REPARTITION_BY_NUM", "REPARTITION_WITH_NUM", "false")
_OF_USER = (*_OF_NUMBER, "REPARTITION", "REBALANCE_PARTITIONS")
_WRITTEN = "shuffle bytes written"
NOTHING: Mapping[int, int] = MappingProxyType({})
_UNCOUNTED: Mapping[str, int] = MappingProxyType({})


def find_shuffles(
    root: PlanNode,
    tasks_of: Mapping[int, int],
    core_ms_of: Mapping[int, int] = NOTHING,
    lost: Set[int] = NOTHING_LOST,
    *,
    are_set: bool = False,
) -> tuple[ShuffleExchange, ...]:
    """The shuffles that ran, subqueries included, each once. Single-partition exchanges are left out.

    `tasks_of` tells for an accumulator how many tasks the stage had that updated it, `core_ms_of` how long they ran; what is in
    `lost` (`lost_counters`) is not told, nor what stages wrote of which the log lacks everything (`never_ran`), nor what goes
    through another engine's shuffles, whose metrics are its own. `are_set`: what ran it had set their number by itself, as its
    program does for a session, and the checkpoint of a stream for each batch.
    """
    found = []
    unseen, of_writers = never_ran(root), exchanges_of_writers(root)
    of_state = exchanges_of_state(root)
    elsewhere = {id(node) for node in root.walk_unfilled()}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.name in ("ReusedExchange", "ReusedSubquery") or id(node) in elsewhere:
            continue
        stack.extend(node.children + node.subqueries)
        partitions = shuffle_partitions(node.text) if is_exchange(node) else None
        adjustable = not are_set and id(node) not in of_state and is_adjustable(node)
        if partitions is not None and node.name not in SHUFFLES:
            found.append(ShuffleExchange(partitions, None, None, None, None, adjustable, lost=True))
        elif partitions is not None:
            written = node.metric_ids.get(_WRITTEN, -1)
            metrics = _UNCOUNTED if written in lost else node.metrics
            found.append(
                ShuffleExchange(
                    partitions=partitions,
                    data_bytes=metrics.get("data size"),
                    written_bytes=metrics.get(_WRITTEN),
                    rows=metrics.get("shuffle records written"),
                    map_tasks=tasks_of.get(written),
                    adjustable=adjustable,
                    map_core_ms=None if written in lost else core_ms_of.get(written),
                    lost=written in lost or id(node) in unseen,
                    feeds_write=None if of_writers is None else ran_as(node) in of_writers,
                )
            )
    return tuple(found)


def is_adjustable(shuffle: PlanNode) -> bool:
    """Whether its number of partitions is not one of the user's."""
    return _origin(shuffle.text) not in _OF_NUMBER


def is_of_user(exchange: PlanNode) -> bool:
    """Whether the job itself asks for a shuffle, by `repartition` or a hint."""
    return _origin(exchange.text).startswith(_OF_USER)


def _origin(text: str) -> str:
    found = _ORIGIN.findall(text)
    return found[-1] if found else ""


def shuffle_partitions(text: str) -> int | None:
    """The last argument of the partitioning an exchange prints: `hashpartitioning((a#1 - 53), 8)`."""
    found = _PARTITIONING.search(text)
    arguments = argument_list(text, found.end()) if found else None
    last = split_top_level(arguments)[-1] if arguments else ""
    return int(last) if last.isdecimal() and len(last) < 10 else None  # an Int in Spark
