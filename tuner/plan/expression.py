"""Reading the expressions in a plan's text (`simpleString`): lists, columns and the shape that outlives literals."""

from __future__ import annotations

import re

# Catalyst prints an attribute as name#exprId, with L for a long; the id differs in every run.
_ATTRIBUTE = re.compile(r"([^\s,()\[\]=<>]+?)#(\d+)L?")
_ALIAS = re.compile(r"^(.*) AS ([^\s]+?)#(\d+)L?$", re.DOTALL)
_CASTS = re.compile(r"(?:cast|ansi_cast|try_cast|knownfloatingpointnormalized|normalizenanandzero|promote_precision)\(")
_SKELETON = re.compile(
    r"([^\s,()\[\]=<>]+?)#\d+L?|\s(<=>|<=|>=|=|<|>|AND|OR|IN(?=SET\s|\s)|LIKE)(?:SET)?\s|\b(NOT)\s|\b([A-Za-z_]\w*)\("
)
# Names Spark makes up hold an id that differs in every run.
_GENERATED = re.compile(r"(_gen_alias|_extract)_\d+")
_OPEN, _CLOSE = "([{", ")]}"
# Texts are long and their brackets few: only these are looked at.
_BRACKET = re.compile(r"[(\[{)\]}]")
_BRACKET_OR_COMMA = re.compile(r"[(\[{)\]},]")
_SQUARE = re.compile(r"[\[\]]")
_BRACKET_OR_AND = re.compile(r"[(\[{)\]}]| AND ")


def split_top_level(text: str) -> list[str]:
    """The parts of a comma separated list; commas inside brackets do not count."""
    parts, depth, start = [], 0, 0
    for mark in _BRACKET_OR_COMMA.finditer(text):
        char = mark[0]
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif depth == 0:
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
    tail = text[start:].strip()
    return [*parts, tail] if tail else parts


def bracketed(text: str, start: int = 0) -> tuple[str, int] | None:
    """What stands in the first pair of square brackets from `start`, and the position after it."""
    begin = text.find("[", start)
    depth = 0
    for mark in _SQUARE.finditer(text, begin) if begin >= 0 else ():
        depth += 1 if mark[0] == "[" else -1
        if depth == 0:
            return text[begin + 1 : mark.start()], mark.end()
    return None


def attributes(text: str) -> list[tuple[str, int]]:
    """The columns an expression mentions, as (name, expression id), in order."""
    return [(name, int(id_)) for name, id_ in _ATTRIBUTE.findall(text)]


def alias(text: str) -> tuple[str, str, int] | None:
    """`<expression> AS name#id` taken apart."""
    match = _ALIAS.match(text)
    return (match[1], match[2], int(match[3])) if match else None


def single_attribute(text: str) -> tuple[str, int] | None:
    """The column an expression is, through casts; None when it computes something."""
    while call := _CASTS.match(text):
        inner = argument_list(text, call.end() - 1)
        if inner is None or call.end() + len(inner) + 1 != len(text):
            return None
        text = _before_type(inner)
    match = _ATTRIBUTE.fullmatch(text)
    return (match[1], int(match[2])) if match else None


def _before_type(text: str) -> str:
    """`x` of `x as decimal(10,2)`, where x may hold casts of its own."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char in _OPEN) - (char in _CLOSE)
        if depth == 0 and text.startswith(" as ", i):
            return text[:i]
    return text


def skeleton(text: str) -> str:
    """Columns, operators and functions of an expression in order, without literals and ids: the same every night."""
    return without_ids(" ".join("".join(groups) for groups in _SKELETON.findall(text)))


def without_ids(names: str) -> str:
    """Names without the ids in those that Spark makes up: `_gen_alias_12` is `_gen_alias`."""
    return _GENERATED.sub(r"\1", names)


def argument_list(text: str, start: int) -> str | None:
    """What stands between the parenthesis that opens at `start` and its end."""
    end = _closing(text[start:])
    return text[start + 1 : start + end] if end > 0 else None


def conjuncts(text: str) -> list[str]:
    """The parts of `((a AND b) AND c)`."""
    text = text.strip()
    while text.startswith("(") and _closing(text) == len(text) - 1:
        text = text[1:-1]
    depth, parts, start = 0, [], 0
    for mark in _BRACKET_OR_AND.finditer(text):
        if mark[0] in _OPEN:
            depth += 1
        elif mark[0] in _CLOSE:
            depth -= 1
        elif depth == 0:
            parts.append(text[start : mark.start()])
            start = mark.end()
    if not parts:
        return [text]
    return [c for part in [*parts, text[start:]] for c in conjuncts(part)]


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
