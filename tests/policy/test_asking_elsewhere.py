"""Whether a decision would be made again as it was is asked of no more of other cohorts than it rests on, and of no less."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.conftest import AT_LENGTH
from tuner.model.action import Hint
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling
from tuner.policy.asking_elsewhere import asking_elsewhere
from tuner.policy.decide import decide
from tuner.policy.tried_elsewhere import Tried, asked_elsewhere, kinds_of_change

from .histories import Cohort, advised, conf, decided, hint, recommend, reorder, situation, verdict

PROVEN = decided(hint("q1"), Standing.PROMOTED)
NEW = recommend(hint("q2", value=Hint.SHUFFLE_HASH))


def asking(*changes: DecidedChange) -> set[str]:
    return {change.id for change in asking_elsewhere(NEW, Decision(Mode.AUTO, changes))}


@pytest.mark.parametrize("standing", Standing)
def test_what_a_cohort_has_on_record_itself_asks_nobody(standing: Standing) -> None:
    known = {Standing.PROMOTED, Standing.PINNED, Standing.ROLLED_BACK, Standing.EXPIRED}
    expected = {NEW[0].id} | (set() if standing in known else {hint().id})
    assert asking(decided(hint(), standing)) == expected


@pytest.mark.parametrize(
    ("code", "asks"), [(ReasonCode.MAY_LOSE, False), (ReasonCode.LOST_ALIKE, False), (ReasonCode.LOST_ELSEWHERE, True)]
)
def test_nor_does_what_is_held_whatever_others_say(code: ReasonCode, asks: bool) -> None:
    held = replace(decided(hint("q1"), Standing.HELD), held=Reason(code, {}))
    assert (hint().id in asking(held)) is asks


def test_nor_does_a_hint_of_a_kind_that_is_proven_here() -> None:
    other = decided(hint("q2"), Standing.HELD)
    assert other.id in asking(other)
    assert other.id not in asking(other, PROVEN)


def test_what_comes_with_an_order_asks_nobody_and_the_order_does() -> None:
    order, rides = recommend(reorder("q1"), hint("q1"))
    changes = [DecidedChange(change, Standing.HELD, change.reason) for change in (order, rides)]
    assert asking(*changes) == {NEW[0].id, order.id}


def test_a_proven_property_asks_where_it_would_be_tried_as_one_with_another() -> None:
    (both,) = recommend(conf("a", "1"), conf("b", "1"))
    proven = DecidedChange(both, Standing.PROMOTED, both.reason)
    assert both.id not in asking(proven)
    assert both.id in asking(proven, decided(conf("a", "9"), Standing.HELD))


POOL = [
    recommend(hint("q1")),
    recommend(hint("q1", "another")),
    recommend(hint("q2"), queries=("q2",)),
    recommend(hint("q2", value=Hint.SHUFFLE_HASH), queries=("q2",), high=12),
    recommend(reorder("q1"), hint("q1", "third")),
    recommend(conf("a", "1"), conf("b", "1"), queries=("q1", "q2")),
    recommend(conf("a", "9"), queries=("q1", "q2")),
    recommend(conf("c", "4"), queries=("q2",)),
]
ACTIONS = sorted({action for trial in POOL for change in trial for action in change.actions}, key=lambda a: a.id)
KINDS = sorted({kind for trial in POOL for change in trial for kind in kinds_of_change(change)})


def _standings(decision: Decision) -> dict[str, object]:
    return {d.id: (d.standing, d.why.code, d.held and d.held.code) for d in decision.changes}


@pytest.mark.parametrize("seed", range(60 if AT_LENGTH else 15))
def test_where_what_is_asked_is_the_same_so_is_the_decision(seed: int) -> None:
    chance = random.Random(seed)
    effects = {a.id: {q: chance.choice([0.4, 0.8, 1.0, 1.6]) for q in ("q1", "q2")} for a in ACTIONS}
    cohort = Cohort({"q1": 40, "q2": 60}, chance.sample(POOL, chance.randint(1, 4)), effects, noise=0.02, seed=seed)
    if chance.random() < 0.3:
        cohort.verdicts.append(verdict(chance.choice(ACTIONS), chance.choice(list(Ruling)), night=1.5))
    cohort.nights(chance.randint(1, 9))
    changes = advised(*chance.sample(POOL, chance.randint(1, 5)))

    def elsewhere() -> dict[str, Tried]:
        return {kind: Tried(chance.choice([0, 0, 1, 5]), chance.choice([0, 2, 4, 9])) for kind in KINDS}

    found = dict[str, dict[str, object]]()
    for told in (elsewhere() for _ in range(40)):
        given = situation(Mode.AUTO, 1, cohort.runs, [changes], cohort.verdicts, elsewhere=told)
        made = decide(given)
        asked = str(asked_elsewhere(asking_elsewhere(changes, made), told))
        assert found.setdefault(asked, _standings(made)) == _standings(made)
