"""The hints of a decision written into the statements of a `sql=` job."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import DecidedChange, Decision
from tuner.model.join_site import JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide
from tuner.spark.join_selection.lost_rows import may_lose_rows
from tuner.spark.version import Version, read_version
from tuner.steering.sql_filters import JobFilters, SqlFilters
from tuner.steering.sql_hints import JoinHintRequest, add_join_hints

_NO_HINT = {
    Hint.NO_BROADCAST: "SQL has no hint that forbids a broadcast",
    Hint.FILTER_BY_KEY: "SQL has no hint that filters by key",
    Hint.SHARE: "SQL has no hint that computes groups once",
}
OTHER_VALUES = "held: the filters of its statement have other values than those it was measured with"
UNKNOWN_FILTERS = "held: what its statement was filtered by when it was measured is not known"
LOSES_ROWS = "held: this Spark may lose rows of such a hash join, and only the agent tells whether"
LOST_WITH_VALUES = "held: it lost or failed with the values that the filters of its statement have"
# How the SQL runner describes what it runs.
_STATEMENT = re.compile(r"^statement (\d+) of (\d+)$")


@dataclass(frozen=True, slots=True)
class HintedStatements:
    """The statements, hinted where that was possible, and the actions that found no place, each with why."""

    statements: tuple[str, ...]
    skipped: tuple[tuple[Action, str], ...] = ()


def hint_statements(
    decision: Decision, statements: Sequence[str], queries: Iterable[Query], spark_version: str
) -> HintedStatements:
    """Write each join hint in force into the statements whose earlier run (`queries`) had that join, with values that its change
    may act on; but those that `spark_version` may lose rows by, which the agent alone tells."""
    version, ran = read_version(spark_version), list(queries)
    decided = {action: one for one in decision.in_force for action in one.change.carried_out}
    wrong = {action for action in decision.actions if any(_may_lose_rows(action, query, version) for query in ran)}
    found = _written([a for a in decision.actions if a not in wrong], statements, ran, decided)
    return replace(found, skipped=(*found.skipped, *((a, LOSES_ROWS) for a in decision.actions if a in wrong)))


def suggest_hints(actions: Iterable[Action], statements: Sequence[str], queries: Iterable[Query]) -> HintedStatements:
    """The statements with hints for a person to run: also those that no run of ours numbered, where the text is clear."""
    return _written(actions, statements, list(queries), None)


def _written(
    wanted: Iterable[Action],
    statements: Sequence[str],
    ran: Sequence[Query],
    decided: Mapping[Action, DecidedChange] | None,
) -> HintedStatements:
    """`decided` tells which values each action is for; None for any, wherever it finds a place."""
    texts, filters = list(statements), JobFilters(statements)
    skipped: list[tuple[Action, str]] = []
    actions = list(dict.fromkeys(a for a in wanted if a.kind is ActionKind.HINT_JOIN))
    for fingerprint in dict.fromkeys(a.query for a in actions):
        mine = [a for a in actions if a.query == fingerprint]
        same = [q for q in ran if q.fingerprint == fingerprint]
        # Statements that differ in literals alone share a fingerprint.
        places = {n: q for q in same if (n := _statement_number(q, len(texts))) >= 0}
        if decided is None and same and not places:
            places = dict.fromkeys(range(len(texts)), same[-1])
        missing = dict.fromkeys(mine, "its query did not run in the latest run")
        for number, query in places.items():
            held = _held(mine, partial(filters.of, number), query, decided)
            texts[number], unplaced = _hint(texts[number], query, [a for a in mine if a not in held])
            here = held | unplaced
            missing = {action: here[action] for action in missing if action in here}
        skipped += missing.items()
    return HintedStatements(tuple(texts), tuple(skipped))


def _held(
    actions: Sequence[Action],
    filters: Callable[[], SqlFilters | None],
    query: Query,
    decided: Mapping[Action, DecidedChange] | None,
) -> dict[Action, str]:
    """Those that do not go into a statement, whatever its text says of joins, with why."""
    if query.not_deterministic:
        return dict.fromkeys(actions, f"its query is not deterministic ({query.not_deterministic})")
    if decided is None:
        return {}
    if why := _why_filtered_otherwise(filters(), query):
        return dict.fromkeys(actions, why)
    return {action: why for action in actions if (why := _why_not_for(query.literals, decided[action]))}


def _why_filtered_otherwise(filters: SqlFilters | None, query: Query) -> str:
    """Why a statement is not what its query was measured with; "" where it is, as far as its filters tell."""
    if query.conditions is None:
        return UNKNOWN_FILTERS
    if filters is None:
        return ""
    if filters.has_other_values(query.values):
        return OTHER_VALUES
    lost = filters.lost_column(query.conditions)
    return f"held: its statement does not filter by {lost}, as when it was measured" if lost else ""


def _why_not_for(literals: str, decided: DecidedChange) -> str:
    """Why a change does not act on a class of values; "" where it does, as the agent has it (Pass.isMeasured)."""
    if literals in decided.excluded:
        return LOST_WITH_VALUES
    return "" if literals in decided.literals else OTHER_VALUES


def _hint(text: str, query: Query, actions: Sequence[Action]) -> tuple[str, dict[Action, str]]:
    """The text with the hints that find a place, and those that do not, with why."""
    requests = {action: _request(action, query) for action in actions}
    hinted = add_join_hints(text, [r for r in requests.values() if r], [pair for j in query.joins for pair in j.keys])
    reasons = {skip.request: skip.reason for skip in hinted.skipped}
    return hinted.text, {
        action: reasons.get(request, "") if request else _no_text(action)
        for action, request in requests.items()
        if request not in hinted.applied
    }


def _no_text(action: Action) -> str:
    """Why no text can say an action."""
    if action.by_agent_alone:
        return "Spark makes no bloom filter beside a hint in SQL text"
    if action.value in _NO_HINT:
        return _NO_HINT[Hint(action.value)]
    return "SQL text cannot name a join's result" if len(action.relations) > 1 else "the join cannot be told apart"


def _statement_number(query: Query, count: int) -> int:
    """Where the query's statement stands among `count`; -1 for none, or when statements were added or taken out."""
    match = _STATEMENT.match(query.description)
    return int(match[1]) - 1 if match and int(match[2]) == count and int(match[1]) <= count else -1


def _request(action: Action, query: Query) -> JoinHintRequest | None:
    sites = [join for join in query.joins if join.signature == action.target]
    if len(sites) != 1 or action.value in _NO_HINT or action.by_agent_alone:
        return None
    side = _side(sites[0], action.relations)
    return JoinHintRequest.for_side(Hint(action.value), sites[0], side) if side else None


def _may_lose_rows(action: Action, query: Query, version: Version) -> bool:
    """Whether a query has a join that the hint reaches, and that a hash join may be wrong for."""
    if action.value != Hint.SHUFFLE_HASH or query.fingerprint != action.query:
        return False
    sites = ((site, _side(site, action.relations)) for site in query.joins if site.signature == action.target)
    return any(side is not None and may_lose_rows(site.type, side, version) for site, side in sites)


def _side(site: JoinSite, relations: tuple[str, ...]) -> BuildSide | None:
    if site.left.relations == site.right.relations:
        return None
    if site.left.relations == relations:
        return BuildSide.LEFT
    return BuildSide.RIGHT if site.right.relations == relations else None
