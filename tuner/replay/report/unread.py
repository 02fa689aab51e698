"""Logs that were not used, or not whole, by the reason: a thousand with the same one are one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tuner.panel.views.texts import shortened
from tuner.printable import printable
from tuner.replay.cohort_replay import UnreadLog

# Of each reason, as many logs are named as somebody would look into.
MOST_NAMED = 50
_MOST_COMPARED = 500
# What differs between logs that have the same thing wrong with them: counts, offsets, ids, paths.
_VARYING = re.compile(r"\S*[\d/]\S*")


@dataclass(frozen=True, slots=True)
class UnreadGroup:
    """`logs` logs, of which the first MOST_NAMED are in `named`; in `why` an ellipsis stands for what differs."""

    why: str
    logs: int
    named: list[str]


def grouped(unread: Iterable[UnreadLog]) -> list[UnreadGroup]:
    """Reasons that most logs have first; two that only numbers or paths tell apart are one."""
    groups: dict[str, list[UnreadLog]] = {}
    for log in unread:
        groups.setdefault(_VARYING.sub("…", log.why[:_MOST_COMPARED]), []).append(log)
    ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return [_group(alike, logs) for alike, logs in ranked]


def _group(alike: str, logs: list[UnreadLog]) -> UnreadGroup:
    why = logs[0].why if len({log.why for log in logs}) == 1 else alike
    return UnreadGroup(shortened(printable(why)), len(logs), [printable(log.log, 500) for log in logs[:MOST_NAMED]])
