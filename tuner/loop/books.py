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
from tuner.policy.cohort_figures import cohort_figures
from tuner.policy.savings import savings


def keep_books(store: Store, cohort: str, runs: Sequence[Run], outlook: Decision | None) -> Gained | None:
    """After a run: `runs` are the cohort's newest, oldest first, `outlook` the decision for the next (None: not known). Returns
    what was booked of the newest (None: nothing).

    What earlier runs gained is known better with every run: it is told anew for all of these.
    """
    booked, figures = savings(runs), cohort_figures(runs)
    if figures is not None:
        store.keep_books(cohort, figures, {run.key: run.started_at for run in runs}, booked)
    if outlook is not None:
        store.keep_stance(cohort, stance_of(outlook))
    return _together([saving for saving in booked if saving.run_key == runs[-1].key]) if runs else None


def _together(booked: Sequence[Saving]) -> Gained | None:
    if not booked:
        return None
    hours = [saving.core_hours for saving in booked if saving.core_hours is not None]
    deviation = math.sqrt(sum(saving.deviation**2 for saving in booked))
    return Gained(sum(saving.seconds for saving in booked), deviation, sum(hours) if hours else None)
