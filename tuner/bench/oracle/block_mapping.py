"""Which relation of a block's text is which of its join graph: by table, keys and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from tuner.bench.oracle.set_counts import NotCountedError, SetCounts
from tuner.bench.oracle.sql_block import SqlBlock
from tuner.model.join_graph import JoinGraph, Predicate, RelationKind, members
from tuner.plan.relation import short_name

# For each relation of the graph the number that the text's block has for it.
Mapped = tuple[int, ...]
_MOST_MAPPINGS = 1_000


def graph_tables(graph: JoinGraph) -> list[str] | None:
    """The table of each relation, in lower case; None where one is no scan of a table."""
    if not all(one.kind is RelationKind.SCAN and len(one.relations) == 1 for one in graph.relations):
        return None
    return [short_name(one.relations[0]).lower() for one in graph.relations]


def reads_same_tables(graph: JoinGraph, block: SqlBlock) -> bool:
    """Whether a graph and a text's block join the same tables, each as often."""
    tables = graph_tables(graph)
    return tables is not None and Counter(tables) == Counter(relation.table for relation in block.relations)


def counts_by_graph(graph: JoinGraph, block: SqlBlock, counts: SetCounts) -> SetCounts:
    """The counts by set of the block's relations, by set of the graph's.

    Whatever the run measured of relations and their joins must be what was counted, and so by one way alone to take the
    relations for each other, or several that say the same. NotCountedError where it is not.
    """
    found: SetCounts | None = None
    unlike = ""
    for mapped in islice(_mappings(graph, block, counts.rows), _MOST_MAPPINGS):
        renumbered = _renumbered(counts, mapped)
        if why := _unlike(graph, renumbered):
            unlike = unlike or why
        elif found is not None and found != renumbered:
            raise NotCountedError("which of its relations is which, neither keys nor rows tell")
        else:
            found = renumbered
    if found is None:
        raise NotCountedError(unlike or _no_mapping(graph, block, counts.rows))
    return found


def _mappings(graph: JoinGraph, block: SqlBlock, rows: Mapping[int, int]) -> Iterator[Mapped]:
    """The ways to take relations for each other that have the same table, rows and keys."""
    tables = graph_tables(graph)
    assert tables is not None  # or there is no such block
    equal = {frozenset(condition.keys) for condition in block.conditions if condition.keys}
    able = [
        [
            number
            for number, one in enumerate(block.relations)
            if one.table == table and relation.rows in (None, rows[1 << number])
        ]
        for table, relation in zip(tables, graph.relations, strict=True)
    ]
    plain = [predicate for predicate in graph.predicates if _is_plain(predicate)]

    def extended(mapped: Mapped) -> Iterator[Mapped]:
        if len(mapped) == len(tables):
            yield mapped
            return
        for number in able[len(mapped)]:
            longer = (*mapped, number)
            if number not in mapped and all(_keys(p, longer) in equal for p in plain if _is_last_of(p, len(mapped))):
                yield from extended(longer)

    return extended(())


def _is_plain(predicate: Predicate) -> bool:
    """Whether it compares a column of one relation with one of another."""
    keys = predicate.left_key, predicate.right_key
    sides = predicate.left, predicate.right
    return all(side.bit_count() == 1 for side in sides) and not any("(" in key for key in keys)


def _is_last_of(predicate: Predicate, place: int) -> bool:
    return (predicate.left | predicate.right).bit_length() - 1 == place


def _keys(predicate: Predicate, mapped: Mapped) -> frozenset[tuple[int, str]]:
    ends = (predicate.left, predicate.left_key), (predicate.right, predicate.right_key)
    return frozenset((mapped[side.bit_length() - 1], key.rsplit(".", 1)[-1].lower()) for side, key in ends)


def _renumbered(counts: SetCounts, mapped: Mapped) -> SetCounts:
    back = {number: 1 << place for place, number in enumerate(mapped)}

    def set_of(relations: int) -> int:
        return sum(back[number] for number in members(relations))

    rows = {set_of(relations): count for relations, count in counts.rows.items()}
    return SetCounts(rows, frozenset(map(set_of, counts.at_least)))


def _unlike(graph: JoinGraph, counts: SetCounts) -> str:
    """The first join that ran with other rows than were counted, in words; "" where there is none."""
    for relations, measured in sorted(graph.measured.items()):
        counted = counts.rows.get(relations)
        if counted == measured.rows or (relations in counts.at_least and measured.rows >= counts.rows[relations]):
            continue
        names = ", ".join(short_name(table) for table in graph.tables(relations))
        instead = "which were not counted" if counted is None else f"not the {counted:,} that were counted"
        return f"its join of {names} ran with {measured.rows:,} rows, {instead}"
    return ""


def _no_mapping(graph: JoinGraph, block: SqlBlock, rows: Mapping[int, int]) -> str:
    """Why no relation of the text can be that of a scan."""
    by_table: dict[str, list[int]] = {}
    for number, one in enumerate(block.relations):
        by_table.setdefault(one.table, []).append(rows[1 << number])
    for table, relation in zip(graph_tables(graph) or (), graph.relations, strict=True):
        if relation.rows is not None and relation.rows not in by_table[table]:
            counted = " or ".join(f"{count:,}" for count in by_table[table])
            return f"its filters left {relation.rows:,} rows of {table}, not the {counted} that were counted"
    return "its joins compare other columns than the query's text"
