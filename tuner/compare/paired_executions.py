"""Which execution of a query in one run is compared with which in the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tuner.compare.edited_queries import edited_queries
from tuner.model.query import Query


@dataclass(frozen=True, slots=True)
class Pairs:
    """The executions of one query, side by side, and those that one of both runs alone has. `fingerprint` is that of the later
    run, where its statement was edited."""

    fingerprint: str
    both: tuple[tuple[Query, Query], ...] = ()
    only_before: tuple[Query, ...] = ()
    only_after: tuple[Query, ...] = ()


def paired_executions(before: Iterable[Query], after: Iterable[Query]) -> list[Pairs]:
    """Of each query those of equal values first, then the others, each in the order in which they ran."""
    old, new = _by_fingerprint(before), _by_fingerprint(after)
    for now, was in edited_queries(old, new).items():
        old[now] = old.pop(was)
    return [_pairs(fingerprint, old.get(fingerprint, []), new.get(fingerprint, [])) for fingerprint in old | new]


def _by_fingerprint(queries: Iterable[Query]) -> dict[str, list[Query]]:
    found: dict[str, list[Query]] = {}
    for query in queries:
        found.setdefault(query.fingerprint, []).append(query)
    return found


def _pairs(fingerprint: str, before: Sequence[Query], after: Sequence[Query]) -> Pairs:
    waiting: dict[str, list[Query]] = {}
    for query in reversed(before):
        waiting.setdefault(query.literals, []).append(query)
    both: list[tuple[Query, Query]] = []
    without: list[Query] = []
    for query in after:
        if alike := waiting.get(query.literals):
            both.append((alike.pop(), query))
        else:
            without.append(query)
    paired = {id(query) for query, _ in both}
    left = [query for query in before if id(query) not in paired]
    several = min(len(left), len(without))
    both += zip(left, without, strict=False)
    return Pairs(fingerprint, tuple(both), tuple(left[several:]), tuple(without[several:]))
