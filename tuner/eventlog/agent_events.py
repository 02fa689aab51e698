"""What conf and events tell of the Catalyst agent, taken into a stretch of a log. Nothing of what they say is trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from tuner.eventlog import events as ev
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.properties import redact
from tuner.eventlog.strongest_results import strongest_results
from tuner.model.agent_message import (
    DIRECTIVES,
    DIRECTIVES_FILE,
    MAX_CHARACTERS,
    MAX_DIRECTIVES,
    MAX_ID,
    AgentMessageError,
    QueryDirectives,
    decode_message,
)
from tuner.model.agent_record import AgentRecord
from tuner.model.application import ProblemCode
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.reason import HELD_NUMBERS, Reason
from tuner.printable import printable

_DIGEST = re.compile(r"[0-9a-f]{16}")
_STATUSES = frozenset(DirectiveStatus)
_MAX_QUERIES = 1000  # of which it is kept what the agent said
_LOADED = AgentRecord(loaded=True)
_Said = TypeVar("_Said")


def take_directives(fragment: Fragment, properties: Mapping[str, object]) -> None:
    """The directives in an application's properties: their text, or that they are in a file."""
    text = properties.get(DIRECTIVES)
    if text or properties.get(DIRECTIVES_FILE):
        directives = _decoded(fragment, text) if isinstance(text, str) else ()
        absorb_record(fragment, AgentRecord(directives, is_directed=True))


def take_loaded(fragment: Fragment, event: ev.AgentLoaded) -> None:
    """That the agent loaded, and the directives that it read from a file."""
    text = "" if fragment.steering.directives else event.directives
    directives = _decoded(fragment, text) if text else ()
    absorb_record(fragment, AgentRecord(directives, bool(text), loaded=True, problem=redact(event.problem or "")))


def take_steered(fragment: Fragment, event: ev.PlanSteered) -> None:
    """What the agent says it made of the directives for one plan."""
    said = strongest_results(readable_outcomes(event.outcomes))
    literals = event.literals if _DIGEST.fullmatch(event.literals) else ""
    if event.execution_id >= 0:
        fragment.steer(event.execution_id, said, literals)
    of_query, values = {event.fingerprint: said}, {event.fingerprint: literals}
    is_known = _DIGEST.fullmatch(event.fingerprint)
    absorb_record(fragment, AgentRecord(loaded=True, by_query=of_query, literals=values) if is_known else _LOADED)


def absorb_record(fragment: Fragment, later: AgentRecord) -> None:
    """Take in what a later stretch of the log tells of the agent."""
    here = fragment.steering
    literals = {q: one if here.literals.get(q, one) == one else "" for q, one in later.literals.items()}
    fragment.steering = AgentRecord(
        directives=here.directives or later.directives,
        is_directed=here.is_directed or later.is_directed,
        loaded=here.loaded or later.loaded,
        problem=here.problem or later.problem,
        by_query=_last({**here.by_query, **later.by_query}),
        literals=_last({**here.literals, **literals}),
    )


def _last(by_query: Mapping[str, _Said]) -> Mapping[str, _Said]:
    """The last so many entries."""
    return by_query if len(by_query) <= _MAX_QUERIES else dict(list(by_query.items())[-_MAX_QUERIES:])


def readable_outcomes(said: Iterable[ev.DirectiveResult]) -> tuple[DirectiveResult, ...]:
    """Of an event's outcomes the first so many; those that no agent of ours writes are left out."""
    found: list[DirectiveResult] = []
    characters = 0
    for one in said:
        if len(found) >= MAX_DIRECTIVES or characters > MAX_CHARACTERS:
            break
        if one.status in _STATUSES and 0 < len(one.id) <= MAX_ID and printable(one.id) == one.id:
            found.append(DirectiveResult(one.id, DirectiveStatus(one.status), redact(one.reason), held=_held(one)))
            characters += len(one.id)
    return tuple(found)


def _held(said: ev.DirectiveResult) -> Reason | None:
    """A reason that is known here, with all of its numbers."""
    code = next((code for code in HELD_NUMBERS if code.value == said.code), None)
    if code is None or not said.numbers.keys() >= set(HELD_NUMBERS[code]):
        return None
    return Reason(code, {name: said.numbers[name] for name in HELD_NUMBERS[code]})


def _decoded(fragment: Fragment, text: str) -> tuple[QueryDirectives, ...]:
    """None of a text that cannot be read, which is noted once and loses nothing else of the log."""
    try:
        queries = decode_message(text)
    except AgentMessageError as error:
        return _unreadable(fragment, str(error))
    if any(printable(name) != name for query in queries for name in query.names()):
        return _unreadable(fragment, "a name in the directives cannot be printed")
    return queries


def _unreadable(fragment: Fragment, why: str) -> tuple[QueryDirectives, ...]:
    if not any(code is ProblemCode.UNREADABLE_DIRECTIVES for code, _ in fragment.notes):
        fragment.note(ProblemCode.UNREADABLE_DIRECTIVES, why)
    return ()
