"""What several runs with different orders measured of one block of joins, in one graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tuner.model.join_graph import JoinGraph, MeasuredJoin, members


def merge_graphs(graphs: Iterable[JoinGraph]) -> tuple[JoinGraph, ...]:
    """One graph for each block, in the order they come in; give the runs oldest first.

    Relations, predicates and order are those of the latest run, which also decides what several have measured. Sets of
    relations that cannot be told apart (all but their literals are the same) are taken from the latest run only.
    """
    latest: dict[str, JoinGraph] = {}
    measured: dict[str, dict[tuple[str, ...], MeasuredJoin]] = {}
    for graph in graphs:
        latest[graph.signature] = graph
        measured.setdefault(graph.signature, {}).update(measured_by_labels(graph))
    return tuple(_with(graph, measured[signature]) for signature, graph in latest.items())


def measured_by_labels(graph: JoinGraph) -> dict[tuple[str, ...], MeasuredJoin]:
    """What a run measured of a block, by the labels of the relations: of those alike, where all of them are joined."""
    labels = [relation.label for relation in graph.relations]
    unclear = {label for label, count in Counter(labels).items() if count > 1}
    measured = {}
    for relations, found in graph.measured.items():
        names = Counter(labels[relation] for relation in members(relations))
        if all(label not in unclear or count == labels.count(label) for label, count in names.items()):
            measured[tuple(sorted(names.elements()))] = found
    return measured


def _with(graph: JoinGraph, measured: dict[tuple[str, ...], MeasuredJoin]) -> JoinGraph:
    numbers: dict[str, list[int]] = {}
    for number, relation in enumerate(graph.relations):
        numbers.setdefault(relation.label, []).append(number)
    merged = {sum(1 << n for label in set(labels) for n in numbers[label]): found for labels, found in measured.items()}
    return replace(graph, measured={**merged, **graph.measured})
