"""What conf and events tell of the Catalyst agent, taken into a stretch of a log. Nothing of what they say is trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TypeVar

from tuner.eventlog import events as ev
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.properties import redact
from tuner.eventlog.strongest_results import strongest_results
from tuner.model.agent_message import (
    DIRECTIVES,
    DIRECTIVES_FILE,
    MAX_ACTION_ID,
    MAX_CHARACTERS,
    MAX_DIRECTIVES,
    VERSION,
    AgentMessage,
    AgentMessageError,
    decode_whole,
)
from tuner.model.agent_record import AgentRecord
from tuner.model.application import ProblemCode
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query_values import UNKNOWN_VALUES, FilterCondition, QueryValues
from tuner.model.reason import HELD_NUMBERS, Reason
from tuner.printable import printable

_DIGEST = re.compile(r"[0-9a-f]{16}")
_STATUSES = frozenset(DirectiveStatus)
_MAX_CONDITIONS = 1000  # of a query
_MAX_QUERIES = 1000  # of which it is kept what the agent said
_LOADED = AgentRecord(loaded=True)
_NOTHING = AgentMessage(VERSION, ())
_Said = TypeVar("_Said")


def take_directives(fragment: Fragment, properties: Mapping[str, object]) -> None:
    """The directives in an application's properties: their text, or that they are in a file."""
    text = properties.get(DIRECTIVES)
    if text or properties.get(DIRECTIVES_FILE):
        told = _decoded(fragment, text) if isinstance(text, str) else _NOTHING
        absorb_record(fragment, AgentRecord(told.queries, is_directed=True, sealed=told.sealed))


def take_loaded(fragment: Fragment, event: ev.AgentLoaded) -> None:
    """That the agent loaded, and the directives that it read from a file."""
    known = fragment.steering.directives or fragment.steering.sealed
    text = "" if known else event.directives
    told = _decoded(fragment, text) if text else _NOTHING
    problem = redact(event.problem or "")
    release = event.release if event.release and _DIGEST.fullmatch(event.release) else ""
    said = AgentRecord(told.queries, bool(text), loaded=True, problem=problem, sealed=told.sealed, release=release)
    absorb_record(fragment, said)


def take_steered(fragment: Fragment, event: ev.PlanSteered) -> None:
    """What the agent says it made of the directives for one plan, which may be that of several queries."""
    said, values = _said_by_query(event), _readable_values(event)
    if event.execution_id >= 0:
        fragment.steer(event.execution_id, tuple(chain.from_iterable(said.values())), values)
    known = {query: of_it for query, of_it in said.items() if query}
    record = AgentRecord(loaded=True, by_query=known, values=dict.fromkeys(known, values)) if known else _LOADED
    absorb_record(fragment, record)


def _said_by_query(event: ev.PlanSteered) -> dict[str, tuple[DirectiveResult, ...]]:
    """By fingerprint, "" for what is none."""
    outcomes: dict[str, list[ev.DirectiveResult]] = {_readable_fingerprint(event.fingerprint): []}
    for one in event.outcomes[:MAX_DIRECTIVES]:
        outcomes.setdefault(_readable_fingerprint(one.query or event.fingerprint), []).append(one)
    return {query: strongest_results(readable_outcomes(said, query)) for query, said in outcomes.items()}


def _readable_fingerprint(text: str) -> str:
    return text if _DIGEST.fullmatch(text) else ""


def _readable_values(event: ev.PlanSteered) -> QueryValues:
    """Only digests and names: unknown where any of them is anything else."""
    if not _DIGEST.fullmatch(event.literals):
        return UNKNOWN_VALUES
    told = None if event.conditions is None else {(columns, values) for columns, values in event.conditions}
    if told is None or len(told) > _MAX_CONDITIONS or not all(_is_readable(*one) for one in told):
        return QueryValues(event.literals)
    return QueryValues(event.literals, tuple(FilterCondition(*one) for one in sorted(told)))


def _is_readable(columns: str, values: str) -> bool:
    is_name = len(columns) <= MAX_ACTION_ID and printable(columns) == columns
    return is_name and _DIGEST.fullmatch(values) is not None


def absorb_record(fragment: Fragment, later: AgentRecord) -> None:
    """Take in what a later stretch of the log tells of the agent."""
    here = fragment.steering
    values = {q: one if here.values.get(q, one) == one else UNKNOWN_VALUES for q, one in later.values.items()}
    fragment.steering = AgentRecord(
        directives=here.directives or later.directives,
        is_directed=here.is_directed or later.is_directed,
        loaded=here.loaded or later.loaded,
        problem=here.problem or later.problem,
        by_query=_last({**here.by_query, **later.by_query}),
        values=_last({**here.values, **values}),
        sealed=here.sealed or later.sealed,
        release=later.release if here.release is None else here.release,
    )


def _last(by_query: Mapping[str, _Said]) -> Mapping[str, _Said]:
    """The last so many entries."""
    return by_query if len(by_query) <= _MAX_QUERIES else dict(list(by_query.items())[-_MAX_QUERIES:])


def readable_outcomes(said: Iterable[ev.DirectiveResult], fingerprint: str = "") -> tuple[DirectiveResult, ...]:
    """Of an event's outcomes, of this query, the first so many; those that no agent of ours writes are left out."""
    found: list[DirectiveResult] = []
    characters = 0
    for one in said:
        if len(found) >= MAX_DIRECTIVES or characters > MAX_CHARACTERS:
            break
        if one.status in _STATUSES and 0 < len(one.id) <= MAX_ACTION_ID and printable(one.id) == one.id:
            status, merged = DirectiveStatus(one.status), fingerprint if one.merges else ""
            found.append(DirectiveResult(one.id, status, redact(one.reason), held=_held(one), merged=merged))
            characters += len(one.id)
    return tuple(found)


def _held(said: ev.DirectiveResult) -> Reason | None:
    """A reason that is known here, with all of its numbers."""
    code = next((code for code in HELD_NUMBERS if code.value == said.code), None)
    if code is None or not said.numbers.keys() >= set(HELD_NUMBERS[code]):
        return None
    return Reason(code, {name: said.numbers[name] for name in HELD_NUMBERS[code]})


def _decoded(fragment: Fragment, text: str) -> AgentMessage:
    """None of a text that cannot be read, which is noted once and loses nothing else of the log."""
    try:
        told = decode_whole(text)
    except AgentMessageError as error:
        return _unreadable(fragment, str(error))
    if any(printable(name) != name for query in told.queries for name in query.names()):
        return _unreadable(fragment, "a name in the directives cannot be printed")
    return told


def _unreadable(fragment: Fragment, why: str) -> AgentMessage:
    if not any(code is ProblemCode.UNREADABLE_DIRECTIVES for code, _ in fragment.notes):
        fragment.note(ProblemCode.UNREADABLE_DIRECTIVES, why)
    return _NOTHING
