"""Within which sizes of its relations an order stays no worse than the one it replaces.

An order was measured, or priced, at sizes. In the next run a table may be ten times as large, or empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.candidates.ordered_sides import leaf_bytes_of
from tuner.advice.facts import Facts, is_whole
from tuner.advice.head_room import MOST_GROWTH
from tuner.advice.no_worse_factors import GROWTHS, Factors, no_worse_factors
from tuner.advice.order_worth import blocks_of, order_worth
from tuner.advice.slower_at_size import was_slower
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query
from tuner.plan.estimates import UNKNOWN_BYTES
from tuner.plan.order_text import OrderTextError, parse_order

# So many ranges of sizes an order is said to hold in: a weekday's, a Sunday's, a back-fill's.
MOST_RANGES = 4

# The bounds of each relation of a block, by its label.
SizeRange = dict[str, SizeBounds]


def order_bounds(facts: Facts, actions: Iterable[Action]) -> dict[str, tuple[SizeRange, ...]]:
    """In which ranges of sizes each order holds, by action id: the least and the most bytes that the planner may estimate for
    each relation, and the most rows that its filter may keep. Broadcasts that are hinted among the actions come with the orders.

    Each bound holds with all other relations at theirs. Where several executions have the block at about the same sizes, what
    their prices allow. Others have ranges of their own, and so has each earlier run (with such values) that was larger or smaller
    than all of these, where the order is priced as no worse. No range reaches to other sizes at which runs with the order were
    slower than those without it. An order that no run tells the estimates of is left out.
    """
    found: dict[str, tuple[SizeRange, ...]] = {}
    every = tuple(actions)
    for action in (action for action in every if action.kind is ActionKind.ORDER_JOINS):
        if ranges := tuple(islice(_ranges(facts, action, every), MOST_RANGES)):
            found[action.id] = ranges
    return found


def may_apply(ranges: Sequence[Mapping[str, SizeBounds]], query: Query, graph: JoinGraph) -> bool:
    """Whether an order that is said to hold in these ranges is applied to a block, for all that is known of its sizes."""
    sizes = _sizes(query, graph)
    return sizes is None or not ranges or any(sizes.are_in(range_) for range_ in ranges)


def _ranges(facts: Facts, action: Action, beside: Sequence[Action]) -> Iterator[SizeRange]:
    prices = OrderPrices(facts)
    each = [_measured(prices, action, beside, *block) for block in blocks_of(facts, action)]
    # One without a size, such as a night without files, shuts out no other.
    told = list(filter(None, reversed(each)))
    before = [(query, sizes) for query, graph in _blocks_before(facts, action) if (sizes := _sizes(query, graph))]
    slower = [sizes for query, sizes in before if was_slower(facts, action, query)]
    followed = [sizes for query, sizes in before if action.id in query.followed]
    yield from _of_latest(told, slower, followed, facts, action)
    yield from _of_earlier(told, slower, facts, action, beside)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """What the planner took each relation of a block for, by their numbers."""

    labels: Sequence[str]
    estimates: Sequence[int]

    def range(self, factors: Sequence[Factors], most_rows: Mapping[str, int]) -> SizeRange:
        found: dict[str, list[tuple[int, SizeBounds]]] = {}
        for label, size, (low, high) in zip(self.labels, self.estimates, factors, strict=True):
            own = SizeBounds(int(size / low), int(size * high) + 1, int(most_rows.get(label, 0) * high))
            found.setdefault(label, []).append((size, own))
        return {label: _of_alike(each) for label, each in found.items()}

    def are_in(self, bounds: Mapping[str, SizeBounds]) -> bool:
        pairs = zip(self.labels, self.estimates, strict=True)
        return all(label in bounds and bounds[label].least <= size <= bounds[label].most for label, size in pairs)


@dataclass(frozen=True, slots=True)
class _Measured:
    """An execution of a block: its sizes, those around them that the order holds for, and whether it is no worse at them.
    `has_lost`: runs of such sizes were slower with it, whatever prices say."""

    sizes: _Sizes
    range: SizeRange
    is_no_worse: bool
    has_lost: bool

    def speaks_against(self, other: _Measured) -> bool:
        """Whether the range of another, which this one is in, says more than this one bears out."""
        return not (self.is_no_worse and other.sizes.are_in(self.range))

    @property
    def priced(self) -> SizeRange:
        """Its range, but for what ends at so many times its size as no price was asked for."""
        each = zip(self.sizes.labels, self.sizes.estimates, strict=True)
        return _common({label: _opened(self.range[label], size)} for label, size in each)


def _opened(bounds: SizeBounds, size: int) -> SizeBounds:
    least = 0 if bounds.least <= int(size / MOST_GROWTH) else bounds.least
    return bounds._replace(least=least, most=UNKNOWN_BYTES if bounds.most > int(size * MOST_GROWTH) else bounds.most)


def _of_latest(
    told: Sequence[_Measured], slower: Sequence[_Sizes], followed: Sequence[_Sizes], facts: Facts, action: Action
) -> Iterator[SizeRange]:
    """Ranges that have each execution of one run that the order suits, latest first, and no other but the latest, which stands on
    its measurement, unless the order lost there and was followed at other sizes."""
    found: list[SizeRange] = []
    stands = [one for one in told[:1] if not (one.has_lost and any(not sizes.are_in(one.range) for sizes in followed))]
    for one in [*stands, *(each for each in told[1:] if each.is_no_worse)]:
        if any(one.sizes.are_in(range_) for range_ in found):
            continue
        inside = [other for other in told if other is not one and other.sizes.are_in(one.range)]
        if one.is_no_worse and not any(other.speaks_against(one) for other in inside):
            found.append(_common([_short_of(slower, one, facts, action), *(other.priced for other in inside)]))
        else:
            found.append(_range(facts, action, one.sizes))
        yield found[-1]


def _short_of(slower: Iterable[_Sizes], one: _Measured, facts: Facts, action: Action) -> SizeRange:
    """The range of an execution, or what is about its sizes where that reaches to others at which the order lost."""
    lost = [sizes for sizes in slower if sizes.are_in(one.range)]
    nearby = _range(facts, action, one.sizes) if lost else one.range
    return one.range if all(sizes.are_in(nearby) for sizes in lost) else nearby


def _of_earlier(
    told: Sequence[_Measured], slower: Sequence[_Sizes], facts: Facts, action: Action, beside: Sequence[Action]
) -> Iterator[SizeRange]:
    """Runs of sizes that nothing newer tells of. Where the range of one reaches to sizes that were measured since, or that the
    order lost at, what is about its own."""
    newer = list(told)
    for then in facts.as_each_earlier_run(action.query):
        for query, graph in blocks_of(then, action):
            sizes = _sizes(query, graph)
            if sizes is None or any(sizes.are_in(one.range) for one in newer):
                continue
            if (one := _measured(OrderPrices(then), action, beside, query, graph)) is None:
                continue
            if one.is_no_worse:
                reaches_far = any(other.sizes.are_in(one.range) for other in newer)
                yield _range(then, action, sizes) if reaches_far else _short_of(slower, one, then, action)
            newer.append(one)


def _measured(
    prices: OrderPrices, action: Action, beside: Sequence[Action], query: Query, latest: JoinGraph
) -> _Measured | None:
    graph = prices.facts.with_history(query, latest)
    sizes = _sizes(query, graph)
    if sizes is None:
        return None
    try:
        order = parse_order(action.value, graph)
    except OrderTextError:
        return None
    worth, number = order_worth(prices, action, graph, order, beside), len(graph.relations)
    has_lost = was_slower(prices.facts, action, query)
    if worth is None or has_lost:
        return _Measured(sizes, _range(prices.facts, action, sizes), is_no_worse=False, has_lost=has_lost)
    range_ = _range(prices.facts, action, sizes, no_worse_factors(worth, number))
    return _Measured(sizes, range_, worth([1.0] * number).is_no_worse, has_lost)


def _sizes(query: Query, graph: JoinGraph) -> _Sizes | None:
    """None where the planner's estimate of one relation is not known."""
    number = len(graph.relations)
    known = [leaf_bytes_of(query, graph, 1 << item) for item in range(number)]
    estimates = [size for size in known if size is not None and size < UNKNOWN_BYTES]
    return _Sizes([relation.label for relation in graph.relations], estimates) if len(estimates) == number else None


