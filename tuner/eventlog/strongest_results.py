"""One outcome for each directive, of several that the agent told."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.directive_result import DirectiveResult, DirectiveStatus

_RANK = {status: rank for rank, status in enumerate(DirectiveStatus)}


def strongest_results(outcomes: Iterable[DirectiveResult]) -> tuple[DirectiveResult, ...]:
    """Applied before held, ignored and impossible: a plan that is optimised in parts may hold its join in one of them only."""
    found: dict[str, DirectiveResult] = {}
    for outcome in outcomes:
        known = found.get(outcome.action_id)
        if known is None or _RANK[outcome.status] < _RANK[known.status]:
            found[outcome.action_id] = outcome
    return tuple(found.values())
