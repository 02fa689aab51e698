"""What runs have a part in whose end nobody saw: as long as they may go on, or where several were never heard of again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from tuner.model.run import Run, RunState
from tuner.policy.end_of_run import under_way

# Of so many runs nobody saw the end: what they have in common may be what ends them, and their workers.
MOST_UNSEEN = 2


def in_runs_not_ended(
    runs: Sequence[Run], now: datetime | None, ids_of: Callable[[Run], Iterable[str]]
) -> dict[str, str]:
    """By the id of a change (`ids_of` a run), the key of the first run that has it and may go on, or of several that were not
    heard of since."""
    goes_on = under_way([run.mark for run in runs], now)
    unseen: dict[str, list[str]] = {}
    for run in runs:
        for id_ in ids_of(run) if run.state is RunState.RUNNING else ():
            unseen.setdefault(id_, []).append(run.key)
    return {id_: keys[0] for id_, keys in unseen.items() if len(keys) >= MOST_UNSEEN or not goes_on.isdisjoint(keys)}
