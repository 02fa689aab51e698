"""One SQL statement as a syntax tree, with the places of its tokens; join hints kept aside."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import dataclass

from sqlglot import Token, exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError

from tuner.errors import TunerError

_reading = ContextVar("_reading", default=False)
# sqlglot warns of statements it does not know and quotes them, literals and all, into the task's log.
logging.getLogger("sqlglot").addFilter(lambda record: not _reading.get())


class UnreadableSqlError(TunerError):
    """A statement that sqlglot does not understand, or that is none."""


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """The tree holds no hints: `hints` has those of each query block, in the tree's own order (`find_all`)."""

    text: str
    tree: exp.Expr
    tokens: tuple[Token, ...]
    hints: tuple[exp.Expr | None, ...]


def parse_statement(text: str) -> ParsedStatement:
    """Parse exactly one statement of Spark's dialect. Raises UnreadableSqlError whatever is wrong with it."""
    token = _reading.set(True)
    try:
        return _parse(text)
    except UnreadableSqlError:
        raise
    except Exception as error:  # sqlglot raises more than its own errors on text it does not know
        raise UnreadableSqlError(f"the statement cannot be parsed as Spark SQL ({_brief(error)})") from error
    finally:
        _reading.reset(token)


def _parse(text: str) -> ParsedStatement:
    dialect = Spark()
    tokens = tuple(dialect.tokenize(text))
    trees = [tree for tree in dialect.parser().parse(list(tokens), text) if tree is not None]
    if len(trees) != 1:
        raise UnreadableSqlError(f"the text holds {len(trees)} statements where one is expected")
    if isinstance(trees[0], exp.Command):
        raise UnreadableSqlError("the statement is a command whose text sqlglot does not take apart")
    blocks = list(trees[0].find_all(exp.Select))
    hints = tuple(block.args.get("hint") for block in blocks)
    for block in blocks:
        block.set("hint", None)
    return ParsedStatement(text, trees[0], tokens, hints)


def _brief(error: Exception) -> str:
    """The error without the statement's text, which may hold secrets."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        return f"line {first.get('line')}, column {first.get('col')}: {first.get('description')}"
    return type(error).__name__
