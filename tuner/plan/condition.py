"""Conditions as plans print them, read into trees: `((isnotnull(a#1) AND (a#1 = 5)) AND NOT b#2 IN (1,2))`.

Catalyst prints strings without quotes, so a text can stand for several conditions. Read is what it prints for one
condition only; what has brackets that do not pair, or more than one reading, is Unknown. Two limits remain: a string
with a comma in a list counts as several, and one that looks like a column (`x#1`) is taken for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tuner.plan.expression import single_attribute


class Operator(StrEnum):
    """How two values are compared, as Catalyst prints it."""

    EQUAL = "="
    NULL_SAFE_EQUAL = "<=>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="

    @property
    def turned(self) -> Operator:
        """The operator that says the same with its sides exchanged."""
        return _TURNED.get(self, self)


_TURNED = {
    Operator.LESS: Operator.GREATER,
    Operator.GREATER: Operator.LESS,
    Operator.LESS_OR_EQUAL: Operator.GREATER_OR_EQUAL,
    Operator.GREATER_OR_EQUAL: Operator.LESS_OR_EQUAL,
}


class Pattern(StrEnum):
    """How a string is matched, as Catalyst prints it."""

    LIKE = "LIKE"
    STARTS_WITH = "StartsWith"
    ENDS_WITH = "EndsWith"
    CONTAINS = "Contains"


@dataclass(frozen=True, slots=True)
class Column:
    """`name#id`; `cast` when it is compared as another type than its own."""

    name: str
    id: int
    cast: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A value as printed: its type is that of the column it is compared with."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """What is not read."""

    text: str


Operand = Column | Literal | Unknown


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right`; what is computed of columns, or may be, is Unknown."""

    operator: Operator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class In:
    """`column IN (…)` and `column INSET …`."""

    column: Column
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """`isnull(column)`."""

    column: Column


@dataclass(frozen=True, slots=True)
class IsNotNull:
    """`isnotnull(column)`."""

    column: Column


@dataclass(frozen=True, slots=True)
class Like:
    """A column against a pattern."""

    pattern: Pattern
    column: Column
    text: str


@dataclass(frozen=True, slots=True)
class Constant:
    """`true`, `false` or `null` (None)."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Not:
    """`NOT condition`."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class And:
    """Two or more conditions that all hold: `((a AND b) AND c)` in order, from the left."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more conditions of which one holds, likewise."""

    parts: tuple[Condition, ...]


Condition = Comparison | In | IsNull | IsNotNull | Like | Constant | Unknown | Not | And | Or

# What is nested deeper is Unknown; a chain of ANDs is one level.
_DEEPEST = 100
_NOT = "NOT "
_CUT = re.compile(r"\.\.\. \d+ more (?:fields|characters)")
_MARK = re.compile(r"[()]| (?:AND|OR|&&|\|\|) | (?:<=>|<=|>=|=|<|>) | (?:IN(?= \()|INSET|LIKE) ")
_CALL = re.compile(r"(isnull|isnotnull|StartsWith|EndsWith|Contains)\(")
_CONSTANTS = {"true": True, "false": False, "null": None}
_CONNECTIVES: dict[str, Callable[[tuple[Condition, ...]], And | Or]] = {
    " AND ": And,
    " && ": And,
    " OR ": Or,
    " || ": Or,
}
_OPERATORS = {f" {operator} ": operator for operator in Operator}
_HAS_ID = re.compile(r"#\d")
# `-a#1` is computed from a#1.
_SIGNS = ("-", "+", "~")


def read_condition(text: str) -> Condition:
    """The tree of a condition, in linear time."""
    if _CUT.search(text):
        return Unknown(text)
    try:
        return _Reader(text).read()
    except _NotBalancedError:
        return Unknown(text)


def columns(condition: Condition) -> Iterator[Column]:
    """The columns that what was read of a condition names, in order."""
    match condition:
        case And(parts) | Or(parts):
            for part in parts:
                yield from columns(part)
        case Not(part):
            yield from columns(part)
        case Comparison(_, left, right):
            yield from (side for side in (left, right) if isinstance(side, Column))
        case In(column) | IsNull(column) | IsNotNull(column) | Like(_, column):
            yield column


class _NotBalancedError(Exception):
    """Brackets of the text do not pair."""


