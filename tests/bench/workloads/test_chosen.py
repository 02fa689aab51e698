"""Queries by the names that people give them."""

from __future__ import annotations

import pytest

from tuner.bench.workloads.chosen import chosen
from tuner.errors import TunerError

THERE = ("q01", "q10", "q1.2", "q07b")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ([], list(THERE)),
        (["1", "q10"], ["q01", "q10"]),
        (["Q01", "01"], ["q01"]),
        (["1.2"], ["q1.2"]),
        (["7b", "q7B"], ["q07b"]),
    ],
)
def test_zeros_and_the_letter_may_be_left_out(asked: list[str], found: list[str]) -> None:
    assert chosen(THERE, asked, "these") == found


def test_an_unknown_one_is_told() -> None:
    with pytest.raises(TunerError, match="these: no query 2, q; there are q01, q10"):
        chosen(THERE, ["1", "2", "q"], "these")
