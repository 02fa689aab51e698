"""Two runs of a cohort side by side: what is slower, by how much, and why."""

from __future__ import annotations

from tuner.compare.cause import Cause
from tuner.compare.operator_difference import OperatorAmounts, OperatorDifference
from tuner.compare.run_comparison import CauseTotal, QueryComparison, RunComparison, RunTotals
from tuner.model.run import Run
from tuner.panel.models.comparison import (
    CauseItem,
    ComparedOperator,
    ComparedQuery,
    ComparedRun,
    Comparison,
    OperatorSide,
)
from tuner.panel.models.page import MOST_ITEMS
from tuner.panel.views.texts import query_ref, shortened
from tuner.words.causes import cause_words, kind_words
from tuner.words.comparisons import headline, other_differences, query_causes, said_causes, total_words
from tuner.words.operators import operator_how
from tuner.words.query_names import QueryNames


def comparison(found: RunComparison, before: Run, after: Run, names: QueryNames) -> Comparison:
    """At most MOST_ITEMS queries, and of causes those that are worth a line."""
    return Comparison(
        before=_run(found.before, before),
        after=_run(found.after, after),
        headline=shortened(headline(found)),
        difference_seconds=found.difference,
        is_same=found.is_same,
        is_noise=found.is_noise,
        causes=[_total(total, found, names) for total in said_causes(found)],
        queries=[_query(query, found, names) for query in found.queries[:MOST_ITEMS]],
        more_queries=max(0, len(found.queries) - MOST_ITEMS),
        others=[shortened(line) for line in other_differences(found, names)],
    )


def _run(totals: RunTotals, run: Run) -> ComparedRun:
    return ComparedRun(
        key=totals.key,
        run_id=run.origin.run_id if run.origin else "",
        started_at=totals.started_at,
        state=totals.state,
        application_seconds=totals.application_seconds,
        query_seconds=totals.query_seconds,
        queries=totals.queries,
    )


def _total(total: CauseTotal, found: RunComparison, names: QueryNames) -> CauseItem:
    return CauseItem(
        kind=total.kind,
        label=kind_words(total.kind),
        seconds=total.seconds,
        words=shortened(total_words(total, found, names)),
        query=query_ref(total.fingerprint, names) if total.fingerprint else None,
        queries=total.queries,
    )


def _query(query: QueryComparison, found: RunComparison, names: QueryNames) -> ComparedQuery:
    return ComparedQuery(
        query=query_ref(query.fingerprint, names),
        executions_before=query.executions_before,
        executions_after=query.executions_after,
        seconds_before=query.before.seconds if query.before else None,
        seconds_after=query.after.seconds if query.after else None,
        difference_seconds=query.difference,
        share=query.share,
        is_noise=query.is_noise,
        causes=[_cause(cause, query, found, names) for cause in query_causes(query)],
        operators=[_operator(one) for one in query.operators],
    )


def _cause(cause: Cause, query: QueryComparison, found: RunComparison, names: QueryNames) -> CauseItem:
    return CauseItem(
        kind=cause.kind,
        label=kind_words(cause.kind),
        seconds=cause.seconds,
        words=shortened(cause_words(cause, names, found.changes)),
        query=query_ref(query.fingerprint, names),
        queries=1,
    )


def _operator(one: OperatorDifference) -> ComparedOperator:
    name = " ⋈ ".join(side for side in (one.left, one.right) if side)
    return ComparedOperator(kind=one.kind, name=shortened(name), before=_side(one.before), after=_side(one.after))


def _side(amounts: OperatorAmounts | None) -> OperatorSide | None:
    if amounts is None:
        return None
    return OperatorSide(how=operator_how(amounts), rows=amounts.rows, bytes=amounts.bytes, seconds=amounts.seconds)
