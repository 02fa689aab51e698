"""`spark-tuner mode`: how much the tuner may do to a cohort, as the panel sets it too."""

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
from tuner.loop.stance_now import decided_now, keep_stance_now
from tuner.model.decision import Mode
from tuner.model.verdict import ModeChange
from tuner.person import this_person
from tuner.words.decisions import STEERING_OFF
from tuner.words.sizes import given_back_words


class ModeOrDefault(StrEnum):
    OBSERVE = "observe"
    SUGGEST = "suggest"
    AUTO = "auto"
    DEFAULT = "default"


Wanted = Annotated[
    ModeOrDefault, typer.Argument(metavar="MODE", help="observe, suggest, auto, or default: what the job itself says.")
]


def mode(cohort: Cohort, wanted: Wanted, reason: Reason = "", url: Url = None) -> None:
    """Set how much may be done to a cohort from its next run on: it beats what the job says."""
    chosen = None if wanted is ModeOrDefault.DEFAULT else Mode(wanted.value)
    with Store.open(stored_url(url)) as store:
        require_known(store, cohort)
        before = decided_now(store, cohort)
        store.set_mode(ModeChange(cohort, chosen, this_person(), datetime.now(UTC), reason))
        now = keep_stance_now(store, cohort)
    set_ = f"mode {chosen}" if chosen else "the mode of the job"
    given_back = given_back_words(before, now) if before and now else []
    off = [STEERING_OFF] if now and now.steering_off else []
    told = [f"{set_}: from the next run of {cohort} on", *(f"  {line}" for line in [*given_back, *off])]
    print_lines(console(), told)
    print_to_copy(console(), where_said(store, url))
