"""Properties that a change would set and that a job has set already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tuner.model.action import ActionKind
from tuner.model.change import Change


def already_set(changes: Iterable[Change], conf: Mapping[str, str]) -> dict[str, str]:
    """Those of these changes that stand in a conf, with their values there.

    The conf of a log tells what its run had, not who set it: the job, or the defaults of its cluster.
    """
    actions = (action for change in changes for action in change.carried_out)
    return {a.target: conf[a.target] for a in actions if a.kind is ActionKind.SET_CONF and a.target in conf}
