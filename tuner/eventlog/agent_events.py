"""What conf and events tell of the Catalyst agent, taken into a stretch of a log."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tuner.eventlog import events as ev
from tuner.eventlog.directives import DIRECTIVES, DIRECTIVES_FILE, DirectivesError, QueryDirectives, parse_directives
from tuner.eventlog.open import Fragment
from tuner.eventlog.properties import redact
from tuner.eventlog.steering import AgentRecord, agent_outcomes, best
from tuner.model.application import ProblemCode

_DIGEST = re.compile(r"[0-9a-f]{16}")


def take_directives(fragment: Fragment, properties: Mapping[str, object]) -> None:
    """The directives in an application's properties: their text, or that they are in a file."""
    text = properties.get(DIRECTIVES)
    if text or properties.get(DIRECTIVES_FILE):
        directives = _parsed(fragment, text) if isinstance(text, str) else ()
        fragment.steering = fragment.steering.then(AgentRecord(directives, is_directed=True))


def take_loaded(fragment: Fragment, event: ev.AgentLoaded) -> None:
    """That the agent loaded, and the directives that it read from a file."""
    text = "" if fragment.steering.directives else event.directives
    directives = _parsed(fragment, text) if text else ()
    problem = redact(event.problem or "")
    fragment.steering = fragment.steering.then(AgentRecord(directives, bool(text), loaded=True, problem=problem))


def take_steered(fragment: Fragment, event: ev.PlanSteered) -> None:
    """What the agent says it made of the directives for one plan."""
    said = best(agent_outcomes((o.id, o.status, o.reason) for o in event.outcomes))
    literals = event.literals if _DIGEST.fullmatch(event.literals) else ""
    if event.execution_id >= 0:
        fragment.steer(event.execution_id, said, literals)
    is_known = _DIGEST.fullmatch(event.fingerprint)
    fragment.steering = fragment.steering.then(
        AgentRecord(
            loaded=True,
            by_query={event.fingerprint: said} if is_known else {},
            literals={event.fingerprint: literals} if is_known else {},
        )
    )


def _parsed(fragment: Fragment, text: str) -> tuple[QueryDirectives, ...]:
    """None of a text that cannot be read, which is noted once and loses nothing else of the log."""
    try:
        return parse_directives(text)
    except DirectivesError as error:
        if not any(code is ProblemCode.UNREADABLE_DIRECTIVES for code, _ in fragment.notes):
            fragment.note(ProblemCode.UNREADABLE_DIRECTIVES, str(error))
        return ()
