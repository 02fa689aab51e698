"""What the pictures of benches are called."""

from __future__ import annotations

from tuner.bench.report.picture_names import picture_names


def test_a_picture_is_called_as_its_directory() -> None:
    assert picture_names(["ssb-10", "joins-2"]) == ["ssb-10", "joins-2"]


def test_one_more_renames_no_other() -> None:
    before = ["ssb", "tpch"]
    assert picture_names([before[0], "tpcds", before[1]])[::2] == picture_names(before)


def test_two_of_one_name_are_told_apart() -> None:
    """As on a disk that does not tell capitals apart, too."""
    assert picture_names(["bench", "Bench"]) == ["bench-1", "bench-2"]


def test_what_a_link_would_not_hold_is_left_out() -> None:
    assert picture_names(["my bench (2)", "", "ßß"]) == ["my-bench-2", "2", "3"]


def test_a_place_makes_none_that_another_has() -> None:
    assert picture_names(["bench-2", "bench", "bench"]) == ["bench-2", "bench-2-2", "bench-3"]
