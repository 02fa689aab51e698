"""Logs that were not used, or not whole, by the reason: a thousand with the same one are one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tuner.panel.views.texts import shortened
from tuner.printable import printable
from tuner.replay.model import UnreadLog

# Of each reason, as many logs are named as somebody would look into.
MOST_NAMED = 50
_MOST_COMPARED = 500
# What differs between logs that have the same thing wrong with them: counts, offsets, ids.
_VARYING = re.compile(r"\S*\d\S*")


@dataclass(frozen=True, slots=True)
class UnreadGroup:
    """`logs` logs, of which the first MOST_NAMED are in `named`; `why` is what is said of the first of them."""

    why: str
    logs: int
    named: list[str]


def grouped(unread: Iterable[UnreadLog]) -> list[UnreadGroup]:
    """Reasons that most logs have first; two that only numbers tell apart are one."""
    groups: dict[str, list[UnreadLog]] = {}
    for log in unread:
        groups.setdefault(_VARYING.sub("…", log.why[:_MOST_COMPARED]), []).append(log)
    ranked = sorted(groups.values(), key=lambda logs: (-len(logs), logs[0].why))
    return [
        UnreadGroup(
            shortened(printable(logs[0].why)), len(logs), [printable(log.log, 500) for log in logs[:MOST_NAMED]]
        )
        for logs in ranked
    ]
