"""Runs whose application died are repeated, once, when their bench is run again, and with them what learned from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tuner.bench.turn import Turn


def forget_what_followed_deaths(turns: Sequence[Turn], say: Callable[[str], None]) -> None:
    """Say which of these turns, all in the order of their runs, are run again. Of a contender that learns all that came after its
    first death is forgotten, also what is recorded elsewhere: its jobs share what it learned."""
    for name in dict.fromkeys(turn.contender.name for turn in turns):
        _forget([turn for turn in turns if turn.contender.name == name], say)


def _forget(turns: Sequence[Turn], say: Callable[[str], None]) -> None:
    for place, turn in enumerate(turns):
        died = turn.recorded
        if died is None or died.is_final:
            continue
        turn.records.require_like_those()
        also = ", with those after it" if turn.contender.learns else ""
        say(f"{turn.who}: run {turn.number} ended with code {died.exit_code} and is repeated{also}")
        if turn.contender.learns:
            _forget_after(turns, place)
            return


def _forget_after(turns: Sequence[Turn], place: int) -> None:
    """By numbers: there may be runs on record of turns that are none any more."""
    kept = {turn.records: 0 for turn in turns} | {turn.records: turn.number for turn in turns[: place + 1]}
    for records, number in kept.items():
        records.forget_after(turns[place].contender.name, number)
