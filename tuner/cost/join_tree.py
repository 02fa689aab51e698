"""Join trees: a relation, or the join of two trees, with what each puts out and what the whole costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tuner.cost.size import Size
from tuner.model.join_graph import Joined, Order
from tuner.spark.order_cost import Cost, order_cost

# Of a set of relations (bit i is relation i): what their join puts out, the same whatever the order.
SizeOf = Callable[[int], Size]


@dataclass(frozen=True, slots=True)
class JoinTree:
    """A relation, or the join of `left` and `right`; `mask` has a bit for each relation, `size` is what comes out."""

    mask: int
    size: Size
    left: JoinTree | None = None
    right: JoinTree | None = None

    @property
    def children(self) -> tuple[JoinTree, ...]:
        """Both inputs of a join; none of a relation."""
        return (self.left, self.right) if self.left is not None and self.right is not None else ()

    @property
    def relations(self) -> tuple[int, ...]:
        """The relations' numbers from left to right."""
        return tuple(node.mask.bit_length() - 1 for node in self.walk() if not node.children)

    @property
    def joins(self) -> tuple[JoinTree, ...]:
        """Every join, inputs before what they feed: the root is the last."""
        return tuple(node for node in self.walk() if node.children)

    @property
    def order(self) -> Order:
        """The order written down: what `tree_of` makes the tree of."""
        if not self.children:
            return self.mask.bit_length() - 1
        left, right = self.children
        return Joined(left.order, right.order)

    def walk(self) -> Iterator[JoinTree]:
        """Every node, inputs before what they feed, left before right."""
        for child in self.children:
            yield from child.walk()
        yield self

    def __str__(self) -> str:
        if not self.children:
            return str(self.mask.bit_length() - 1)
        left, right = self.children
        return f"({left} {right})"


def leaf(relation: int, size_of: SizeOf) -> JoinTree:
    """The tree of one relation."""
    return JoinTree(1 << relation, size_of(1 << relation))


def joined(one: JoinTree, other: JoinTree, size_of: SizeOf) -> JoinTree:
    """The join of two trees, the one of more relations on the left as JoinReorderDP has it, then the lower number."""
    left, right = sorted((one, other), key=lambda tree: (-tree.mask.bit_count(), tree.mask & -tree.mask))
    mask = one.mask | other.mask
    return JoinTree(mask, size_of(mask), left, right)


def tree_of(order: Order, size_of: SizeOf) -> JoinTree:
    """The tree of an order written down, sides as they stand: `((0, 1), (2, 3))`."""
    if isinstance(order, int):
        return leaf(order, size_of)
    left, right = tree_of(order[0], size_of), tree_of(order[1], size_of)
    if left.mask & right.mask:
        raise ValueError(f"{order} joins a relation twice")
    mask = left.mask | right.mask
    return JoinTree(mask, size_of(mask), left, right)


def tree_cost(tree: JoinTree) -> Cost:
    """The cost of a tree as JoinReorderDP has it: rows and bytes that every join but the last one puts out.

    Relations themselves cost nothing (they are read in every order), nor does the last join (it puts out the same).
    """
    return order_cost(Cost(join.size.rows, join.size.bytes) for join in tree.joins[:-1])
