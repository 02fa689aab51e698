"""Results kept by text."""

from __future__ import annotations

from tuner.plan.memoize_by_text import by_text


def test_a_text_is_read_once_unless_it_is_long() -> None:
    read: list[int] = []

    @by_text
    def length(text: str) -> int:
        read.append(len(text))
        return len(text)

    assert [length("x" * n) for n in (3, 3, 1_000_000, 1_000_000)] == [3, 3, 1_000_000, 1_000_000]
    assert read == [3, 1_000_000, 1_000_000]


def test_what_is_kept_is_bounded() -> None:
    read: list[str] = []
    keep = by_text(lambda text: read.append(text))
    for number in [*range(5_000), 0]:
        keep(str(number))
    assert read.count("0") == 2
