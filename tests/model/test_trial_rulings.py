"""Which changes of a trial a person's word is on."""

from __future__ import annotations

import pytest

from tests.policy.histories import decided, hint, reorder
from tuner.model.decision import Standing
from tuner.model.trial_rulings import ruled_together, trial_rulings
from tuner.model.verdict import Ruling

ORDER = reorder()
HINTED = hint()


@pytest.mark.parametrize(
    ("standing", "of_hint", "ruling", "on"),
    [
        (Standing.PROMOTED, Standing.PROMOTED, Ruling.ROLL_BACK, {ORDER.id, HINTED.id}),
        (Standing.PROPOSED, Standing.PROPOSED, Ruling.APPROVE, {ORDER.id, HINTED.id}),
        # Of what is in force in part, what is proposed is approved or rejected by itself.
        (Standing.TRIAL, Standing.PROPOSED, Ruling.APPROVE, {HINTED.id}),
        (Standing.TRIAL, Standing.PROPOSED, Ruling.REJECT, {HINTED.id}),
        (Standing.TRIAL, Standing.PROPOSED, Ruling.ROLL_BACK, {ORDER.id, HINTED.id}),
        # Approved, what is pinned is measured again.
        (Standing.PINNED, Standing.PINNED, Ruling.APPROVE, {ORDER.id, HINTED.id}),
        # What the panel would not offer of the change that is named is on all.
        (Standing.TRIAL, Standing.PROPOSED, Ruling.PIN, {ORDER.id, HINTED.id}),
        (Standing.PROMOTED, Standing.PROMOTED, Ruling.REJECT, {ORDER.id, HINTED.id}),
    ],
)
def test_a_ruling_is_on_what_was_tried_together(
    standing: Standing, of_hint: Standing, ruling: Ruling, on: set[str]
) -> None:
    trial = (decided(ORDER, standing), decided(HINTED, of_hint, needs=ORDER.id))
    assert set(ruled_together(trial, HINTED.id, ruling)) == on


def test_what_is_pinned_can_be_measured_again() -> None:
    assert set(trial_rulings([decided(ORDER, Standing.PINNED)])) == {Ruling.APPROVE, Ruling.ROLL_BACK}