def _range(facts: Facts, action: Action, sizes: _Sizes, factors: Sequence[Factors] = ()) -> SizeRange:
    """What is so many times as large and small, by default as little as an order always holds for."""
    all_factors = factors or [GROWTHS[-1:] * 2] * len(sizes.labels)
    return sizes.range(all_factors, _most_rows(facts, action, sizes.range(all_factors, {})))


def _most_rows(facts: Facts, action: Action, range_: SizeRange) -> dict[str, int]:
    """The most rows that each relation of a block kept in any run so far that had such values, and sizes in the range or unknown
    ones, by label, one at least; 0 where it was not counted in one of these."""
    found: dict[str, list[int | None]] = {}
    for query, graph in _blocks_of_all_runs(facts, action):
        sizes = _sizes(query, graph)
        if sizes is None or sizes.are_in(range_):
            for relation in graph.relations:
                found.setdefault(relation.label, []).append(relation.rows)
    return {label: 0 if None in rows else max([1, *filter(None, rows)]) for label, rows in found.items()}


def _blocks_of_all_runs(facts: Facts, action: Action) -> Iterator[tuple[Query, JoinGraph]]:
    """The blocks that an action is for, with the executions of all runs so far that had such values as this one."""
    return chain(_blocks_before(facts, action), blocks_of(facts, action))


def _blocks_before(facts: Facts, action: Action) -> Iterator[tuple[Query, JoinGraph]]:
    """Those of the earlier runs."""
    values = {query.literals for query in facts.queries}
    for query in (query for past in facts.earlier for query in past.by_fingerprint.get(action.query or "", ())):
        if query.literals in values and is_whole(query):
            yield from ((query, graph) for graph in query.graphs if graph.signature == action.target)


def _of_alike(each: Sequence[tuple[int, SizeBounds]]) -> SizeBounds:
    """Of relations that only their literals tell apart, with their sizes: what all allow; where that shuts out one of them, as a
    day and a month of a table do, what any does."""
    (found,) = _common({"": bounds} for _, bounds in each).values()
    if all(found.least <= size <= found.most for size, _ in each):
        return found
    rows = [bounds.most_rows for _, bounds in each]
    least, most = min(bounds.least for _, bounds in each), max(bounds.most for _, bounds in each)
    return SizeBounds(least, most, max(rows) if all(rows) else 0)


def _common(each: Iterable[SizeRange]) -> SizeRange:
    """What all of them allow."""
    found: SizeRange = {}
    for bounds in each:
        for label, one in bounds.items():
            other = found.get(label, one)
            most_rows = min(one.most_rows, other.most_rows) or max(one.most_rows, other.most_rows)
            found[label] = SizeBounds(max(one.least, other.least), min(one.most, other.most), most_rows)
    return found
