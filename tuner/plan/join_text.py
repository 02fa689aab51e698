"""What a join prints: the keys of both sides, and behind them its type and build side."""

from __future__ import annotations

import re

from tuner.model.strategy import BuildSide, JoinType
from tuner.plan.expression import bracketed, split_keys
from tuner.plan.memoize_by_text import by_text

_TYPE = re.compile(r"\b(Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|ExistenceJoin|LeftSingle)\b")
_BUILD = re.compile(r"\bBuild(Left|Right)\b")
RIGHT_OUTER = "RightOuter"


@by_text
def printed_type(text: str) -> tuple[str, BuildSide | None]:
    """The type, as printed, and the build side that stand behind a join's keys."""
    found, build = _TYPE.search(text), _BUILD.search(text)
    return found[1] if found else JoinType.UNKNOWN.value, BuildSide(build[1].lower()) if build else None


@by_text
def printed_keys(text: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The keys of both sides that a join prints, and its text behind them."""
    left = bracketed(text)
    if left is None:
        return (), (), text
    right = bracketed(text, left[1])
    if right is None:
        return tuple(split_keys(left[0])), (), text[left[1] :]
    return tuple(split_keys(left[0])), tuple(split_keys(right[0])), text[right[1] :]
