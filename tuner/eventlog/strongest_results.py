"""One outcome for each directive, of several that the agent told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from tuner.model.agent_message import MAX_DIRECTIVES
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.reason import ReasonCode

_RANK = {status: rank for rank, status in enumerate(DirectiveStatus)}
# A log may tell of as much as it likes: what is said of a thousand executions, and of as many queries, is kept.
_MAX_CHARACTERS = 1 << 16


def strongest_results(outcomes: Iterable[DirectiveResult]) -> tuple[DirectiveResult, ...]:
    """Applied before held, ignored and impossible: a plan that is optimised in parts may hold its join in one of them only.

    What is held while the query runs was applied to its plan before. The first so many are told.
    """
    found: dict[str, DirectiveResult] = {}
    for outcome in outcomes:
        known = found.get(outcome.action_id)
        if known is None or _rank(outcome) < _rank(known):
            found[outcome.action_id] = outcome
    return tuple(_first(found.values()))


def _first(outcomes: Iterable[DirectiveResult]) -> Iterator[DirectiveResult]:
    characters = 0
    for outcome in islice(outcomes, MAX_DIRECTIVES):
        characters += len(outcome.action_id) + len(outcome.reason)
        if characters > _MAX_CHARACTERS:
            return
        yield outcome


def _rank(outcome: DirectiveResult) -> int:
    at_run_time = outcome.held is not None and outcome.held.code is ReasonCode.HELD_LARGE_RESULT
    return -1 if at_run_time else _RANK[outcome.status]
