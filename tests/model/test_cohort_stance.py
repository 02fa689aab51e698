"""Where a decision for the next run leaves its cohort."""

from __future__ import annotations

import pytest

from tests.panel.nights import HINT, PARTITIONS, decided
from tuner.model.action import Action, ActionKind
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import CohortState, Decision, Mode, Standing

S = Standing
STATISTICS = Action(ActionKind.ANALYZE_TABLE, "shop.sales", "day")


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
    decision = Decision(Mode.AUTO, tuple(decided(PARTITIONS, s) for s in standings))
    assert stance_of(decision).state is state


@pytest.mark.parametrize(("mode", "waiting"), [(Mode.OBSERVE, 0), (Mode.SUGGEST, 2), (Mode.AUTO, 2)])
def test_what_waits_for_a_person(mode: Mode, waiting: int) -> None:
    """In mode auto what can be tried by itself is on trial, not proposed."""
    changes = (decided(HINT), decided(STATISTICS), decided(PARTITIONS, S.HELD))
    assert stance_of(Decision(mode, changes)).waiting == waiting


def test_what_needs_each_other_counts_once() -> None:
    order = decided(Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1"), S.TRIAL)
    hint = decided(HINT, S.TRIAL, needs=order.id)
    assert stance_of(Decision(Mode.AUTO, (order, hint, decided(PARTITIONS, S.PROMOTED)))).in_force == 2
