"""What goes along with a first run: what other cohorts proved and nobody spoke against, and what contradicts it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tuner.model.action import Hint
from tuner.model.agent_message import QueryDirectives
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.proof import MOST_AGE, Proof
from tuner.model.reason import ReasonCode
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.lent_changes import PROVEN_PER_LOST, Lent, lent_changes

from .histories import GB, MIDNIGHT, decided, hint, reorder, told

NOW = MIDNIGHT + timedelta(days=10)
HINT = decided(hint("q1"), Standing.PROMOTED)
ID = HINT.id
CLUSTER = Cluster(8, 4, 2, GB, GB)

OFF = {"spark.sql.autoBroadcastJoinThreshold": "-1"}


def proof(cohort: str = "a", *changes: DecidedChange, query: str = "q1", **known: Any) -> Proof:
    directives = QueryDirectives((query * 8)[:16], (f"db.{query}",), "c" * 16)
    found = Proof(cohort, query, NOW - timedelta(days=2), "4.0.1", CLUSTER, changes or (HINT,), directives, 6.0, 3)
    return replace(found, **known)


def lost(cohort: str, *ids: str) -> Proof:
    return Proof(cohort, "q1", NOW, "4.0.1", CLUSTER, taken_out=ids or (ID,))


def said(ruling: Ruling, cohort: str = "a", id_: str = ID) -> Verdict:
    return Verdict(cohort, id_, ruling, "ana", NOW)


def lend(*proofs: Proof, verdicts: Sequence[Verdict] = (), own: Sequence[Verdict] = (), **known: Any) -> list[Lent]:
    given: dict[str, Any] = {"modes": {}, "spark_version": "4.0.3", "conf": {}, **known}
    modes = given.pop("modes")
    return lent_changes(proofs, verdicts, modes, own, now=NOW, **given)


def test_what_one_job_proved_is_a_trial_of_another_and_does_not_say_whose_it_was() -> None:
    (lent,) = lend(proof("secret.dag", query="q1"))
    (found,) = lent.changes
    assert (found.id, found.standing, found.why.code) == (ID, Standing.TRIAL, ReasonCode.LENT)
    assert found.gained_seconds is None
    assert told(found) == (
        "5.0 s less; the same change to this query gained 6.0 s in 1 other job (3 runs with it, last 2 days ago)"
    )
    assert "secret" not in repr(lent)


def test_that_which_gained_most_comes_first_and_a_query_is_lent_by_one_job() -> None:
    other = decided(hint("q2"), Standing.PROMOTED, ["q2"])
    lent = lend(proof("a"), proof("b", gained_seconds=9.0), proof("c", other, query="q2", gained_seconds=7.0))
    assert [one.changes[0].id for one in lent] == [ID, other.id]
    assert lent[0].changes[0].why.numbers == {"jobs": 2, "runs": 6, "days": 2, "seconds": 9.0}


@pytest.mark.parametrize(
    "known",
    [
        {"modes": {"a": Mode.OBSERVE}},
        {"spark_version": "3.5.9"},
        {"conf": OFF},
        {"conf": {"spark.driver.memory": "4g"}},
        {"conf": {"spark.executor.memory": "2g"}},
        {"conf": {"spark.executor.cores": "8"}},
        {"conf": {"spark.master": "local[4]"}},
        {"verdicts": [said(Ruling.REJECT)]},
        {"verdicts": [said(Ruling.ROLL_BACK)]},
        {"own": [said(Ruling.REJECT, "mine")]},
        {"own": [said(Ruling.ROLL_BACK, "mine")]},
    ],
)
def test_what_people_said_and_what_the_run_is_submitted_with_speak_against_it(known: dict[str, Any]) -> None:
    assert lend(proof(), **known) == []


@pytest.mark.parametrize(
    "known",
    [
        {"modes": {"a": Mode.SUGGEST, "b": Mode.OBSERVE}},
        {"modes": {"a": None}},
        {"spark_version": ""},
        {"conf": {"spark.master": "yarn", "spark.driver.memory": "1g", "spark.executor.cores": "2"}},
        {"verdicts": [said(Ruling.REJECT, "b")]},
        {"verdicts": [said(Ruling.REJECT), said(Ruling.APPROVE)]},
        {"own": [said(Ruling.APPROVE, "mine")]},
    ],
)
def test_what_is_said_of_others_does_not(known: dict[str, Any]) -> None:
    assert len(lend(proof(), **known)) == 1


def test_who_switched_broadcasts_off_is_lent_what_broadcasts_nothing() -> None:
    hashed = decided(hint("q1", value=Hint.SHUFFLE_HASH), Standing.PROMOTED)
    order = decided(reorder("q1"), Standing.PROMOTED)
    with_it = decided(hint("q1"), Standing.PROMOTED, needs=order.id)
    assert len(lend(proof("a", hashed), conf=OFF)) == 1
    assert len(lend(proof("a", order), conf=OFF)) == 1
    assert lend(proof("a", order, with_it), conf=OFF) == [], "an order does not go without its broadcast"


def test_a_job_in_which_it_lost_outweighs_two_in_which_it_won() -> None:
    winners = [proof(f"winner {number}") for number in range(PROVEN_PER_LOST)]
    assert lend(*winners[:-1], lost("loser")) == []
    assert len(lend(*winners, lost("loser"))) == 1
    assert lend(*winners, lost("loser"), lost("another")) == []
    assert len(lend(*winners[:1], lost("loser", "hint_join:other"))) == 1


def test_one_that_a_person_refused_in_one_job_has_lost_there() -> None:
    refused = [said(Ruling.REJECT, "b")]
    assert len(lend(proof("a"), proof("b"), verdicts=refused)) == 0
    more = [proof(f"winner {number}") for number in range(PROVEN_PER_LOST)]
    assert len(lend(*more, proof("b"), verdicts=refused)) == 1


def test_what_is_old_neither_lends_nor_speaks_against() -> None:
    old = NOW - MOST_AGE - timedelta(days=1)
    assert lend(proof(told_at=old)) == []
    assert len(lend(proof(), replace(lost("loser"), told_at=old))) == 1


def test_what_gained_nothing_is_not_lent() -> None:
    assert lend(proof(gained_seconds=0.0)) == []


def test_two_queries_that_read_the_same_are_not_both_lent() -> None:
    other = decided(hint("q2"), Standing.PROMOTED, ["q2"])
    same = proof().directives
    (lent,) = lend(proof(), proof("b", other, query="q2", directives=same, gained_seconds=1.0))
    assert lent.changes[0].id == ID
