"""The lexical surface of Spark SQL text: statements, comments and hints, always as slices of the text itself.

Follows SqlBaseLexer.g4 of Spark 4 (STRING_LITERAL, DOUBLEQUOTED_STRING, BACKQUOTED_IDENTIFIER, SIMPLE_COMMENT,
BRACKETED_COMMENT, dollar-quoted strings) rather than sqlglot's tokenizer, which reads an unclosed comment to the end
without complaint and ends a line comment where Spark continues it (`--` … backslash, newline).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from tuner.errors import TunerError

_LEXEME = re.compile(
    r"""
    (?P<raw>[rR]'[^']*'|[rR]"[^"]*")
  | (?P<string>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|`[^`]*`)
  | (?P<dollar>\$(?P<tag>[A-Za-z]*)\$.*?\$(?P=tag)\$)
  | (?P<line>--(?:\\\n|[^\r\n])*)
  | (?P<block>/\*(?!\+))
  | (?P<hint>/\*\+)
  | (?P<quote>['"`])
  | (?P<semicolon>;)
  | (?P<space>\s+)
  | (?P<word>\w+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# A hint does not open a nested comment: the lexer's rule excludes it.
_COMMENT_MARK = re.compile(r"/\*(?!\+)|\*/")


class SqlTextError(TunerError, ValueError):
    """A SQL text that has no end: a quote or comment in it is never closed."""


class _Kind(Enum):
    BLANK = auto()
    HINT = auto()
    WORD = auto()
    SEMICOLON = auto()
    CODE = auto()


_KINDS = {
    "line": _Kind.BLANK,
    "block": _Kind.BLANK,
    "space": _Kind.BLANK,
    "hint": _Kind.HINT,
    "word": _Kind.WORD,
    "semicolon": _Kind.SEMICOLON,
}


@dataclass(frozen=True, slots=True)
class _Lexeme:
    kind: _Kind
    start: int
    end: int


def split_statements(text: str) -> tuple[str, ...]:
    """The statements of a script, verbatim but for white space around them; empty and comment-only ones are dropped.

    A Spark 4 scripting block (`BEGIN … END`, also with a label) is not taken apart: from it on, the rest of the text is
    one statement. Raises SqlTextError, naming line and column, if a quote or comment is not closed.
    """
    statements: list[str] = []
    start = 0
    code: list[str] = []
    for lexeme in _lexemes(text):
        if lexeme.kind is _Kind.SEMICOLON:
            if code and not _opens_script(code):
                statements.append(text[start : lexeme.start])
            if not _opens_script(code):
                start, code = lexeme.end, []
        elif lexeme.kind is not _Kind.BLANK and len(code) < 3:
            code.append(text[lexeme.start : lexeme.end].upper())
    if code:
        statements.append(text[start:])
    return tuple(statement.strip() for statement in statements)


def hints_at(text: str, position: int) -> tuple[str, ...]:
    """The bodies of the hint comments (`/*+ … */`) that follow `position`, blanks and comments aside."""
    bodies: list[str] = []
    while lexeme := next((found for found in _lexemes(text, position) if found.kind is not _Kind.BLANK), None):
        end = text.find("*/", lexeme.end)
        if lexeme.kind is not _Kind.HINT or end < 0:
            break
        bodies.append(text[lexeme.end : end])
        position = end + 2
    return tuple(bodies)


def _opens_script(code: list[str]) -> bool:
    return code[:1] == ["BEGIN"] or code[1:3] == [":", "BEGIN"]


def _lexemes(text: str, position: int = 0) -> Iterator[_Lexeme]:
    while match := _LEXEME.match(text, position):
        start, position = position, match.end()
        group = match.lastgroup or ""
        if group == "quote":
            raise _unclosed(text, start, f"quote {match.group()}")
        if group == "block":
            position = _comment_end(text, start)
        yield _Lexeme(_KINDS.get(group, _Kind.CODE), start, position)


def _comment_end(text: str, start: int) -> int:
    depth = 0
    for mark in _COMMENT_MARK.finditer(text, start):
        depth += 1 if mark.group() != "*/" else -1
        if depth == 0:
            return mark.end()
    raise _unclosed(text, start, "comment /*")


def _unclosed(text: str, position: int, what: str) -> SqlTextError:
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return SqlTextError(
        f"SQL text: the {what} opened at line {line}, column {column} is never closed, "
        "so the statements after it cannot be told apart; close it."
    )
