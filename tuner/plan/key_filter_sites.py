"""The inputs of joins that the keys of the other input would leave little of, with the work that would be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import attrgetter

from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.strategy import JoinType
from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.counting import Counting
from tuner.plan.counting_of import counting_of
from tuner.plan.expression import bracketed, split_top_level
from tuner.plan.joins import JOINS, Join, JoinInput, every_join, parse_join
from tuner.plan.lineage import Lineage, lineage_of, output_columns
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode, each_once, makes_bloom_filter
from tuner.plan.query_work import (
    Resource,
    input_work,
    operator_work,
    partitions,
    running_stages,
    shuffle_work,
    summed,
)
from tuner.plan.relation import is_scan, scans_of
from tuner.plan.sides import BOUNDARIES, EXCHANGED, SHUFFLES, counted_rows, output_rows, reused_exchanges

# Testing a row costs as much as shuffling a few bytes: what keeps more is not worth it, nor are inputs of fewer rows.
MOST_KEPT = 0.5
LEAST_ROWS = 100_000
# Plans of machines have hundreds of joins: so many inputs are looked at that are filtered, and as many that are not.
MOST_SITES = 20
# So many ways are looked at for the keys of an input, and those that are equal to them.
MOST_TURNS = 8

_BOTH = frozenset({JoinType.INNER, JoinType.CROSS, JoinType.LEFT_SEMI})
# Their left rows all come out, or those without a match do.
_RIGHT_ALONE = frozenset({JoinType.LEFT_OUTER, JoinType.LEFT_ANTI, JoinType.EXISTENCE})
# They put out each right row that meets another, once or more.
_PUT_RIGHT_OUT = frozenset({JoinType.INNER, JoinType.CROSS, JoinType.LEFT_OUTER})
# Below these a row that is missing changes no other row.
_PASSING = EXCHANGED | {"Filter", "Project"}
_FROM_LEFT = frozenset({JoinType.INNER, JoinType.CROSS, JoinType.LEFT_SEMI, JoinType.LEFT_ANTI, JoinType.LEFT_OUTER})
_FROM_RIGHT = frozenset({JoinType.INNER, JoinType.CROSS})
# Which of the lists that these print is that of their groups.
_GROUPS_AT = {"Window": 1, "WindowGroupLimit": 0}

_Work = Iterator[tuple[Resource, float]]


@dataclass(frozen=True, slots=True)
class _Way:
    """The operators between an input of a join and where its keys are read, from above, each with the input that leads down."""

    steps: tuple[tuple[PlanNode, int], ...]
    start: PlanNode
    relations: tuple[str, ...]

    @property
    def is_filtered(self) -> bool:
        nodes = (self.start, *(node for node, _ in self.steps))
        return any(makes_bloom_filter(subquery) for node in nodes for subquery in node.subqueries)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Where a way goes on, by these keys, with its steps so far.

    `passed` are the relations of inputs that it left for others with equal keys. The agent is told what to filter by its
    relations: where it finds one of these below its keys, it does not turn.
    """

    node: PlanNode
    keys: Sequence[str]
    steps: Sequence[tuple[PlanNode, int]] = ()
    passed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the keys of a filter come from, the share of rows that these keep, and at most, and whether the join measured it."""

    way: _Way
    kept: float
    measured: bool
    most_kept: float = 1.0


def key_filter_sites(plan: MeasuredPlan) -> tuple[KeyFilterSite, ...]:
    """The sites of a plan that ran to its end: those that are filtered and those that are not, of most rows each; an input with a
    source of each kind."""
    finder = _Finder(plan)
    found = [site for join in each_once(every_join(plan.root), attrgetter("node")) for site in finder.sites(join)]
    found.sort(key=lambda site: -site.rows)
    filtered = [site for site in found if site.filtered]
    return (*filtered[:MOST_SITES], *[site for site in found if not site.filtered][:MOST_SITES])


class _Finder:
    def __init__(self, plan: MeasuredPlan) -> None:
        self._plan = plan
        self._counting = counting_of(plan.root, finished=True)
        self._lineage: Lineage = lineage_of(plan.root)
        self._scans_below = scans_of(plan.root)
        # What is shuffled once for several joins would be shuffled twice, filtered and not.
        self._shared = reused_exchanges(plan.root.walk_all())

    def sites(self, join: Join) -> Iterator[KeyFilterSite]:
        # Of a join that stopped with a limit nothing tells what its keys would keep.
        if not join.keys or join.with_changed_table or id(join.node) in self._counting.partial:
            return
        left, right = ([pair[at] for pair in join.keys] for at in (0, 1))
        if join.type in _BOTH:
            yield from self._of_side(join, join.left, join.right, left, right)
        if join.type in _BOTH or join.type in _RIGHT_ALONE:
            yield from self._of_side(join, join.right, join.left, right, left)

    def _of_side(
        self, join: Join, filtered: JoinInput, other: JoinInput, keys: Sequence[str], other_keys: Sequence[str]
    ) -> Iterator[KeyFilterSite]:
        ways = self._ways(filtered.node, keys)
        rows = sum(counted_rows(way.start) for way in ways)
        is_filtered = any(way.is_filtered for way in ways)
        # What a filter left few rows of, it will be needed for again.
        if rows < LEAST_ROWS and not is_filtered:
            return
        # The agent knows a source by its relations: of inputs alike it takes the right one of a semi join, and none of others.
        is_tested = join.type is JoinType.LEFT_SEMI and filtered is join.left
        for source in self._sources(join, filtered, other, other_keys, rows, is_filtered=is_filtered):
            if not is_tested and not Counter(source.way.relations) - Counter(filtered.relations):
                continue
            # What a filter dropped already, its join cannot: the site is told all the same.
            if source.kept > MOST_KEPT and not is_filtered:
                continue
            made = _below_exchanges(source.way.start)
            yield KeyFilterSite(
                join=join.signature,
                relations=tuple(sorted(chain.from_iterable(way.relations for way in ways))),
                rows=rows,
                kept=source.kept,
                measured=source.measured,
                most_kept=source.most_kept,
                source=source.way.relations,
                source_rows=counted_rows(source.way.start),
                filtered=is_filtered,
                amounts=summed(_work_of_ways(ways, join, filtered)),
                source_amounts=summed(_work_below(made)),
                source_tasks=partitions(running_stages(self._plan, made)),
            )

    def _sources(
        self, join: Join, filtered: JoinInput, other: JoinInput, keys: Sequence[str], rows: int, *, is_filtered: bool
    ) -> Iterator[_Source]:
        """All of the other input, and the relation of it alone that has its keys; `rows` come from what is filtered."""
        whole = _Way((), other.node, other.relations)
        measured = _measured_share(join, filtered, self._counting)
        (alone,) = self._ways(other.node, keys, source=True) or (None,)
        share = _share_kept(alone.start) if alone else None
        is_alone = alone is not None and alone.relations == other.relations
        # Left rows without a match come out of an outer join, too: what comes out is the most that it keeps. Of what a filter in
        # force has left, the shares that other filters keep of their rows tell nothing.
        is_bound = join.type is JoinType.LEFT_OUTER and not is_filtered
        made = output_rows(filtered.node, finished=True, counting=self._counting) or 0
        if measured is not None and share is not None and measured < share and made > rows:
            # Joins below made many rows of some: of those that came through, few tell what share of its own they are.
            yield _Source(whole, share, measured=False)
        elif measured is not None:
            kept = min(share, measured) if is_bound and share is not None else measured
            yield _Source(whole, kept, measured=kept == measured, most_kept=measured)
        elif is_alone and share is not None:
            yield _Source(whole, share, measured=False)
        if alone is not None and not is_alone and share is not None:
            least = 0.0 if measured is None or is_bound else measured
            yield _Source(alone, max(share, least), measured=least >= share)

    def _ways(self, node: PlanNode, keys: Sequence[str], *, source: bool = False) -> list[_Way]:
        """From an input down to where all its keys are read, several below a union; none where they are of several relations, or
        of one twice. Where a join equates the keys with others, the ways by these are as good: those of most work.

        A way ends early where the keys are made of others. What a way for a filter passes is shuffled for its join alone.
        """
        turns, found = [_Turn(node, keys)], list[list[_Way]]()
        for turn in islice(turns, MOST_TURNS):
            ways, more = self._down(turn, source=source)
            turns += more
            if not any(turn.passed.intersection(way.relations) for way in ways):
                found.append(ways)
        return max(found, key=_worth) if len(found) > 1 else found[0]

    def _down(self, turn: _Turn, *, source: bool) -> tuple[list[_Way], list[_Turn]]:
        """The ways from a turn by its own keys, and the turns of the joins that these pass."""
        node, keys, steps, turns = turn.node, turn.keys, list(turn.steps), list[_Turn]()
        relation = self._relation(node, keys)
        if relation is None:
            return [], []
        while not is_scan(node):
            if node.name == "ReusedExchange" or (
                not source and node.name in SHUFFLES and node.counters in self._shared
            ):
                return [], turns
            if node.name == "Union" and not source and (inputs := self._keys_of_inputs(node, keys)):
                several = [self._ways(child, of_child) for child, of_child in zip(node.children, inputs, strict=True)]
                ways = chain.from_iterable(several)
                return ([replace(way, steps=(*steps, *way.steps)) for way in ways] if all(several) else []), turns
            at = next((i for i, c in enumerate(node.children) if relation in self._scans_below.relations(c)), None)
            if at is None or not self._passes(node, at, keys):
                break
            if node.name == "Filter" and is_scan(node.children[at]):
                break
            if node.name in JOINS and not source:
                turns += self._turns(node, at, replace(turn, steps=steps))
            steps.append((node, at))
            node = node.children[at]
        return [_Way(tuple(steps), node, self._scans_below.relations(node))], turns

    def _turns(self, join: PlanNode, at: int, turn: _Turn) -> Iterator[_Turn]:
        """The turn to the other input of a join, where all keys are equal to keys of that."""
        parsed = parse_join(join)
        sides = [list(map(self._lineage.source, side)) for side in (parsed.left_keys, parsed.right_keys)]
        equal = dict(zip(sides[at], sides[1 - at], strict=False)) if parsed.type in _BOTH else {}
        if equal.keys() >= set(turn.keys):
            passed = turn.passed.union(self._scans_below.relations(join.children[at]))
            yield _Turn(join.children[1 - at], [equal[key] for key in turn.keys], (*turn.steps, (join, 1 - at)), passed)

    def _relation(self, node: PlanNode, keys: Sequence[str]) -> str | None:
        """The one relation below an operator that has the keys."""
        relations = {key.rpartition(".")[0] for key in keys}
        if len(relations) != 1 or self._scans_below.relations(node).count(*relations) != 1:
            return None
        (relation,) = relations
        return relation

    def _keys_of_inputs(self, union: PlanNode, keys: Sequence[str]) -> list[list[str]]:
        """The keys as each input of a union has them, by their places in the first; none where an input does not tell."""
        outputs = [[self._lineage.source(f"{n}#{id_}") for n, id_ in output_columns(c)] for c in union.children]
        first = outputs[0] if outputs else []
        places = [first.index(key) for key in keys if key in first]
        if len(places) < len(keys) or any(len(output) <= max(places) for output in outputs):
            return []
        found = [[output[place] for place in places] for output in outputs]
        return found if all(map(self._relation, union.children, found)) else []

    def _passes(self, node: PlanNode, at: int, keys: Sequence[str]) -> bool:
        if node.name in _PASSING:
            return True
        if node.name in AGGREGATES:
            parts = aggregate_parts(node)
            grouped = {self._lineage.source(key) for key in split_top_level(parts[0])} if parts else set()
            return grouped.issuperset(keys)
        if node.name in _GROUPS_AT:
            by = _nth_list(node.text, _GROUPS_AT[node.name])
            return by is not None and {self._lineage.source(key) for key in split_top_level(by)}.issuperset(keys)
        if node.name not in JOINS or len(node.children) != 2:
            return False
        parsed = parse_join(node)
        right = _FROM_RIGHT if not parsed.flipped else {JoinType.LEFT_OUTER}
        left = _FROM_LEFT if not parsed.flipped else frozenset[JoinType]()
        return parsed.type in (right if at else left)


def _nth_list(text: str, number: int) -> str | None:
    found = bracketed(text)
    for _ in range(number):
        found = bracketed(text, found[1]) if found else None
    return found[0] if found else None


def _measured_share(join: Join, filtered: JoinInput, counting: Counting) -> float | None:
    """The share of an input that its join keeps at most; None where not each row that it keeps comes out, where it drops some for
    another condition than its keys, or does not tell."""
    if join.has_condition:
        return None
    comes_out = filtered is join.left or join.type in _PUT_RIGHT_OUT
    before, after = (output_rows(node, finished=True, counting=counting) for node in (filtered.node, join.node))
    return min(1.0, (after + 1) / before) if comes_out and before and after is not None else None


def _share_kept(start: PlanNode) -> float | None:
    """The share of a relation's rows that its own filters keep; None where that was not counted."""
    scan = start.children[0] if start.name == "Filter" and start.children else start
    if not is_scan(scan):
        return None
    before, after = output_rows(scan, finished=True), output_rows(start, finished=True)
    return min(1.0, (after + 1) / before) if before and after is not None else None


