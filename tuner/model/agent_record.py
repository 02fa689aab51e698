"""What a log tells of the Catalyst agent: what it was directed to do, whether it loaded, and what it says it did."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tuner.model.agent_message import QueryDirectives, SealedDirectives
from tuner.model.directive_result import DirectiveResult
from tuner.model.query_values import QueryValues

# Why a directive was ignored in a run whose log has no word of the agent's.
NOT_LOADED = "the agent did not load"


class AgentRecord(msgspec.Struct, frozen=True):
    """`directives` are what was directed, query by query, `sealed` what was for who can open it; `is_directed` says that
    something was, known or not.

    `loaded` says that the agent did, `problem` what it could not read. `by_query` is what it said of each query's plan,
    by fingerprint, the latest that was optimised; `values` those in it, unknown where its plans had several. `release` is the
    digest of what its jar was made of ("" where that says none, None where it did not load).
    """

    directives: tuple[QueryDirectives, ...] = ()
    is_directed: bool = False
    loaded: bool = False
    problem: str = ""
    by_query: Mapping[str, tuple[DirectiveResult, ...]] = {}
    values: Mapping[str, QueryValues] = {}
    sealed: tuple[SealedDirectives, ...] = ()
    release: str | None = None

    @property
    def is_lost(self) -> bool:
        """Whether what was directed never reached an agent: it did not load, or could not read a file of directives."""
        unread = bool(self.problem) and not self.directives and not self.sealed
        return self.is_directed and (not self.loaded or unread)

    def directives_of(self, fingerprint: str) -> tuple[QueryDirectives, ...]:
        """What a query was directed to do."""
        return tuple(found for found in self.directives if found.fingerprint == fingerprint)


UNSTEERED = AgentRecord()
