"""A block of joins as the agent sees it before planning: without filters, and with numbers of its own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tuner.model.join_graph import Joined, JoinGraph, Order, Predicate, members
from tuner.plan.color_refinement import color_refinement


@dataclass(frozen=True, slots=True)
class AgentBlock:
    """`labels` tell the items apart by their relations and by the keys that tie them to others, and by nothing else."""

    graph: JoinGraph
    labels: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The same for blocks that the agent takes for the same."""
        return tuple(sorted(self.labels))

    def lookalikes(self) -> tuple[int, int] | None:
        """Two items that it cannot tell apart."""
        label = next((label for label, count in Counter(self.labels).items() if count > 1), None)
        if label is None:
            return None
        first = self.labels.index(label)
        return first, self.labels.index(label, first + 1)

    def order_in(self, other: AgentBlock, order: Order) -> Order:
        """An order of this block in the numbers of another with the same key, neither of which has items that look alike."""
        if isinstance(order, int):
            return other.labels.index(self.labels[order])
        return Joined(self.order_in(other, order[0]), self.order_in(other, order[1]))

    def spelled(self, order: Order) -> str:
        """An order by labels: the same for the same order of blocks with the same key."""
        if isinstance(order, int):
            return self.labels[order]
        return f"({self.spelled(order[0])} {self.spelled(order[1])})"


def agent_block(graph: JoinGraph) -> AgentBlock:
    """The block of a graph."""
    ties = [p for p in graph.predicates if _is_between_two(p)]
    return AgentBlock(graph, tuple(color_refinement(["+".join(r.relations) for r in graph.relations], ties)))


def _is_between_two(predicate: Predicate) -> bool:
    """What names several items of one side is a key in some orders and a condition in others: no tie to go by."""
    return all(len(list(members(side))) == 1 for side in (predicate.left, predicate.right))
