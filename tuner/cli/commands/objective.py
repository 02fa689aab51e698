"""`spark-tuner objective`: what a cohort's changes are judged by."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from tuner.cli.options.cohort import Cohort, require_known
from tuner.cli.options.reason import Reason
from tuner.cli.options.store import Url, stored_url, where_said
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.history.store import Store
from tuner.model.objective import Objective
from tuner.model.verdict import ObjectiveChange
from tuner.person import this_person


class ObjectiveOrDefault(StrEnum):
    TIME = "time"
    COST = "cost"
    BALANCED = "balanced"
    DEFAULT = "default"


Wanted = Annotated[
    ObjectiveOrDefault,
    typer.Argument(metavar="OBJECTIVE", help="time, cost, balanced, or default: what the job itself says."),
]


def objective(cohort: Cohort, wanted: Wanted, reason: Reason = "", url: Url = None) -> None:
    """Set what a cohort's changes are judged by from its next run on: it beats what the job says."""
    chosen = None if wanted is ObjectiveOrDefault.DEFAULT else Objective(wanted.value)
    with Store.open(stored_url(url)) as store:
        require_known(store, cohort)
        store.set_objective(ObjectiveChange(cohort, chosen, this_person(), datetime.now(UTC), reason))
    set_ = f"objective {chosen}" if chosen else "the objective of the job"
    print_lines(console(), [f"{set_}: from the next run of {cohort} on"])
    print_to_copy(console(), where_said(store, url))
