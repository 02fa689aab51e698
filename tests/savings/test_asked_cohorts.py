"""The cohorts that a pattern asks for."""

from __future__ import annotations

import pytest

from tuner.savings.asked_cohorts import is_asked


@pytest.mark.parametrize(
    ("cohort", "pattern", "asked"),
    [
        ("etl.load", "*", True),
        ("etl.load", "etl.*", True),
        ("etl.load", "etl.l?ad", True),
        ("etl.load", "ETL.*", False),
        ("load [x]", "load [x]", True),
        ("load [x]", "load [?]", True),
        ("load [x]", "* [x]", True),
        ("load x", "load [x]", False),
        ("load []", "load []", True),
        ("load []]", "load []]", True),
        ("load [", "load [", True),
    ],
)
def test_stars_and_question_marks_stand_for_any_text_and_brackets_for_themselves(
    cohort: str, pattern: str, asked: bool
) -> None:
    assert is_asked(cohort, pattern) is asked