class _Reader:
    """A text with its brackets, connectives and operators found once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._marks = list(_MARK.finditer(text))
        self._starts = [mark.start() for mark in self._marks]
        # From the mark that opens a bracket to the one that closes it.
        self._closing: dict[int, int] = {}
        opened: list[int] = []
        for number, mark in enumerate(self._marks):
            if mark[0] == "(":
                opened.append(number)
            elif mark[0] == ")":
                if not opened:
                    raise _NotBalancedError
                self._closing[opened.pop()] = number
        if opened:
            raise _NotBalancedError

    def read(self) -> Condition:
        return self._condition(0, len(self._text), 0)

    def _condition(self, start: int, end: int, depth: int) -> Condition:
        if depth > _DEEPEST:
            return Unknown(self._text[start:end])
        if self._text.startswith(_NOT, start, end):
            return Not(self._condition(start + len(_NOT), end, depth + 1))
        if self._brackets(start, end):
            return self._bracketed(start, end, depth)
        return self._bare(start, end)

    def _brackets(self, start: int, end: int) -> bool:
        """Whether one pair of brackets stands around all of a part."""
        first = bisect_left(self._starts, start)
        closing = self._closing.get(first)
        return closing is not None and self._starts[first] == start and self._starts[closing] == end - 1

    def _bracketed(self, start: int, end: int, depth: int) -> Condition:
        """`(left operator right)`: the first operator outside inner brackets tells which; two connectives are not printed."""
        marks = self._outer_marks(start + 1, end - 1)
        first = next(marks, None)
        if first is not None and first[0] in _OPERATORS:
            left = self._operand(start + 1, first.start())
            return Comparison(_OPERATORS[first[0]], left, self._operand(first.end(), end - 1))
        connectives = [m for m in ([first] if first else []) + list(marks) if m[0] in _CONNECTIVES]
        if len(connectives) != 1:
            return Unknown(self._text[start:end])
        return self._chain(start, end, connectives[0], depth)

    def _chain(self, start: int, end: int, connective: re.Match[str], depth: int) -> Condition:
        """A connective and those of its kind along its left sides, as one."""
        make = _CONNECTIVES[connective[0]]
        parts: list[Condition] = []
        while True:
            parts.append(self._condition(connective.end(), end - 1, depth + 1))
            start, end = start + 1, connective.start()
            following = self._connective(start, end)
            if following is None or _CONNECTIVES[following[0]] is not make:
                break
            connective = following
        parts.append(self._condition(start, end, depth + 1))
        return make(tuple(reversed(parts)))

    def _connective(self, start: int, end: int) -> re.Match[str] | None:
        """The one connective of a part in brackets."""
        if not self._brackets(start, end):
            return None
        marks = list(self._outer_marks(start + 1, end - 1))
        found = [m for m in marks if m[0] in _CONNECTIVES]
        return found[0] if len(found) == 1 and marks[0][0] not in _OPERATORS else None

    def _bare(self, start: int, end: int) -> Condition:
        """What Catalyst prints without brackets around it."""
        text = self._text[start:end]
        if text in _CONSTANTS:
            return Constant(_CONSTANTS[text])
        if (call := _CALL.match(text)) and self._starts[bisect_left(self._starts, start)] == start + call.end() - 1:
            return self._call(call[1], start + call.end(), end) or Unknown(text)
        mark = next(self._outer_marks(start, end), None)
        found = None
        if mark is not None and mark[0] in (" IN ", " INSET ", " LIKE "):
            column = _column(self._text[start : mark.start()])
            found = self._against(column, mark, end) if column is not None else None
        return found or Unknown(text)

    def _call(self, name: str, start: int, end: int) -> Condition | None:
        """`isnull(a#1)`, `StartsWith(a#1, x)`."""
        opened = bisect_left(self._starts, start - 1)
        if self._starts[self._closing[opened]] != end - 1:
            return None
        inside = self._text[start : end - 1]
        if name in ("isnull", "isnotnull"):
            column = _column(inside)
            return (IsNull(column) if name == "isnull" else IsNotNull(column)) if column is not None else None
        first, _, second = inside.partition(", ")
        column, value = _column(first), _literal(second)
        return Like(Pattern(name), column, value.text) if column is not None and value is not None else None

    def _against(self, column: Column, mark: re.Match[str], end: int) -> Condition | None:
        """A column in a list, or like a pattern."""
        text = self._text[mark.end() : end]
        if mark[0] == " LIKE ":
            value = _literal(text)
            return Like(Pattern.LIKE, column, value.text) if value is not None else None
        separator = ", "
        if mark[0] == " IN ":
            if not self._brackets(mark.end(), end):
                return None
            text, separator = text[1:-1], ","
        values = [_literal(part) for part in text.split(separator)]
        return In(column, tuple(v.text for v in values if v is not None)) if None not in values else None

    def _operand(self, start: int, end: int) -> Operand:
        text = self._text[start:end]
        return _column(text) or _literal(text) or Unknown(text)

    def _outer_marks(self, start: int, end: int) -> Iterator[re.Match[str]]:
        """The connectives and operators of a part that stand in none of its brackets."""
        number = bisect_left(self._starts, start)
        while number < len(self._marks) and self._marks[number].end() <= end:
            if number in self._closing:
                number = self._closing[number] + 1
                continue
            yield self._marks[number]
            number += 1


def _column(text: str) -> Column | None:
    """A column, through casts."""
    found = single_attribute(text)
    if found is None or found[0].startswith(_SIGNS):
        return None
    return Column(*found, cast=text.endswith(")"))


def _literal(text: str) -> Literal | None:
    """A value; None for what may be computed: it names a column or has brackets."""
    return None if "(" in text or _HAS_ID.search(text) else Literal(text)
