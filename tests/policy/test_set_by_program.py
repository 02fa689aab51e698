"""What a job's program sets by itself beats what is submitted: that is no trial, and is not tried for as long as it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tuner.model.decision import Standing
from tuner.model.run import Run
from tuner.policy.changes_in_effect import changes_in_effect, held_in, not_followed
from tuner.policy.ledger import read_ledger
from tuner.policy.set_by_program import set_by_program
from tuner.words.reasons import reason_words

from .histories import conf, decided, run

PARTITIONS = conf()
NAME = PARTITIONS.target


def night(number: int, had: Mapping[str, str], *, seconds: float = 10, standing: Standing | None = None) -> Run:
    """A run with the properties that its log tells, submitted with 16 partitions where these have a standing."""
    found = run(number, {"q1": seconds}, *([decided(PARTITIONS, standing)] if standing else ()))
    assert found.outcome is not None
    return replace(found, outcome=replace(found.outcome, conf=dict(had)))


@pytest.mark.parametrize("standing", [Standing.TRIAL, Standing.PROMOTED, Standing.PINNED])
def test_a_property_that_the_run_had_otherwise_was_not_in_force(standing: Standing) -> None:
    beaten = night(1, {NAME: "64"}, standing=standing)
    assert (changes_in_effect(beaten), not_followed(beaten)) == ([], {})
    assert {id_: reason_words(why) for id_, why in held_in(beaten).items()} == {
        PARTITIONS.id: f"held in run etl/1/1: the job itself sets {NAME}=64"
    }


@pytest.mark.parametrize("had", [{NAME: "16"}, {"spark.sql.ansi.enabled": "true"}, {}])
def test_one_that_it_had_or_that_its_log_does_not_tell_was(had: Mapping[str, str]) -> None:
    assert [d.id for d in changes_in_effect(night(1, had, standing=Standing.TRIAL))] == [PARTITIONS.id]


@pytest.mark.parametrize("seconds", [1, 10, 99])
def test_its_times_are_neither_its_win_nor_its_loss(seconds: float) -> None:
    runs = [night(0, {}), night(1, {NAME: "64"}, seconds=seconds, standing=Standing.TRIAL)]
    assert read_ledger(runs) == {}


def test_it_is_the_programs_as_long_as_it_is_set_and_until_a_run_had_the_tuners() -> None:
    first, beaten = night(0, {NAME: "64"}), night(1, {NAME: "64"}, standing=Standing.TRIAL)
    assert set_by_program([first]) == {}, "it may come from spark-defaults.conf, which a job may leave"
    assert set_by_program([first, beaten]) == {NAME: "64"}
    assert set_by_program([first, beaten, night(2, {NAME: "72"})]) == {NAME: "72"}
    assert set_by_program([first, beaten, night(2, {})]) == {NAME: "64"}, "a log may tell no properties"
    assert set_by_program([first, beaten, night(2, {"spark.sql.ansi.enabled": "true"})]) == {}
    assert set_by_program([first, beaten, night(2, {NAME: "16"}, standing=Standing.TRIAL)]) == {}
