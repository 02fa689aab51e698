"""What a cohort may be called."""

from __future__ import annotations

import pytest

from tuner.history.cohort_name import MOST_CHARACTERS, flaw, is_storable, made_safe

FLAWED = {
    "": "blank",
    " \u2003": "blank",
    "x" * (MOST_CHARACTERS + 1): "251 characters, more than 250",
    "a\0": "cannot be printed",
    "a\nb": "cannot be printed",
    "\u202eetl": "cannot be printed",
    "a\ud800": "cannot be printed",
}


@pytest.mark.parametrize("name", ["etl.load", "n", "a/b", "..", "日次 'x' \"y\"", "x" * MOST_CHARACTERS])
def test_names(name: str) -> None:
    assert (flaw(name), made_safe(name)) == ("", name)


@pytest.mark.parametrize(("name", "why"), FLAWED.items(), ids=[ascii(name)[:12] for name in FLAWED])
def test_flaws(name: str, why: str) -> None:
    assert why in flaw(name)
    safe = made_safe(name)
    assert not flaw(safe) or (safe == "" and why == "blank")


def test_what_is_cut_is_told_apart() -> None:
    assert made_safe("x" * 300) != made_safe("x" * 301)


def test_what_databases_take() -> None:
    assert [is_storable(text) for text in ("\u202e", "a\0", "\udc00")] == [True, False, False]
