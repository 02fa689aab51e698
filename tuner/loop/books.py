"""What a cohort's runs come to, kept for lists of many cohorts: figures, what each change gained, where it stands."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tuner.history.store import Store
from tuner.model.cohort_figures import Gained
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision
from tuner.model.run import Run
from tuner.model.saving import Saving
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.cohort_figures import cohort_figures
from tuner.policy.measure import latest_usable, usable
from tuner.policy.savings import savings

# So many of a cohort's newest runs are told anew.
BOOKED_RUNS = 60
# Where none of these was without what is in force now, so many older ones that were without are the evidence.
CONTROL_RUNS = 5


def keep_books(
    store: Store, cohort: str, outlook: Decision | None, key: str = "", most: int = BOOKED_RUNS
) -> Gained | None:
    """After a run of a cohort: `outlook` is the decision for the next (None: not known). Returns what was booked of the run with
    this key (None: nothing).

    What the newest runs gained is known better with every run, and told anew for up to `most` of them; a booking that no run
    tells of any more stays as it was.
    """
    runs = store.runs(cohort, most, brief=True)
    if not runs:
        return None
    controls = [] if _has_controls(runs) else store.never_booked(cohort, runs[0].started_at, CONTROL_RUNS)
    known, own = [*controls, *runs], {run.key: run.started_at for run in runs}
    booked = [saving for saving in savings(known) if saving.run_key in own]
    store.keep_books(cohort, cohort_figures(known), own, booked)
    if outlook is not None:
        store.keep_stance(cohort, stance_of(outlook))
    return _together([saving for saving in booked if saving.run_key == key])


def _has_controls(runs: Sequence[Run]) -> bool:
    """Whether of each change, and of the sizes, of the latest run some other was without."""
    latest = latest_usable(runs)
    if latest is None:
        return True
    rest = [run for run in runs if usable(run)]
    in_force = [{d.id for d in changes_in_effect(run)} for run in rest]
    sized = [bool(run.decision.sizes) for run in rest]
    now = {d.id for d in changes_in_effect(latest)}
    return all(any(id_ not in ids for ids in in_force) for id_ in now) and not (latest.decision.sizes and all(sized))


def _together(booked: Sequence[Saving]) -> Gained | None:
    if not booked:
        return None
    hours = [saving.core_hours for saving in booked if saving.core_hours is not None]
    deviation = math.sqrt(sum(saving.variance_of_run for saving in booked))
    return Gained(sum(saving.seconds for saving in booked), deviation, sum(hours) if hours else None)
