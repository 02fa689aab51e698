"""Which sets of relations a join predicate connects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# Two disjoint sets of relations: a predicate that compares an expression over the one with one over the other.
Edge = tuple[int, int]


def bits(mask: int) -> Iterator[int]:
    """Each relation of a set as a set of its own, lowest first."""
    while mask:
        yield mask & -mask
        mask &= mask - 1


def edge(left: int, right: int) -> Edge:
    """A predicate between two relations, by their numbers."""
    return 1 << left, 1 << right


class JoinEdges:
    """The join predicates between `relations` relations; order and repetition of edges do not matter.

    An edge of single relations connects any two sets that hold one end each. One with a side of several relations
    connects only where a set holds that side whole (a hyperedge: Moerkotte & Neumann 2008).
    """

    def __init__(self, relations: int, edges: Iterable[Edge]) -> None:
        self.relations = relations
        self.edges = sorted({(min(e), max(e)) for e in edges})
        self.wide = [e for e in self.edges if e[0].bit_count() + e[1].bit_count() > 2]
        self._direct = [0] * relations
        self._near = [0] * relations
        for left, right in self.edges:
            if not left or not right or left & right or (left | right) >> relations:
                raise ValueError(f"edge ({left:#b}, {right:#b}) does not part two sets of {relations} relations")
            for one, other in ((left, right), (right, left)):
                for relation in bits(one):
                    self._near[relation.bit_length() - 1] |= other
                    if other.bit_count() == one.bit_count() == 1:
                        self._direct[relation.bit_length() - 1] |= other

    def near(self, mask: int) -> int:
        """The relations an edge leads to from `mask`: sets outside it that hold none of them are not connected to it."""
        return _union(self._near, mask) & ~mask

    def direct(self, mask: int) -> int:
        """The relations that an edge of single relations leads to from `mask`: a disjoint set with one is connected."""
        return _union(self._direct, mask)

    def connect(self, left: int, right: int) -> bool:
        """Whether a predicate joins two disjoint sets."""
        return bool(self.direct(left) & right) or any(
            (one & left == one and other & right == other) or (one & right == one and other & left == other)
            for one, other in self.wide
        )

    def groups(self) -> list[int]:
        """The largest sets that can be joined without cross products, by their lowest relation."""
        group_of = [1 << relation for relation in range(self.relations)]
        grown = True
        while grown:
            grown = False
            for left, right in self.edges:
                one, other = (group_of[side.bit_length() - 1] for side in (left, right))
                if one != other and left & one == left and right & other == right:
                    grown = True
                    for relation in bits(one | other):
                        group_of[relation.bit_length() - 1] = one | other
        return sorted(set(group_of), key=lambda group: group & -group)


def _union(table: list[int], mask: int) -> int:
    found = 0
    for relation in bits(mask):
        found |= table[relation.bit_length() - 1]
    return found
