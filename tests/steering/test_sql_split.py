"""A script is taken apart at its semicolons and nowhere else."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.errors import TunerError
from tuner.steering.sql_script import SqlTextError, split_statements


@pytest.mark.parametrize(
    ("script", "statements"),
    [
        ("", ()),
        (" ;; \n; ", ()),
        ("-- only a comment\n; /* and; another */", ()),
        ("SELECT 1", ("SELECT 1",)),
        ("SELECT 1;\n\n  SELECT 2 ;\n", ("SELECT 1", "SELECT 2")),
        ("SELECT ';' ; SELECT \";\"", ("SELECT ';'", 'SELECT ";"')),
        (r"SELECT 'it\'s; fine'; SELECT 2", (r"SELECT 'it\'s; fine'", "SELECT 2")),
        ("SELECT 'it''s; fine'; SELECT 2", ("SELECT 'it''s; fine'", "SELECT 2")),
        (r"SELECT r'\'; SELECT 2", (r"SELECT r'\'", "SELECT 2")),
        ("SELECT `a;``b`; SELECT 2", ("SELECT `a;``b`", "SELECT 2")),
        ("SELECT 1 -- one; two\n+ 1; SELECT 2", ("SELECT 1 -- one; two\n+ 1", "SELECT 2")),
        ("SELECT 1 -- it's\n; SELECT 2", ("SELECT 1 -- it's", "SELECT 2")),
        ("SELECT 1 -- goes on \\\n; here\n; SELECT 2", ("SELECT 1 -- goes on \\\n; here", "SELECT 2")),
        ("SELECT /* a; /* b; */ c; ' */ 1; SELECT 2", ("SELECT /* a; /* b; */ c; ' */ 1", "SELECT 2")),
        ("SELECT /*+ MERGE(a) */ 1; SELECT 2", ("SELECT /*+ MERGE(a) */ 1", "SELECT 2")),
        ("/* why */ SELECT 1; -- end", ("/* why */ SELECT 1",)),
        ("SELECT $$a;b$$; SELECT $x$;$$;$x$", ("SELECT $$a;b$$", "SELECT $x$;$$;$x$")),
        ("SELECT '${var}'; SELECT ${x}", ("SELECT '${var}'", "SELECT ${x}")),
        ("SELECT 4 - -2; SELECT 1 / 2", ("SELECT 4 - -2", "SELECT 1 / 2")),
    ],
)
def test_split(script: str, statements: tuple[str, ...]) -> None:
    assert split_statements(script) == statements


@pytest.mark.parametrize("opening", ["BEGIN", "begin", "-- a script\nBegin", "daily: BEGIN"])
def test_a_scripting_block_is_one_statement(opening: str) -> None:
    block = f"{opening} DECLARE x INT; SET x = 1; SELECT x; END;"
    assert split_statements(block) == (block,)
    assert split_statements(f"SELECT 1; {block}") == ("SELECT 1", block)


def test_a_name_that_starts_like_begin_is_no_block() -> None:
    assert split_statements("SELECT begin FROM t; SELECT 2") == ("SELECT begin FROM t", "SELECT 2")


@pytest.mark.parametrize(
    ("script", "where"),
    [
        ("SELECT 1;\n  SELECT 'open; SELECT 2", "quote ' opened at line 2, column 10"),
        ("SELECT `open", "quote ` opened at line 1, column 8"),
        ("/* a /* b */ SELECT 1;", "comment /* opened at line 1, column 1"),
    ],
)
def test_what_is_not_closed_is_named(script: str, where: str) -> None:
    with pytest.raises(SqlTextError, match="never closed") as error:
        split_statements(script)
    assert where in str(error.value)
    assert isinstance(error.value, TunerError)
    assert isinstance(error.value, ValueError)


STATEMENTS = st.lists(
    st.sampled_from(
        [
            "SELECT 1",
            "select ';'",
            r"select '\'; ' -- x;",
            "with a as (select `;`) /* ; */ select * from a",
            'select "a;b" /*+ hint */',
            "select $$;$$",
        ]
    ),
    max_size=6,
)


@given(STATEMENTS)
def test_split_undoes_join(statements: list[str]) -> None:
    assert split_statements("\n;\n".join(statements)) == tuple(statements)


@given(st.text(alphabet="ab;'\"`-/*+\\\n $r"))
def test_no_text_is_lost_but_blanks_comments_and_semicolons(text: str) -> None:
    try:
        statements = split_statements(text)
    except SqlTextError:
        return
    position = 0
    for statement in statements:
        position = text.index(statement, position) + len(statement)
    assert split_statements(";\n".join(statements)) == statements or any(
        # Behind a backslash, the ";" that joins them, or a "--", is none to Spark.
        part.endswith("\\") or "\\-" in part
        for part in statements
    )


@given(st.text())
def test_no_other_error_is_raised(text: str) -> None:
    with contextlib.suppress(SqlTextError):
        split_statements(text)


def test_every_tpcds_query_is_one_statement(tpcds_texts: dict[int, str]) -> None:
    stripped = [text.strip().removesuffix(";").rstrip() for text in tpcds_texts.values()]
    assert split_statements(";\n".join(stripped)) == tuple(stripped)
