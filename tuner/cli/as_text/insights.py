"""Insights as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.model.change import Evidence
from tuner.model.insight import Insight
from tuner.units import format_bytes, format_rows, format_seconds, format_share
from tuner.words.counts import counted
from tuner.words.insights import insight_change, insight_reason
from tuner.words.query_names import QueryNames

# About a screen and a half; the rest is in the JSON.
MOST_SHOWN = 10
MOST_MEASURED = 4
_SECONDS = 10  # as wide as `4 min 5 s`
_HANGING = " " * (2 + _SECONDS + 2)


def insights_lines(found: tuple[Insight, ...], names: QueryNames) -> Iterator[str]:
    """The costliest insights; nothing where there are none."""
    if not found:
        return
    yield "  insights: what only a person can change, and the most that it can gain"
    for insight in found[:MOST_SHOWN]:
        kind = insight.kind.replace("_", " ")
        yield f"  {format_seconds(insight.seconds):>{_SECONDS}}  {kind} in {names[insight.query]}"
        change = f"change: {insight_change(insight)}"
        for text in (insight.operator, insight_reason(insight), _measured(insight), change):
            yield f"{_HANGING}{text}"
    if len(found) > MOST_SHOWN:
        yield f"{_HANGING}and {len(found) - MOST_SHOWN} more that cost less: --json has them all"


def _measured(insight: Insight) -> str:
    told = [_evidence(e) for e in insight.evidence if e.value]
    more = f"; and {counted(len(told) - MOST_MEASURED, 'more number')}" if len(told) > MOST_MEASURED else ""
    return f"measured: {'; '.join(told[:MOST_MEASURED])}{more}"


def _evidence(e: Evidence) -> str:
    return f"{e.what} {_number(e)}{f' ({e.of})' if e.of else ''}"


def _number(e: Evidence) -> str:
    match e.unit:
        case "rows":
            return format_rows(e.value).removesuffix(" rows")
        case "bytes":
            return format_bytes(e.value)
        case "seconds":
            return format_seconds(e.value)
        case "share":
            return format_share(e.value)
    return f"{e.value:,.0f}"