def _work_of_ways(ways: Iterable[_Way], join: Join, filtered: JoinInput) -> _Work:
    """The work with the rows of an input's ways, up to what its join puts out."""
    at = 0 if filtered.node is join.node.children[0] else 1
    yield from _work_of_step(join.node, at)
    yield from _work_of_steps(ways)


def _work_of_steps(ways: Iterable[_Way]) -> _Work:
    steps = {(id(node), child): node for way in ways for node, child in way.steps}
    for (_, child), node in steps.items():
        yield from _work_of_step(node, child)


def _work_of_step(node: PlanNode, child: int) -> _Work:
    if node.name in JOINS:
        yield from input_work(node, parse_join(node), child)
    else:
        yield from shuffle_work(node) if node.name in SHUFFLES else operator_work(node)


def _worth(ways: Sequence[_Way]) -> tuple[bool, float]:
    """Of several ways to filter rows, by equal keys: those that are filtered already, else of most work, in rows and bytes."""
    return any(way.is_filtered for way in ways), sum(summed(_work_of_steps(ways)).values())


def _below_exchanges(start: PlanNode) -> PlanNode:
    """What makes the rows that a join has shuffled, broadcast or sorted."""
    while start.name in EXCHANGED and len(start.children) == 1:
        start = start.children[0]
    return start


def _work_below(start: PlanNode) -> _Work:
    """What it takes to make an operator's rows once more: what is shuffled or broadcast below it is there, to be read again."""
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node.name in SHUFFLES or node.name == "ReusedExchange":
            yield Resource.SHUFFLE_READ, node.metrics.get("data size", 0)
        elif node.name not in BOUNDARIES:
            waiting.extend(node.children)
            yield from operator_work(node)
