"""Which cohorts a name or a pattern asks for: the same in `savings`, `replay` and `import`."""

from __future__ import annotations

import pytest

from tuner.history.asked_cohorts import is_asked, none_asked


@pytest.mark.parametrize(
    ("asked", "known", "found"),
    [
        ("*", ["etl.a", "other"], ["etl.a", "other"]),
        ("etl.*", ["etl.a", "etl.b", "ETL.a", "other"], ["etl.a", "etl.b"]),
        ("etl.l?ad", ["etl.load", "etl.lad"], ["etl.load"]),
        ("etl.a", ["etl.a", "etl.ab"], ["etl.a"]),
        ("", ["etl.a"], []),
        ("load [x]", ["load [x]", "load x"], ["load [x]"]),
        ("load [x]", ["load x"], []),
        ("load [?]", ["load [x]", "load ?"], ["load [x]"]),
        ("* [x]", ["load [x]", "load x"], ["load [x]"]),
        ("[!x]*", ["[!x] 1", "a"], ["[!x] 1"]),
        ("load []", ["load []", "load []]"], ["load []"]),
        ("load [", ["load ["], ["load ["]),
        (r"a\*", [r"a\b", "a*"], [r"a\b"]),
    ],
)
def test_stars_and_question_marks_stand_for_any_text_and_brackets_for_themselves(
    asked: str, known: list[str], found: list[str]
) -> None:
    assert [cohort for cohort in known if is_asked(cohort, asked, known)] == found


@pytest.mark.parametrize(
    ("asked", "known", "found"),
    [
        ("what?", ["what?", "whats"], ["what?"]),
        ("what?", ["what", "whats"], ["whats"]),
        ("a*b", ["a*b", "axb", "ab"], ["a*b"]),
        ("a*b", ["axb", "ab"], ["axb", "ab"]),
        ("a**b", ["a*b", "axb", "ab"], ["a*b", "axb", "ab"]),
    ],
)
def test_a_cohort_of_the_very_name_is_asked_for_alone(asked: str, known: list[str], found: list[str]) -> None:
    assert [cohort for cohort in known if is_asked(cohort, asked, known)] == found


def test_a_star_alone_is_all_whatever_a_cohort_is_called() -> None:
    """It is what a command takes where nothing is asked for."""
    assert is_asked("etl.a", "*", ["*", "etl.a"])
    assert is_asked("*", "*", ["*", "etl.a"])


def test_what_asks_for_nothing_is_told_with_what_there_is() -> None:
    assert none_asked("load [", {"d", "b\x1b", "a", "c"}) == (
        "no cohort matches 'load ['; there are: a, b\ufffd, c and 1 more; give such a name, or a pattern: "
        "* stands for any text, ? for one character"
    )
