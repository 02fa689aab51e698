"""One word for where a cohort stands."""

from __future__ import annotations

import pytest

from tests.panel.nights import PARTITIONS, decided
from tuner.model.decision import CohortState, Decision, Mode, Standing
from tuner.panel.views.state import state_of

S = Standing


@pytest.mark.parametrize(
    ("standings", "state"),
    [
        ([], CohortState.OBSERVING),
        ([S.PROPOSED, S.HELD], CohortState.OBSERVING),
        ([S.TRIAL, S.PROMOTED, S.ROLLED_BACK], CohortState.TRIAL),
        ([S.PROMOTED, S.ROLLED_BACK], CohortState.TUNED),
        ([S.PINNED], CohortState.TUNED),
        ([S.ROLLED_BACK, S.PROPOSED], CohortState.ROLLED_BACK),
        ([S.EXPIRED], CohortState.ROLLED_BACK),
        ([S.HELD, S.HELD], CohortState.HELD),
    ],
)
def test_state(standings: list[Standing], state: CohortState) -> None:
    assert state_of(Decision(Mode.AUTO, tuple(decided(PARTITIONS, s) for s in standings))) is state


def test_a_decision_that_cannot_be_read_is_no_reason_to_fail() -> None:
    assert state_of(None) is CohortState.OBSERVING
