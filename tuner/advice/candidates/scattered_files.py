"""Joins whose stage writes files, of which another strategy or order would make many more, and small ones."""

from __future__ import annotations

from tuner.advice.candidates.streamed_joins import ends_block, streamed_joins
from tuner.advice.candidates.task_relation import shuffle_of
from tuner.advice.facts import Facts
from tuner.cost.what_if.physical_order import PhysicalOrder
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide
from tuner.spark.knobs import FILES_OPEN_COST

# Fewer files are opened in no time, however small; nor do a few more matter to who reads them.
LEAST_FILES, LEAST_TIMES = 100, 2


def scatters_files(facts: Facts, query: Query, join: JoinSite, probe: BuildSide) -> bool:
    """Whether a join's stage would write many more files in the tasks before the probe side's shuffle, of fewer bytes each than
    opening one is reckoned as.

    Each task writes a file for each partition of its target that it has rows of; after a shuffle by other keys it has rows of
    all. The query's own seconds hardly tell: it is who reads these files that pays.
    """
    return _scatters(facts, query, join, join.side(probe))


def scattering_joins(facts: Facts, query: Query, graph: JoinGraph, order: PhysicalOrder) -> frozenset[int]:
    """The broadcast joins of an order of a block, as sets of relations, that would write so in the tasks of one relation's scan;
    none where the block's stage writes nothing, or a shuffle of the order is left in that stage."""
    last = next((join for join in query.joins if join.written is not None and ends_block(graph, join)), None)
    if last is None:
        return frozenset()
    streamed, relations = streamed_joins(order, graph)
    tables = graph.tables(relations)
    sides = (side for join in query.joins for side in join.sides if side.relations == tables and side.shuffle_bytes)
    if relations.bit_count() > 1 or not any(_scatters(facts, query, last, side) for side in sides):
        return frozenset()
    return streamed


def _scatters(facts: Facts, query: Query, join: JoinSite, probe: JoinSide) -> bool:
    shuffle, written = shuffle_of(query, probe), join.written
    if written is None or join.reshuffle is not None or shuffle is None or not shuffle.map_tasks or not join.tasks:
        return False
    files = written.files * min(shuffle.map_tasks, join.coalesced_to or shuffle.map_tasks) / join.tasks
    is_many = files >= max(LEAST_FILES, LEAST_TIMES * written.files)
    return is_many and written.bytes < files * facts.settings[FILES_OPEN_COST]
