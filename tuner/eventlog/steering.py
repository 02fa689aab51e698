"""What a log tells of the Catalyst agent: what it was directed to do, whether it loaded, and what it says it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from tuner.eventlog.directives import MAX_CHARACTERS, MAX_DIRECTIVES, MAX_ID, QueryDirectives
from tuner.eventlog.properties import redact
from tuner.model.directive_outcome import DirectiveStatus
from tuner.printable import printable

# Why a directive was ignored in a run whose log has no word of the agent's.
NOT_LOADED = "the agent did not load"
_MAX_WAITING = 1000
Said = TypeVar("Said")


class AgentOutcome(msgspec.Struct, frozen=True):
    """What the agent says became of one directive: an action's id, how it went, and why."""

    id: str
    status: DirectiveStatus
    reason: str = ""


class AgentRecord(msgspec.Struct, frozen=True):
    """`directives` are what was directed, query by query; `is_directed` says that something was, known or not.

    `loaded` says that the agent did, `problem` what it could not read. `by_query` is what it said of each query's plan,
    by fingerprint, the latest that was optimised; `literals` the id of the values in it, "" where its plans had several.
    """

    directives: tuple[QueryDirectives, ...] = ()
    is_directed: bool = False
    loaded: bool = False
    problem: str = ""
    by_query: Mapping[str, tuple[AgentOutcome, ...]] = {}
    literals: Mapping[str, str] = {}

    def of(self, fingerprint: str) -> tuple[QueryDirectives, ...]:
        """What a query was directed to do."""
        return tuple(found for found in self.directives if found.fingerprint == fingerprint)

    def then(self, later: AgentRecord) -> AgentRecord:
        """Both, of two stretches of a log."""
        return AgentRecord(
            directives=self.directives or later.directives,
            is_directed=self.is_directed or later.is_directed,
            loaded=self.loaded or later.loaded,
            problem=self.problem or later.problem,
            by_query=newest({**self.by_query, **later.by_query}),
            literals=newest(
                {**self.literals, **{q: _same(self.literals.get(q), one) for q, one in later.literals.items()}}
            ),
        )


UNSTEERED = AgentRecord()


def agent_outcomes(said: Iterable[tuple[str, str, str]]) -> tuple[AgentOutcome, ...]:
    """Of an event's outcomes (id, status, reason) the first so many; those that no agent of ours writes are left out."""
    found: list[AgentOutcome] = []
    characters = 0
    for id_, status, reason in said:
        if len(found) >= MAX_DIRECTIVES or characters > MAX_CHARACTERS:
            break
        if status in _STATUSES and 0 < len(id_) <= MAX_ID and printable(id_) == id_:
            found.append(AgentOutcome(id_, DirectiveStatus(status), redact(reason)))
            characters += len(id_)
    return tuple(found)


def best(outcomes: Iterable[AgentOutcome]) -> tuple[AgentOutcome, ...]:
    """One outcome for each directive: a plan that is optimised in parts may hold its join in one of them only."""
    found: dict[str, AgentOutcome] = {}
    for outcome in outcomes:
        known = found.get(outcome.id)
        if known is None or _RANK[outcome.status] < _RANK[known.status]:
            found[outcome.id] = outcome
    return tuple(found.values())


def _same(known: str | None, said: str) -> str:
    return said if known in (None, said) else ""


def newest(by_query: Mapping[str, Said]) -> Mapping[str, Said]:
    """The last so many entries."""
    return by_query if len(by_query) <= _MAX_WAITING else dict(list(by_query.items())[-_MAX_WAITING:])


_STATUSES = frozenset(DirectiveStatus)
_RANK = {status: rank for rank, status in enumerate(DirectiveStatus)}
