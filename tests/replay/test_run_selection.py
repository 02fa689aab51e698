"""Which cohorts a replay is of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tuner.replay.run_selection import RunSelection


@pytest.mark.parametrize("name", ["load [daily]", "what?", "a*b", "[!x]", "[", "etl.load"])
def test_a_cohort_is_asked_for_by_its_own_name_whatever_stands_in_it(name: str) -> None:
    """It is what a replay offers where none was asked for, and what `status` shows."""
    chosen = RunSelection(name)
    assert chosen.asks_for(name, {name, "other"})
    assert chosen.unnamed([name, "other"]) == ()


def test_a_pattern_asks_for_all_that_match() -> None:
    chosen, known = RunSelection("etl.*"), {"etl.a", "etl.b", "ETL.a", "other"}
    assert {name for name in known if chosen.asks_for(name, known)} == {"etl.a", "etl.b"}
    assert chosen.unnamed(["b", "a"]) == ("a", "b")


def test_one_run_that_is_not_yet_does_not_leave_out_those_of_the_last_months() -> None:
    """A machine's clock was a year ahead when it ran a job."""
    now, month = datetime.now(UTC), timedelta(days=31)
    start = RunSelection(months=1).start(now + timedelta(days=365))
    assert start is not None and now - month < start < now
    assert RunSelection().start(now) is None
