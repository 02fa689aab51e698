"""What could not be read is told by its reason."""

from __future__ import annotations

from tuner.replay.cohort_replay import UnreadLog
from tuner.replay.report.unread import MOST_NAMED, UnreadGroup, grouped


def test_reasons_that_only_numbers_tell_apart_are_one_and_most_logs_come_first() -> None:
    cut = [UnreadLog(f"/logs/{n}", f"breaks off at byte {n * 17}") for n in range(3)]
    other = UnreadLog("/logs/x", "ran no SQL query")
    assert grouped([other, *cut]) == [
        UnreadGroup("breaks off at byte …", 3, ["/logs/0", "/logs/1", "/logs/2"]),
        UnreadGroup("ran no SQL query", 1, ["/logs/x"]),
    ]


def test_the_same_reason_is_told_in_full() -> None:
    (group,) = grouped(UnreadLog(f"/logs/{n}", "line 3 of /a is cut") for n in range(2))
    assert group.why == "line 3 of /a is cut"


def test_of_many_logs_some_are_named_and_all_are_counted() -> None:
    (group,) = grouped(UnreadLog(f"/logs/{n}", "no") for n in range(1000))
    assert (group.logs, len(group.named)) == (1000, MOST_NAMED)


def test_names_that_are_no_text_are_told_as_far_as_they_are() -> None:
    (group,) = grouped([UnreadLog("/logs/\udcff", "bad name \udcff")])
    assert (group.named, group.why) == (["/logs/\ufffd"], "bad name \ufffd")
