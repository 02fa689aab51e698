"""What a cohort's runs come to, kept for lists of many cohorts: figures, what each change gained, where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.history.store import Store
from tuner.model.cohort_figures import CohortFigures
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision
from tuner.model.run import Run
from tuner.policy.cohort_figures import cohort_figures
from tuner.policy.savings import savings


def keep_books(store: Store, cohort: str, runs: Sequence[Run], outlook: Decision | None) -> CohortFigures | None:
    """After a run: `runs` are the cohort's newest, oldest first, `outlook` the decision for the next (None: not known). Returns
    the figures (None: nothing was measured).

    What earlier runs gained is known better with every run: it is told anew for all of these.
    """
    gained = savings(runs)
    figures = cohort_figures(runs, gained)
    if figures is not None:
        store.keep_books(cohort, figures, {run.key: run.started_at for run in runs}, gained)
    if outlook is not None:
        store.keep_stance(cohort, stance_of(outlook))
    return figures
