"""Reading the conditions that plans print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.plan.condition import (
    And,
    Column,
    Comparison,
    Condition,
    Constant,
    In,
    IsNotNull,
    IsNull,
    Like,
    Literal,
    Not,
    Operator,
    Or,
    Pattern,
    Unknown,
    columns,
    read_condition,
)

A, B, S = Column("a", 1), Column("b", 2), Column("s", 3)


def equal(column: Column, value: str) -> Comparison:
    return Comparison(Operator.EQUAL, column, Literal(value))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("(a#1 = 5)", equal(A, "5")),
        ("(a#1L <=> -5)", Comparison(Operator.NULL_SAFE_EQUAL, A, Literal("-5"))),
        ("(5 < a#1)", Comparison(Operator.LESS, Literal("5"), A)),
        ("(a#1 >= b#2)", Comparison(Operator.GREATER_OR_EQUAL, A, B)),
        ("(a#1 > 2001-01-01)", Comparison(Operator.GREATER, A, Literal("2001-01-01"))),
        ("(a#1 <= 2001-01-01 00:00:00.5)", Comparison(Operator.LESS_OR_EQUAL, A, Literal("2001-01-01 00:00:00.5"))),
        ("(cast(a#1 as bigint) = b#2L)", Comparison(Operator.EQUAL, Column("a", 1, cast=True), B)),
        ("(upper(s#3) = X)", Comparison(Operator.EQUAL, Unknown("upper(s#3)"), Literal("X"))),
        ("(-a#1 = 5)", Comparison(Operator.EQUAL, Unknown("-a#1"), Literal("5"))),
        ("isnull(a#1)", IsNull(A)),
        ("isnotnull(cast(a#1 as int))", IsNotNull(Column("a", 1, cast=True))),
        ("a#1 IN (1,2,null)", In(A, ("1", "2", "null"))),
        ("a#1 INSET 1, 2, 3", In(A, ("1", "2", "3"))),
        ("NOT a#1 IN (1,2)", Not(In(A, ("1", "2")))),
        ("s#3 LIKE a_b%c", Like(Pattern.LIKE, S, "a_b%c")),
        ("StartsWith(s#3, ab)", Like(Pattern.STARTS_WITH, S, "ab")),
        ("NOT EndsWith(s#3, a, b)", Not(Like(Pattern.ENDS_WITH, S, "a, b"))),
        ("Contains(s#3, )", Like(Pattern.CONTAINS, S, "")),
        ("true", Constant(True)),
        ("null", Constant(None)),
        (
            "((isnotnull(a#1) AND (a#1 = 5)) AND NOT b#2 IN (1,2))",
            And((IsNotNull(A), equal(A, "5"), Not(In(B, ("1", "2"))))),
        ),
        ("(isnull(a#1) AND (isnull(b#2) AND (a#1 = 1)))", And((IsNull(A), And((IsNull(B), equal(A, "1")))))),
        ("((isnull(a#1) OR isnull(b#2)) AND (a#1 = 1))", And((Or((IsNull(A), IsNull(B))), equal(A, "1")))),
        ("(isnotnull(a#1) && (a#1 = 5))", And((IsNotNull(A), equal(A, "5")))),
        ("(a#1 INSET 1, 2 OR b#2 INSET 3, 4)", Or((In(A, ("1", "2")), In(B, ("3", "4"))))),
        ("(s#3 LIKE a% AND isnull(a#1))", And((Like(Pattern.LIKE, S, "a%"), IsNull(A)))),
    ],
)
def test_conditions_as_catalyst_prints_them(text: str, condition: Condition) -> None:
    assert read_condition(text) == condition


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("(s#3 = )", equal(S, "")),
        ("(s#3 =  )", equal(S, " ")),
        ("(s#3 = x AND y)", equal(S, "x AND y")),
        ("(s#3 = a = b)", equal(S, "a = b")),
        ("((s#3 = a OR b) AND isnull(a#1))", And((equal(S, "a OR b"), IsNull(A)))),
        ("s#3 IN (x y, AND ,z)", In(S, ("x y", " AND ", "z"))),
    ],
)
def test_strings_are_not_quoted(text: str, condition: Condition) -> None:
    assert read_condition(text) == condition


@pytest.mark.parametrize(
    "text",
    [
        *("", "a#1", "a#1 = 5", "5", "NOT", "AND", "()", "(a#1)", "((a#1 = 5))", "exists#5 []"),
        # Brackets that do not pair, or pair otherwise than Catalyst's do.
        *(
            "(a#1 = 5",
            "a#1 = 5)",
            "((s#3 = :)) AND (a#1 = 1))",
            "(a#1 = 5) AND (b#2 = 6)",
            "isnull(a#1) x",
            "isnull(a#1",
        ),
        # More than one reading: one of the strings holds an AND.
        *(
            "((s#3 = x) AND (y) AND (a#1 = 1))",
            "(isnotnull(s#3) AND s#3 LIKE a AND b)",
            "(s#3 INSET a, b AND c AND true)",
        ),
        # Computed, cut off, or of other kinds.
        *("isnull(f(a#1))", "StartsWith(f(s#3), a)", "f(a#1) IN (1,2)", "a#1 IN (1,b#2)", "a#1 IN (f(x),2)"),
        *("a#1 INSET 1, 2, ... 12 more fields", "(a#1 = 5 ... 3 more characters)", "a#1.b IN (1,2)", "a#1[0] IN (1,2)"),
        *("s#3 RLIKE x", "CASE WHEN (a#1 = 1) THEN true ELSE false END", "(a#1 IN (1,2) = true)"),
    ],
)
def test_what_cannot_be_read_for_sure_is_unknown(text: str) -> None:
    assert read_condition(text) == Unknown(text)


def test_what_is_unknown_leaves_the_rest_to_be_read() -> None:
    condition = read_condition("((a#1 = 5) AND (s#3 RLIKE x OR isnull(b#2)))")
    assert condition == And((equal(A, "5"), Or((Unknown("s#3 RLIKE x"), IsNull(B)))))
    assert list(columns(condition)) == [A, B]


def test_a_long_chain_is_one_level_and_a_deep_nest_ends_in_unknown() -> None:
    depth = 20_000
    chain = read_condition("(" * depth + "isnull(a#1)" + " AND (b#2 = 1))" * depth)
    assert isinstance(chain, And) and len(chain.parts) == depth + 1
    nest = read_condition("(isnull(a#1) AND " * depth + "isnull(b#2)" + ")" * depth)
    assert 1 < len(list(columns(nest))) < depth
    assert list(columns(read_condition("NOT " * depth + "isnull(a#1)"))) == []


CONDITIONS = st.recursive(
    st.builds(Comparison, st.sampled_from(Operator), st.just(A), st.sampled_from([Literal("5"), Literal("x, y"), B]))
    | st.sampled_from([IsNull(A), IsNotNull(B), In(A, ("1", "2")), In(S, tuple("abcdefghijkl")), Constant(None)])
    | st.sampled_from([Like(Pattern.LIKE, S, "a%"), Like(Pattern.CONTAINS, S, "b")]),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(lambda a, b: And((a, b)), inner, inner)
        | st.builds(lambda a, b: Or((a, b)), inner, inner)
    ),
    max_leaves=12,
)


def printed(condition: Condition) -> str:
    """A condition as Catalyst prints it."""
    match condition:
        case And(parts) | Or(parts):
            word = "AND" if isinstance(condition, And) else "OR"
            text = printed(parts[0])
            for part in parts[1:]:
                text = f"({text} {word} {printed(part)})"
            return text
        case Not(inner):
            return f"NOT {printed(inner)}"
        case Comparison(operator, left, right):
            return f"({side(left)} {operator} {side(right)})"
        case In(column, values):
            listed = f"INSET {', '.join(values)}" if len(values) > 10 else f"IN ({','.join(values)})"
            return f"{side(column)} {listed}"
        case IsNull(column):
            return f"isnull({side(column)})"
        case IsNotNull(column):
            return f"isnotnull({side(column)})"
        case Like(Pattern.LIKE, column, text):
            return f"{side(column)} LIKE {text}"
        case Like(pattern, column, text):
            return f"{pattern}({side(column)}, {text})"
        case _:
            return "null"


def side(operand: Column | Literal | Unknown) -> str:
    return f"{operand.name}#{operand.id}" if isinstance(operand, Column) else operand.text


@given(CONDITIONS)
def test_what_is_printed_is_read_back(condition: Condition) -> None:
    assert printed(read_condition(printed(condition))) == printed(condition)
    assert "Unknown" not in repr(read_condition(printed(condition)))
