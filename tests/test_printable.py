"""What a log or a file name holds cannot steer the terminal it is shown on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.printable import printable, visible


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_text_becomes_one_line_that_can_be_encoded(text: str) -> None:
    line = printable(text)
    assert len(line) == len(text)
    assert line.encode().decode() == line
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in line)
    assert len(line.splitlines()) <= 1


@pytest.mark.parametrize("text", ["count at app.py:12", "größte Städte", "日本語 テーブル", "a b", "emoji 🎉", ""])
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\tand\r\ntabs", "two lines and  tabs"),
        ("\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"),
        ("\x9b2J", "\ufffd2J"),
        ("abc\u202etxt.exe", "abc\ufffdtxt.exe"),
        ("caf\udce9", "caf\ufffd"),
        ("nul\x00", "nul\ufffd"),
    ],
)
def test_what_a_terminal_would_act_on_does_not(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("et\u200bl\u2060 \xad", "et\ufffdl\ufffd \ufffd"),
        ("sales\U000e0049\U000e0047 \x1b", "sales\ufffd\ufffd \ufffd"),
        ("می\u200cخواهم 🎉", "می\u200cخواهم 🎉"),
    ],
)
def test_what_people_would_not_see_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_limit_cuts_with_an_ellipsis() -> None:
    assert printable("x" * 10, 10) == "x" * 10
    assert printable("x" * 11, 10) == "x" * 9 + "…"
