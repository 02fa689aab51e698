"""Reading the expressions that plans print."""

from __future__ import annotations

import pytest

from tuner.plan.expression import (
    alias,
    argument_list,
    attributes,
    bracketed,
    conjuncts,
    single_attribute,
    skeleton,
    split_at_columns,
    split_keys,
    split_top_level,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a#1", ["a#1"]),
        ("a#1, b#2L", ["a#1", "b#2L"]),
        (
            "coalesce(a#1, 0), named_struct(x, [b#2, c#3]), {d, e}",
            ["coalesce(a#1, 0)", "named_struct(x, [b#2, c#3])", "{d, e}"],
        ),
        ("a#1, ... 4 more fields", ["a#1", "... 4 more fields"]),
    ],
)
def test_lists_split_at_their_own_commas(text: str, parts: list[str]) -> None:
    assert split_top_level(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b#1, c#2L", ["a,b#1", "c#2L"]),
        ("a, b#1,c,d#2", ["a, b#1", "c,d#2"]),
        ("coalesce(a#1, 0), b#2", ["coalesce(a#1, 0)", "b#2"]),
        ("a#1, ... 4 more fields", ["a#1", "... 4 more fields"]),
        ("CASE WHEN a#1 THEN x ELSE y, z END", ["CASE WHEN a#1 THEN x ELSE y, z END"]),
        ("", []),
        ("a, b", ["a, b"]),
        ("a#1, ", ["a#1"]),
        ("upper(x), a#1", ["upper(x)", "a#1"]),
        (", a#1", [", a#1"]),
    ],
)
def test_each_key_of_a_join_names_a_column(text: str, parts: list[str]) -> None:
    assert split_keys(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b#1, c#2L", ["a,b#1", "c#2L"]),
        ("x, y AS n#3, (a#1 + 1) AS b,c#4, d#5", ["x, y AS n#3", "(a#1 + 1) AS b,c#4", "d#5"]),
        ("a#1, ... 4 more fields", ["a#1", "... 4 more fields"]),
        ("", []),
    ],
)
def test_each_column_that_a_list_gives_ends_with_its_id(text: str, parts: list[str]) -> None:
    assert split_at_columns(text) == parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Project [a#1, b#2[0]] rest", ("a#1, b#2[0]", 21)),
        ("keys=[], functions=[]", ("", 7)),
        ("no list", None),
        ("cut [a#1, b", None),
    ],
)
def test_brackets_close_where_they_opened(text: str, found: tuple[str, int] | None) -> None:
    assert bracketed(text) == found


def test_arguments_end_where_the_parenthesis_closes() -> None:
    text = "hashpartitioning((a#1 - 53), 8), ENSURE_REQUIREMENTS"
    assert argument_list(text, text.index("(")) == "(a#1 - 53), 8"
    assert argument_list("f(a, b", 1) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(a#1 = b#22L)", [("a", 1), ("b", 22)]),
        ("isnotnull(a#1)", [("a", 1)]),
        ("t.a_1#7,c-d#8", [("t.a_1", 7), ("c-d", 8)]),
        ("scalar-subquery#12 [id=#45]", [("scalar-subquery", 12), ("", 0)][:1]),
        ("literal only", []),
    ],
)
def test_columns_with_their_ids(text: str, found: list[tuple[str, int]]) -> None:
    assert list(attributes(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a#1 AS b#2", ("a#1", "b", 2)),
        ("(a#1 + 1) AS b#2L", ("(a#1 + 1)", "b", 2)),
        ("cast(a#1 as string) AS b AS c#3", ("cast(a#1 as string) AS b", "c", 3)),
        ("a#1", None),
    ],
)
def test_aliases(text: str, found: tuple[str, str, int] | None) -> None:
    assert alias(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a#1", ("a", 1)),
        ("a#1L", ("a", 1)),
        ("cast(a#1 as bigint)", ("a", 1)),
        ("cast(cast(a#1 as decimal(10,2)) as decimal(12,2))", ("a", 1)),
        ("knownfloatingpointnormalized(normalizenanandzero(a#1))", ("a", 1)),
        ("(a#1 - 1)", None),
        ("lower(a#1)", None),
        ("(cast(a#1 as int) + cast(b#2 as int))", None),
        ("cast(a#1 as int) + cast(b#2 as int)", None),
    ],
)
def test_a_column_is_one_through_casts_only(text: str, found: tuple[str, int] | None) -> None:
    assert single_attribute(text) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("((a#1 > 1) AND (b#2 = x))", ["(a#1 > 1)", "(b#2 = x)"]),
        ("(((a AND b) AND c) AND (d OR (e AND f)))", ["a", "b", "c", "d OR (e AND f)"]),
        ("(a) AND (b)", ["a", "b"]),
        ("((a = AND", ["((a = AND"]),
    ],
)
def test_conjuncts_are_flat(text: str, parts: list[str]) -> None:
    found = conjuncts(text)
    assert [part.strip("()") for part in found] == [part.strip("()") for part in parts]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(d_date#5 >= 2024-01-01)", "(d_date#812 >= 2024-01-02)"),
        ("(d_year#5L = 2001)", "(d_year#9L = 1998)"),
        ("(s#1 = Williamson County)", "(s#1 = Fairview)"),
        ("s#1 IN (a,b,c)", "s#1 IN (d)"),
        ("s#1 IN (1,2,3)", "s#1 INSET 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        ("(sum(x)#12L > scalar-subquery#34 [id=#56])", "(sum(x)#98L > scalar-subquery#76 [id=#54])"),
        ("(_gen_alias_12#12 > 5)", "(_gen_alias_777#777 > 5)"),
        ("substr(s#1, 1, 2)", "substr(s#1, 3, 4)"),
        ("(a#1 > 5.5)", "(a#1 > -7)"),
        ("StartsWith(s#1, Jan)", "StartsWith(s#1, Feb)"),
    ],
)
def test_a_skeleton_outlives_literals_and_ids(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a#1 > 5)", "(a#1 >= 5)"),
        ("(a#1 > 5)", "(b#1 > 5)"),
        ("(a#1 = b#2)", "(b#2 = a#1)"),
        ("lower(a#1)", "upper(a#1)"),
        ("((a#1 > 5) AND (b#2 > 5))", "((a#1 > 5) OR (b#2 > 5))"),
        ("(a#1 > b#2)", "(a#1 > 2)"),
        ("a#1 IN (1,2)", "NOT a#1 IN (1,2)"),
    ],
)
def test_a_skeleton_tells_different_expressions_apart(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
