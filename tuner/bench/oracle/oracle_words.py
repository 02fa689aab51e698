"""What the oracle chose, from which counts, and what became of it, as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.order_names import order_words, relation_names
from tuner.advice.candidates.side_name import side_name
from tuner.bench.oracle.oracle_choice import ChosenOrder, OracleChoice
from tuner.bench.oracle.true_rows import TrueQuery
from tuner.model.action import Action
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query import Query
from tuner.units import format_seconds
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames


def choice_lines(counted: Sequence[TrueQuery], choices: Iterable[OracleChoice]) -> Iterator[str]:
    """A line on all counts, and one for each query."""
    blocks = [block for query in counted for block in query.blocks]
    sets, at_least = sum(block.sets for block in blocks), sum(len(block.at_least) for block in blocks)
    without = sum(bool(query.left_out) for query in counted)
    yield (
        f"rows of {sets:,} sets of relations counted, {at_least:,} of them only up to a limit, in {len(blocks)} blocks of joins; "
        f"queries with blocks that could not be counted: {without}"
    )
    by_id = {choice.query.id: choice for choice in choices}
    for query in counted:
        yield f"{query.name}: {'; '.join(_of_query(query, by_id.get(query.query.id)))}"


def skipped_lines(skipped: Iterable[tuple[Action, str]], names: QueryNames) -> list[str]:
    """What the agent cannot be told of, and why."""
    return [f"not told: {action_words(action, names)}: {why}" for action, why in skipped]


def result_lines(queries: Iterable[Query]) -> Iterator[str]:
    """For each query with directives how many were followed, and why others were not."""
    for query in (query for query in queries if query.directives):
        followed = sum(one.status is DirectiveStatus.APPLIED for one in query.directives)
        others = (f"{one.status}: {one.action_id}: {one.reason}" for one in query.directives)
        not_followed = [text for text, one in zip(others, query.directives, strict=True) if _is_not_followed(one)]
        yield "; ".join(
            [f"{query.description}: {followed} of {len(query.directives)} directives followed", *not_followed]
        )


def _is_not_followed(one: DirectiveResult) -> bool:
    return one.status is not DirectiveStatus.APPLIED


def _of_query(query: TrueQuery, choice: OracleChoice | None) -> Iterator[str]:
    if query.blocks:
        yield f"{sum(block.sets for block in query.blocks):,} sets counted, all joins that ran among them with as many rows"
    yield from (f"not counted: {why}" for why in query.left_out)
    if choice is None or not choice.changes:
        yield "it runs by default" if not query.blocks else "nothing is cheaper than what ran"
        return
    yield from (_order_words(order) for order in choice.orders)
    yield from (_hint_words(hint) for hint in choice.hints)


def _order_words(chosen: ChosenOrder) -> str:
    order, names = chosen.change, relation_names(chosen.change.graph)
    sides = ", ".join(one.name for one in chosen.broadcasts)
    beside = f", with broadcasts of {sides}" if sides else ""
    return (
        f"joined as {order_words(order.other.order, names)} in place of {order_words(order.written.order, names)}{beside}: "
        f"{order.other_rows:,.0f} rows between joins, not {order.rows:,.0f}; by prices "
        f"{format_seconds(chosen.seconds)} of joins, not {format_seconds(chosen.ran_seconds)}"
    )


def _hint_words(hint: HintCandidate) -> str:
    rows = "" if hint.hinted.rows is None else f", {hint.hinted.rows:,} rows"
    return f"{hint.hint} of {side_name(hint.hinted)}{rows}: by prices {format_seconds(hint.prediction.gain)} less"
