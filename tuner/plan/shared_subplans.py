"""Aggregates that a plan has several times over the same joins: what computing them once would leave out.

Of a CTE that is read several times Spark plans each copy for itself (InlineCTE), with the filters of its reader pushed into it,
so that no exchange of one is equal to another's (ReuseExchangeAndSubquery).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tuner.model.shared_subplan import SharedSubplan
from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.changed_table import above_changed_table
from tuner.plan.expression import aliases, attributes, bracketed, conjuncts, split_top_level
from tuner.plan.joins import JOINS, every_join, parse_join
from tuner.plan.lineage import lineage_of
from tuner.plan.node import PlanNode, made_once, prunes
from tuner.plan.query_work import Resource, input_work, operator_work, shuffle_work, summed
from tuner.plan.relation import is_scan, scans_of
from tuner.plan.sides import SHUFFLES, counted_rows
from tuner.plan.subplan_digest import subplan_digest
from tuner.plan.without_nulls import without_nulls

# A scan of fewer rows takes less than what comes with another shuffle.
LEAST_ROWS = 100_000
_DISTINCT = re.compile(r"\(distinct ")
_ID = re.compile(r"#\d{1,18}L?")
# As far as a text tells: Spark marks columns of BIGINT alone, not what is computed (SumOverflow.java knows the types).
_SUM_OF_BIGINT = re.compile(
    r"(?:\b|partial_)sum\((?:distinct )?(?:coalesce\()?(?:[^\s(),]+#\d{1,18}L|cast\([^\s(),]+ as bigint\))[,)]"
)
# What Spark adds by itself: which rows another relation's conditions have left.
_DERIVED = ("dynamicpruningexpression(", "might_contain(")

_Amounts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Condition:
    """One condition: on which relations' rows, its text without the ids of columns, these by their sources, and the columns that
    it asks above: the key where it is on what the key is computed of.

    `prunes` says that it is on partitions: what it leaves out is not even read. Of one that Spark derives from another
    relation's rows, `text` names the relations and `values` are the conditions on these.
    """

    relations: tuple[str, ...]
    text: str
    columns: frozenset[str]
    asked: frozenset[str]
    prunes: bool
    values: frozenset[_Condition] = frozenset()


@dataclass(frozen=True, slots=True)
class _Copy:
    """One of them: the operators from the aggregate down to its shuffle, the shuffle, and the conditions below it.

    `derived` are those conditions that follow from others. `keys` are the sources of what it groups by, `distinct` those of what
    it makes distinct besides, with the operator that several such take. `windows` are the plans of the windows below it. `reused`
    says that it reads what another copy has shuffled, `adds_bigint` that a sum of BIGINT is in all that may be made once.
    """

    above: tuple[PlanNode, ...]
    shuffle: PlanNode
    keys: frozenset[str]
    conditions: frozenset[_Condition]
    derived: frozenset[_Condition]
    distinct: frozenset[str]
    windows: tuple[str, ...]
    reused: bool
    adds_bigint: bool


def shared_subplans(root: PlanNode) -> tuple[SharedSubplan, ...]:
    """The aggregates of a plan that ran to its end, which stand several times above the same join; those of most rows first.

    None of a plan that changes rows: what tells which it changes stays as it is.
    """
    if above_changed_table(root):
        return ()
    finder = _Finder(root)
    alike: dict[tuple[str, tuple[str, ...], frozenset[str]], list[_Copy]] = {}
    for signature, copy in finder.copies(root):
        alike.setdefault((signature, finder.below.relations(copy.shuffle), copy.keys), []).append(copy)
    found: dict[tuple[str, tuple[str, ...]], SharedSubplan] = {}
    for (join, relations, _), copies in alike.items():
        shared = finder.shared(join, relations, copies) if len(copies) > 1 else None
        # Of groups of groups the outer ones come first.
        if shared is not None:
            found.setdefault((join, relations), shared)
    return tuple(sorted(found.values(), key=lambda one: -one.scanned_rows))


class _Finder:
    def __init__(self, root: PlanNode) -> None:
        self.below = scans_of(root)
        self._lineage = lineage_of(root)
        self._signatures = {id(join.node): join.signature for join in every_join(root)}

    def copies(self, root: PlanNode) -> Iterator[tuple[str, _Copy]]:
        """Each with the signature of the first join below it: through what has one input, and the first part of a union."""
        waiting: list[tuple[PlanNode, tuple[PlanNode, ...]]] = [(root, ())]
        while waiting:
            node, above = waiting.pop()
            if node.name == "ReusedSubquery" or (node.name == "ReusedExchange" and not above):
                continue  # shown once more, with all that is below
            if above or node.name in AGGREGATES:
                above = (*above, node)
            if above and (signature := self._signatures.get(id(node))):
                yield from ((signature, copy) for copy in self._copies(above))
            goes_on = len(node.children) == 1 or node.name == "Union"
            waiting.extend((subquery, ()) for subquery in reversed(node.subqueries))
            inputs = [(child, above if goes_on and not at else ()) for at, child in enumerate(node.children)]
            waiting.extend(reversed(inputs))

    def _copies(self, way: Sequence[PlanNode]) -> Iterator[_Copy]:
        """Those of a way down to a join, groups of groups first; none where no shuffle follows: nothing could be read twice."""
        for start, node in enumerate(way):
            is_first_half = start > 0 and way[start - 1].name in SHUFFLES
            if node.name in AGGREGATES and not is_first_half and (copy := self._copy(way[start:])):
                yield copy

    def _copy(self, way: Sequence[PlanNode]) -> _Copy | None:
        at = next((i for i, node in enumerate(way) if node.name in SHUFFLES), None)
        # A union that needs no shuffle of its own: that of its first part is not all that the aggregate reads.
        if at is None or any(node.name == "Union" for node in way[:at]):
            return None
        parts = aggregate_parts(way[0])
        keys = frozenset(map(self._lineage.source, split_top_level(parts[0]))) if parts else frozenset[str]()
        reused = any(node.name == "ReusedExchange" for node in way[:at])
        functions = split_top_level(parts[1]) if parts else ()
        distinct = {self._lineage.source(one) for one in functions if _DISTINCT.search(one)}
        distinct.update(node.name for node in way if node.name == "Expand")
        conditions = frozenset(self._conditions(way[at], self._computed(way[at], keys)))
        derived = frozenset(self._derived(way[at]))
        windows = tuple(subplan_digest(node) for node in way[0].walk() if node.name == "Window")
        return _Copy(
            tuple(way[:at]), way[at], keys, conditions, derived, frozenset(distinct), windows, reused, _adds_bigint(way)
        )

    def _computed(self, top: PlanNode, keys: frozenset[str]) -> dict[str, str]:
        """What is computed as one of these keys, with the column that holds it: `year(d#1)`, as which Spark pushes conditions on
        the key below it."""
        found = {}
        for node in top.walk():
            for expression, name, id_ in aliases(node.text) if node.name == "Project" else ():
                is_key = self._lineage.source(column := f"{name}#{id_}") in keys
                if is_key and id_ in self._lineage.computed and attributes(expression):
                    found[expression] = column
        return found

    def _conditions(self, top: PlanNode, computed: Mapping[str, str]) -> Iterator[_Condition]:
        for node in top.walk():
            partitions = bracketed(node.metadata.get("PartitionFilters", ""))
            found = conjuncts(node.text.removeprefix("Filter ")) if node.name == "Filter" else []
            for conjunct in found or (split_top_level(partitions[0]) if partitions else ()):
                if conjunct.startswith(_DERIVED):
                    continue
                columns, asked = (self._columns(text) for text in (conjunct, _above(conjunct, computed)))
                relations, text = self.below.relations(node), _ID.sub("", conjunct)
                yield _Condition(relations, text, columns, asked, node.name != "Filter")

    def _columns(self, condition: str) -> frozenset[str]:
        return frozenset(self._lineage.source(f"{name}#{id_}") for name, id_ in attributes(condition))

    def _derived(self, top: PlanNode) -> Iterator[_Condition]:
        """Those of dynamic pruning and of bloom filters, which scans of other sources tell by their subqueries alone."""
        for node in top.walk():
            for made in map(made_once, filter(prunes, node.subqueries)):
                source, values = " ".join(self.below.relations(made)), frozenset(self._conditions(made, {}))
                yield _Condition(self.below.relations(node), source, frozenset(), frozenset(), is_scan(node), values)

    def shared(self, join: str, relations: tuple[str, ...], copies: Sequence[_Copy]) -> SharedSubplan | None:
        """What making copies once would leave out and add; None where they read too little for it, where a group has rows
        that one of them asks for and others that it does not, where one makes distinct what another does not, or where their
        windows differ: rows that tie in one would be put in order beside other columns (MergedPlans.java adds no DISTINCT to a
        copy, and takes equal windows alone)."""
        ran = [copy for copy in copies if not copy.reused]
        if len(ran) < 2:
            return SharedSubplan(join, relations, len(copies), reused=True)
        if len({(copy.windows, copy.distinct) for copy in ran}) > 1:
            return None
        scanned = max(map(counted_rows, self.below.scans(ran[0].shuffle)), default=0)
        if scanned < LEAST_ROWS:
            return None
        own = _own([copy.conditions for copy in ran])
        # Of all rows together there is one group: its functions take those that meet a copy's condition, but for DISTINCT.
        is_one = not ran[0].keys and not ran[0].distinct
        if not is_one and any(not _is_on(ran[0].keys, one, mine) for mine in own for one in mine):
            return None
        left_out = frozenset().union(*own, *_own([copy.derived for copy in ran]))
        some, pruned = (
            frozenset(one.relations for one in left_out if one.prunes or not unread) for unread in (False, True)
        )
        work = [self._work(copy.shuffle, some, pruned) for copy in ran]
        before, reading = _sum(of for both in work for of in both), [_reading(copy) for copy in ran]
        # The rows that all of them need: those of one that asks for nothing by itself, else of all together.
        needed = [at for at, mine in enumerate(own) if not mine][:1] or range(len(ran))
        once = _sum((_times(_sum(common for common, _ in work), 1 / len(ran)), *(work[at][1] for at in needed)))
        each = _sum(reading[at] for at in needed)
        return SharedSubplan(
            join,
            relations,
            len(ran),
            scanned,
            sum(counted_rows(copy.shuffle) for copy in ran),
            saved_amounts=_less(before, once),
            added_amounts=_less(_times(each, len(ran)), _sum(reading)),
            adds_bigint=any(copy.adds_bigint for copy in ran),
        )

    def _work(
        self, top: PlanNode, some: frozenset[tuple[str, ...]], pruned: frozenset[tuple[str, ...]]
    ) -> tuple[_Amounts, _Amounts]:
        """The work of an operator and of those below it: with all rows, and with those that conditions on some relations left,
        on `pruned` ones before they were read."""
        of_all: list[tuple[Resource, float]] = []
        of_some: list[tuple[Resource, float]] = []

        def is_of_some(node: PlanNode) -> bool:
            if node.name == "ReusedExchange":
                return False
            below = [is_of_some(child) for child in node.children]
            if node.name in JOINS and len(node.children) == 2:
                parsed = parse_join(node)
                for at in (0, 1):
                    (of_some if below[at] else of_all).extend(input_work(node, parsed, at))
            else:
                work = shuffle_work(node) if node.name in SHUFFLES else operator_work(node)
                is_pruned = is_scan(node) and self.below.relations(node) in pruned
                (of_some if any(below) or is_pruned else of_all).extend(work)
            filters = is_scan(node) or node.name == "Filter"
            return any(below) or (filters and self.below.relations(node) in some)

        is_of_some(top)
        return summed(of_all), summed(of_some)


def _adds_bigint(way: Sequence[PlanNode]) -> bool:
    """Whether the aggregate next to the join, or one below it, adds up a BIGINT. What is above it may be left in each copy."""
    lowest = next(node for node in reversed(way) if node.name in AGGREGATES)
    return any(node.name in AGGREGATES and _SUM_OF_BIGINT.search(node.text) for node in lowest.walk())


def _above(condition: str, computed: Mapping[str, str]) -> str:
    """A condition as it is asked above where these are computed."""
    for expression, column in computed.items():
        if expression in condition:  # and is no part of another one, as `year(d#1)` is of `dayofyear(d#1)`
            condition = column.join(re.split(rf"(?<!\w){re.escape(expression)}(?!\w)", condition))
    return condition


def _is_on(keys: frozenset[str], condition: _Condition, own: frozenset[_Condition]) -> bool:
    """Whether a copy's own condition is on its keys, or leaves out nulls of which another one is not true either."""
    others = own - {condition} if without_nulls(condition.text) else ()
    return condition.asked <= keys or any(other.columns == condition.columns for other in others)


def _own(conditions: Sequence[frozenset[_Condition]]) -> list[frozenset[_Condition]]:
    """The conditions of each copy that not all of them have."""
    everywhere = frozenset.intersection(*conditions)
    return [mine - everywhere for mine in conditions]


def _reading(copy: _Copy) -> _Amounts:
    """What an aggregate does with the rows of its shuffle."""
    work = [(Resource.SHUFFLE_READ, float(copy.shuffle.metrics.get("data size", 0)))]
    for node in copy.above:
        work += operator_work(node)
    return summed(work)


def _sum(each: Iterable[_Amounts]) -> _Amounts:
    found: Counter[str] = Counter()
    for amounts in each:
        found.update(amounts)
    return found


def _times(amounts: _Amounts, factor: float) -> _Amounts:
    return {resource: amount * factor for resource, amount in amounts.items()}


def _less(amounts: _Amounts, other: _Amounts) -> dict[str, float]:
    return {resource: rest for resource, amount in amounts.items() if (rest := amount - other.get(resource, 0)) > 0}
