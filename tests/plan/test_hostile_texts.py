"""Plan texts made to be slow, to break a parser or to steer a terminal: read in linear time, into names that are safe."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import AT_LENGTH
from tuner.model.application import PlanInfo
from tuner.plan.condition import read_condition
from tuner.plan.estimates import read_estimates
from tuner.plan.expression import attributes, conjuncts, single_attribute, skeleton, split_top_level
from tuner.plan.fingerprint import fingerprint
from tuner.plan.joins import every_join, find_joins, planned_joins
from tuner.plan.literals import query_values
from tuner.plan.node import PlanNode, build_tree
from tuner.plan.relation import normalise_path, relation_name
from tuner.plan.shuffles import find_shuffles

from .list_cases import HOSTILE_LISTS

OPERATORS = (
    *("Filter", "Project", "HashAggregate", "Window", "TakeOrderedAndProject", "Exchange", "Execute InsertInto"),
    *("SortMergeJoin", "BroadcastHashJoin", "BroadcastNestedLoopJoin", "CartesianProduct", "ReusedExchange"),
)
PARTS = (
    *(
        "a",
        "a#",
        "a#1",
        "#1",
        "a.",
        "(",
        "()",
        "((a AND b) AND ",
        "[",
        "[]",
        "]",
        ")",
        "a AND ",
        " AND ",
        ",",
        "\\",
        "'",
    ),
    *("cast(", "cast(a as ", " AS ", "a AS b#1 ", " as ", "_gen_alias_1", "x#1 = ", "NOT ", "''", '"', "`", "`a`."),
    *("Location: a[", "Location: ", "/*", "a=", "2024-01-01", "20240101", "1", "/", "a/", "://", "://a:", "s3:/"),
    *("abcdef01-", "Statistics(sizeInBytes=1", "+- Join\n", "\n", "hashpartitioning(", "keys=[", "JDBCRelation("),
    *("((a#1 = 1) OR ", "isnull(", "a#1 INSET 1, ", "a#1 IN (", " LIKE ", "NOT NOT ", "(a#1 = "),
    *("InsertInto ", "--", "$a$", "q'", "?a=", "https://", "\x1b[31m", "\u202e", "¶", "९#९"),
)
LENGTH = 6_000


def plan_of(operator: str, text: str) -> PlanInfo:
    """An operator that says `text`, over two scans that are named by it or say it too."""
    scans = PlanInfo(f"Scan {text}", f"Scan {text}[a#1]"), PlanInfo("BatchScan", text, (), {"Location": f"X[{text}]"})
    return PlanInfo(operator, f"{operator} {text}", scans)


def read_all(info: PlanInfo, text: str) -> tuple[PlanNode, list[str]]:
    """All that is read from a plan, and the names in it that are stored and shown."""
    root = build_tree(info, {})
    joins = every_join(root)
    sites = find_joins(root, planned_joins(joins, read_estimates("Join x\n" + text)))
    find_shuffles(root, {})
    fingerprint(root, joins)
    names = [relation_name(child) for child in root.children]
    for site in sites:
        names += [*site.left.relations, *site.right.relations, *(name for pair in site.keys for name in pair)]
    return root, names


@pytest.mark.parametrize("part", PARTS)
def test_no_text_takes_more_than_linear_time(part: str) -> None:
    text = part * (LENGTH // len(part))
    started = time.process_time()
    for wrapped in (text, f"[({text} x)]", text + ")" * text.count("(")):
        read_estimates(wrapped)
        normalise_path(wrapped)
        single_attribute(wrapped)
        conjuncts(wrapped)
        read_condition(wrapped)
        # By day a sixth of the operators for each part, all of them for all parts together.
        for operator in OPERATORS if AT_LENGTH else OPERATORS[PARTS.index(part) % 6 :: 6]:
            _, names = read_all(plan_of(operator, wrapped), wrapped)
            assert all(len(name) <= 500 and "\x1b" not in name and "\u202e" not in name for name in names)
    assert time.process_time() - started < 4


@pytest.mark.parametrize("text", HOSTILE_LISTS)
def test_values_of_no_text_take_more_than_linear_time(text: str) -> None:
    scan = PlanInfo("Scan parquet db.t", "Scan parquet db.t[a#1]")
    plan = build_tree(PlanInfo("Filter", f"Filter a#1{text}", (scan,)), {})
    started = time.process_time()
    query_values(plan, None)
    query_values(plan, f"Filter a#1{text}\n+- Relation db.t[a#1] parquet\n")
    assert time.process_time() - started < 1


@given(st.sampled_from(OPERATORS), st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=20))
def test_any_text_is_read_into_printable_names(operator: str, parts: list[str]) -> None:
    text = "".join(parts)
    read_condition(text)
    root, names = read_all(plan_of(operator, text), text)
    assert len(list(root.walk())) == 3
    assert all(name.encode().decode() == name and len(name.splitlines()) <= 1 for name in names)
    assert not any(char < " " or "\x7f" <= char < "\xa0" for name in names for char in name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(a#1 = b#2L)", [("a", 1), ("b", 2)]),
        ("a#b#12", [("a#b", 12)]),
        ("a#1b#2", [("a", 1), ("b", 2)]),
        (f"a#{'1' * 5000}", []),
        ("#1#2", [("#1", 2)]),
        ("#1", []),
    ],
)
def test_columns_of_a_text(text: str, found: list[tuple[str, int]]) -> None:
    assert list(attributes(text)) == found


def test_numbers_too_long_to_be_numbers_are_no_numbers() -> None:
    long = "9" * 5000
    exchange = build_tree(PlanInfo("Exchange", f"Exchange hashpartitioning(a#1, {long})", (PlanInfo("Scan"),)), {})
    assert find_shuffles(exchange, {}) == ()
    statistics = f"Join\n:- A [a#1], Statistics(sizeInBytes={long} B)\n+- B [b#2], Statistics(sizeInBytes=1.2.3 B)"
    assert read_estimates(statistics).side([1]).bytes is None
    assert read_estimates(statistics).side([2]).bytes is None


def test_a_deep_condition_is_taken_apart_at_every_level() -> None:
    depth = 20_000
    left = "(" * depth + "a" + "".join(f" AND b{n})" for n in range(depth))
    right = "".join(f"(a{n} AND " for n in range(depth)) + "b" + ")" * depth
    assert conjuncts(left) == ["a", *(f"b{n}" for n in range(depth))]
    assert conjuncts(right) == [*(f"a{n}" for n in range(depth)), "b"]


def test_names_that_are_cut_are_still_told_apart() -> None:
    one, other = (relation_name(PlanNode("Scan", "Scan parquet db." + "t" * 5000 + end, "", {}, {})) for end in "ab")
    assert len(one) == len(other) == 500
    assert one != other


def test_functions_and_operators_between_columns() -> None:
    text = "((upper(a#1) = b#2) AND NOT c#3 IN (1,2)) OR (a#1b#2 <=> x.f(3))"
    assert skeleton(text) == "upper a = b AND NOT c IN OR a b <=> f"
    assert split_top_level("a, (b, c), [d, e]") == ["a", "(b, c)", "[d, e]"]
