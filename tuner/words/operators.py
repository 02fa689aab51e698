"""Operators that differ between two runs, in words."""

from __future__ import annotations

from tuner.compare.operator_difference import OperatorAmounts, OperatorDifference, OperatorKind
from tuner.printable import printable
from tuner.units import format_bytes, format_rows, format_seconds
from tuner.words.causes import operator_name

_MOST_NAME = 60
_KINDS = {
    OperatorKind.SCAN: "scan",
    OperatorKind.JOIN: "join",
    OperatorKind.AGGREGATE: "aggregate",
    OperatorKind.SHUFFLE: "shuffles",
    OperatorKind.BROADCAST: "broadcasts",
    OperatorKind.SORT: "sorts",
}


def operator_words(one: OperatorDifference) -> str:
    """As in "scan sales: 2.8M rows, 28.6 MB instead of 1.4M rows, 14.3 MB"."""
    sides = " ⋈ ".join(printable(side, _MOST_NAME) for side in (one.left, one.right) if side)
    place = f"{_KINDS[one.kind]} {sides}".rstrip()
    if one.before is None:
        return f"{place}: {_amounts(one.after)}, none before"
    if one.after is None:
        return f"{place}: none, {_amounts(one.before)} before"
    return f"{place}: {_amounts(one.after)} instead of {_amounts(one.before)}"


def operator_how(amounts: OperatorAmounts) -> str:
    """As in "broadcast hash join, built of the right side"; "" for what runs in one way alone."""
    built = f", built of the {amounts.build_side} side" if amounts.build_side else ""
    return f"{operator_name(amounts.how)}{built}" if amounts.how else ""


def _amounts(amounts: OperatorAmounts | None) -> str:
    if amounts is None:
        return "nothing"
    told = [how] if (how := operator_how(amounts)) else []
    told += [] if amounts.rows is None else [format_rows(amounts.rows)]
    told += [format_bytes(amounts.bytes)] if amounts.bytes else []
    told += [format_seconds(amounts.seconds)] if amounts.seconds else []
    return ", ".join(told) or "what no log tells"
