"""Reading the expressions in a plan's text (`simpleString`): lists, columns and the shape that outlives literals."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator

from tuner.plan.memoize_by_text import by_text

# Catalyst prints an attribute as name#exprId, with L for a long; the id differs in every run. What a run of other
# characters holds is looked at once, from its start: from each of its characters takes quadratic time.
_ID = r"#([0-9]{1,18})(?![0-9])L?"
_CHARACTER = r"[^\s,()\[\]=<>]"
_NAME = rf"({_CHARACTER}(?>(?:[^\s,()\[\]=<>#]++|#(?![0-9]{{1,18}}(?![0-9])))*))"
_BREAK = re.compile(r"[\s,()\[\]=<>]")
_ATTRIBUTE = re.compile(rf"({_CHARACTER}+?){_ID}")
ATTRIBUTE_OR_RUN = re.compile(rf"{_NAME}{_ID}|{_CHARACTER}++")
_ALIAS = re.compile(rf"^(.*) AS ([^\s]+?){_ID}$", re.DOTALL)
_CASTS = re.compile(r"(?:cast|ansi_cast|try_cast|knownfloatingpointnormalized|normalizenanandzero|promote_precision)\(")
_MAX_CASTS = 50
_OPERATOR_OR_FUNCTION = re.compile(
    r"\s(<=>|<=|>=|=|<|>|AND|OR|IN(?=SET\s|\s)|LIKE)(?:SET)?\s|\b(NOT)\s|\b([A-Za-z_]\w*+)\("
)
# Names Spark makes up hold an id that differs in every run.
_GENERATED = re.compile(r"(_gen_alias|_extract)_\d+")
# With AQE a scalar subquery is `Subquery subquery#1`, without `Subquery scalar-subquery#1`, reused `ReusedSubquery …`.
_SUBQUERY = re.compile(r"\b(?:scalar-)?subquery\b")
_ID_BEHIND = re.compile(r"#[0-9]{1,18}L?\s*\Z")
_LONGEST_ID = 40  # and white space
_ID_OF_COLUMN = re.compile(r"#[0-9]{1,18}(?![0-9])")
# What Spark prints for those beyond spark.sql.debug.maxToStringFields (SparkStringUtils.truncatedString).
MORE = " more fields"
_OPEN, _CLOSE = "([{", ")]}"
# Texts are long and their brackets few: only these are looked at.
_BRACKET = re.compile(r"[(\[{)\]}]")
_BRACKET_OR_COMMA = re.compile(r"[(\[{)\]},]")
_SQUARE = re.compile(r"[\[\]]")
_BRACKET_OR_AND = re.compile(r"[(\[{)\]}]| AND ")
_BRACKET_OR_AS = re.compile(r"[(\[{)\]}]| as ")


def split_top_level(text: str) -> list[str]:
    """The parts of a comma separated list; commas inside brackets do not count."""
    parts, start = [], 0
    for comma in _top_level_commas(text):
        parts.append(text[start:comma].strip())
        start = comma + 1
    tail = text[start:].strip()
    return [*parts, tail] if tail else parts


def split_keys(text: str) -> list[str]:
    """The parts of a list each of which mentions a column or ends a call, such as keys of a join: names and literals may hold
    commas."""
    ids = [found.start() for found in _ID_OF_COLUMN.finditer(text)]
    return _split(
        text, lambda start, end: text.endswith(")", start, end) or bisect_left(ids, start) < bisect_left(ids, end)
    )


def split_at_columns(text: str) -> list[str]:
    """The parts of a list each of which is a column with its id, or ends with the one it is given to."""
    return _split(text, lambda start, end: bool(_ID_BEHIND.search(text, max(start, end - _LONGEST_ID), end)))


def _split(text: str, is_whole: Callable[[int, int], bool]) -> list[str]:
    parts, start = [], 0
    for comma in _top_level_commas(text):
        if is_whole(start, comma):
            parts.append(text[start:comma].strip())
            start = comma + 1
    tail = text[start:].strip()
    if not tail:
        return parts
    if parts and not is_whole(start, len(text)) and not tail.endswith(MORE):
        return [*parts[:-1], f"{parts[-1]}, {tail}"]
    return [*parts, tail]


def _top_level_commas(text: str) -> Iterator[int]:
    depth = 0
    for mark in _BRACKET_OR_COMMA.finditer(text):
        char = mark[0]
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif depth == 0:
            yield mark.start()


def bracketed(text: str, start: int = 0) -> tuple[str, int] | None:
    """What stands in the first pair of square brackets from `start`, and the position after it."""
    begin = text.find("[", start)
    depth = 0
    for mark in _SQUARE.finditer(text, begin) if begin >= 0 else ():
        depth += 1 if mark[0] == "[" else -1
        if depth == 0:
            return text[begin + 1 : mark.start()], mark.end()
    return None


@by_text
def attributes(text: str) -> tuple[tuple[str, int], ...]:
    """The columns an expression mentions, as (name, expression id), in order."""
    return tuple([(name, int(id_)) for name, id_ in ATTRIBUTE_OR_RUN.findall(text) if id_])


def alias(text: str) -> tuple[str, str, int] | None:
    """`<expression> AS name#id` taken apart."""
    match = _ALIAS.match(text)
    return (match[1], match[2], int(match[3])) if match else None


@by_text
def aliases(project: str) -> tuple[tuple[str, str, int], ...]:
    """What the text of a projection renames or computes, each taken apart."""
    found = bracketed(project)
    return tuple(filter(None, map(alias, split_at_columns(found[0])))) if found else ()


@by_text
def single_attribute(text: str) -> tuple[str, int] | None:
    """The column an expression is, through casts; None when it computes something."""
    for _ in range(_MAX_CASTS):
        call = _CASTS.match(text)
        if call is None:
            break
        inner = argument_list(text, call.end() - 1)
        if inner is None or call.end() + len(inner) + 1 != len(text):
            return None
        text = _before_type(inner)
    match = _ATTRIBUTE.fullmatch(text)
    return (match[1], int(match[2])) if match else None


def _before_type(text: str) -> str:
    """`x` of `x as decimal(10,2)`, where x may hold casts of its own."""
    depth = 0
    for mark in _BRACKET_OR_AS.finditer(text):
        if mark[0] in _OPEN:
            depth += 1
        elif mark[0] in _CLOSE:
            depth -= 1
        elif depth == 0:
            return text[: mark.start()]
    return text


@by_text
def skeleton(text: str) -> str:
    """Columns, operators and functions of an expression in order, without literals and ids: the same every night."""
    return without_ids(" ".join(_skeleton(text)))


def _skeleton(text: str) -> Iterator[str]:
    start = 0
    for attribute in ATTRIBUTE_OR_RUN.finditer(text):
        if attribute[1] is not None:
            yield from _operators(text, start, attribute.start())
            yield attribute[1]
            start = attribute.end()
    yield from _operators(text, start, len(text))


def _operators(text: str, start: int, end: int) -> Iterator[str]:
    for match in _OPERATOR_OR_FUNCTION.finditer(text, start, end):
        yield match[1] or match[2] or match[3]


def last_word(column: str) -> str:
    """What texts tell of the name of a column, which may be several words (Names.lastWord)."""
    return _BREAK.split(column)[-1]


def without_ids(names: str) -> str:
    """Names without the ids in those that Spark makes up: `_gen_alias_12` is `_gen_alias`."""
    return _SUBQUERY.sub("subquery", _GENERATED.sub(r"\1", names))


def argument_list(text: str, start: int) -> str | None:
    """What stands between the parenthesis that opens at `start` and its end."""
    end = _closing(text[start:])
    return text[start + 1 : start + end] if end > 0 else None


def conjuncts(text: str) -> list[str]:
    """The parts of `((a AND b) AND c)`."""
    return list(_conjuncts(text))


@by_text
def _conjuncts(text: str) -> tuple[str, ...]:
    nesting = _Nesting(text)
    found, waiting = [], [(0, len(text))]
    while waiting:
        start, end = nesting.unwrapped(*waiting.pop())
        ands = nesting.ands(start, end)
        if not ands:
            found.append(text[start:end])
            continue
        starts, ends = [start, *(a + len(" AND ") for a in ands)], [*ands, end]
        waiting.extend(reversed(list(zip(starts, ends, strict=True))))
    return tuple(found)


class _Nesting:
    """Where the brackets of a text close and its ANDs stand, found once: each level of a deep expression is then cheap."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._marks: list[int] = []
        self._closing: dict[int, int] = {}
        opened: list[int] = []
        for mark in _BRACKET_OR_AND.finditer(text):
            self._marks.append(mark.start())
            if mark[0] in _OPEN:
                opened.append(mark.start())
            elif mark[0] in _CLOSE and opened:
                self._closing[opened.pop()] = mark.start()

    def unwrapped(self, start: int, end: int) -> tuple[int, int]:
        """A part without the spaces and parentheses around all of it."""
        text = self._text
        while start < end:
            if text[start].isspace():
                start += 1
            elif text[end - 1].isspace():
                end -= 1
            elif text[start] == "(" and self._closing.get(start) == end - 1:
                start, end = start + 1, end - 1
            else:
                break
        return start, end

    def ands(self, start: int, end: int) -> list[int]:
        """The ANDs of a part that are in no bracket, as far as its brackets are balanced."""
        found, at = [], bisect_left(self._marks, start)
        while at < len(self._marks) and (position := self._marks[at]) < end:
            char = self._text[position]
            if char == " ":
                found.append(position)
            elif position in self._closing:
                at = bisect_left(self._marks, self._closing[position])
            else:
                break
            at += 1
        return found


def _closing(text: str) -> int:
    """Where the bracket that opens at the start of `text` is closed; 0 where none opens there, -1 where it stays open."""
    if not text:
        return -1
    if not _BRACKET.match(text):
        return 0
    depth = 0
    for mark in _BRACKET.finditer(text):
        depth += 1 if mark[0] in _OPEN else -1
        if depth == 0:
            return mark.start()
    return -1
