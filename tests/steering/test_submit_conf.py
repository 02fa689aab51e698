"""A decision as Spark properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy.histories import decided, said
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.steering.submit_conf import (
    CHANGES,
    COHORT,
    DECISION,
    EVENT_LOG_ENABLED,
    EXPLAIN_MODE,
    KEY,
    LOG_PEAKS,
    MOST_FIELDS,
    RUN,
    changes_digest,
    marker,
    observing_conf,
    steering_conf,
)

PARTITIONS = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16")
THRESHOLD = Action(ActionKind.SET_CONF, "spark.sql.autoBroadcastJoinThreshold", "18000000")
HINT = Action(ActionKind.HINT_JOIN, "sig", Hint.BROADCAST, "q1", ("dim",))


def decision(*actions: Action, standing: Standing = Standing.TRIAL) -> Decision:
    return Decision(Mode.AUTO, tuple(decided(action, standing) for action in actions))


def test_what_is_in_force_is_set() -> None:
    found = steering_conf(decision(PARTITIONS, THRESHOLD, HINT), {"spark.app.name": "etl"})
    assert found.conf == {PARTITIONS.target: "16", THRESHOLD.target: "18000000"}
    assert found.overruled == ()


@pytest.mark.parametrize("standing", [Standing.PROPOSED, Standing.HELD, Standing.ROLLED_BACK])
def test_what_is_not_in_force_is_not(standing: Standing) -> None:
    assert steering_conf(decision(PARTITIONS, standing=standing), {}).conf == {}


def test_the_users_own_setting_wins_and_is_reported() -> None:
    found = steering_conf(decision(PARTITIONS, THRESHOLD), {PARTITIONS.target: "500"})
    assert found.conf == {THRESHOLD.target: "18000000"}
    assert found.overruled == ((PARTITIONS, "the job itself sets spark.sql.shuffle.partitions=500"),)


def test_what_is_held_for_what_the_program_sets_is_not_set() -> None:
    held = replace(
        decided(PARTITIONS, Standing.HELD),
        held=Reason(ReasonCode.OVERRULED, {"property": PARTITIONS.target, "value": "64"}),
    )
    found = steering_conf(Decision(Mode.AUTO, (held,)), {})
    assert (found.conf, found.overruled) == ({}, ())


def test_a_run_can_be_found_by_its_key_and_read() -> None:
    conf = observing_conf("etl.load", "etl/run/load/-1/1", {EVENT_LOG_ENABLED: "true"}, decision(PARTITIONS))
    assert conf == {
        EVENT_LOG_ENABLED: "true",
        EXPLAIN_MODE: "cost",
        MOST_FIELDS: "100",
        LOG_PEAKS: "true",
        KEY: "etl/run/load/-1/1",
        RUN: "etl/run/load/-1/1",
        COHORT: "etl.load",
        DECISION: "1 on trial",
        CHANGES: changes_digest(decision(PARTITIONS)),
    }


def test_what_tells_decisions_apart_is_what_they_change_and_where_it_stands() -> None:
    told = changes_digest(decision(PARTITIONS, HINT))
    assert told == changes_digest(decision(HINT, PARTITIONS))
    others = (
        decision(PARTITIONS),
        decision(PARTITIONS, THRESHOLD),
        decision(PARTITIONS, HINT, standing=Standing.PINNED),
    )
    assert told not in {changes_digest(other) for other in others}


def test_what_is_set_together_is_overruled_together() -> None:
    both = Change.of("test", (PARTITIONS, THRESHOLD), (), said("why"), (), None)
    found = steering_conf(
        Decision(Mode.AUTO, (DecidedChange(both, Standing.TRIAL, both.reason),)), {PARTITIONS.target: "500"}
    )
    assert found.conf == {}
    assert [action for action, _ in found.overruled] == [PARTITIONS, THRESHOLD]


@pytest.mark.parametrize("key", ["token_refresh/1/1", "Load Passwords/1", "äpfel/1", "a\0b/1", "a\nb", "", "x" * 600])
def test_a_key_that_would_not_come_back_as_it_is_stands_as_a_digest(key: str) -> None:
    """Spark blots out values that look like secrets, in the event log too; a command line mangles others."""
    assert marker(key).startswith("run-")
    assert marker(key) == marker(key) != marker(key + "2")


@given(st.text(), st.text(), st.text())
def test_whatever_the_names_the_properties_fit_a_command_line(cohort: str, key: str, summary: str) -> None:
    conf = observing_conf(cohort, key, {}, Decision(Mode.AUTO, (), unsteered=said(summary)))
    assert all(value.isascii() and value.isprintable() and len(value) <= 500 for value in conf.values())


def test_where_the_event_log_is_anothers_none_of_its_properties_is_set() -> None:
    conf = observing_conf("etl.load", "etl/run/load/-1/1", {}, decision(PARTITIONS))
    assert not any(name.startswith("spark.eventLog.") for name in conf)
