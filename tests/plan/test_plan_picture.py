"""Pictures of plans: what is drawn and what is left out, rows between steps, reuse, and words without literals."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Execution, Stage
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.joins import every_join
from tuner.plan.node import PlanNode, ran_as
from tuner.plan.plan_picture import MOST_STEPS, picture_of
from tuner.plan.queries import query_and_plans

from .test_hostile_texts import LENGTH, PARTS
from .trees import fixture, parse

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"
ORDERS = "Scan parquet default.orders | [k#1, day#2, note#5] | number of output rows=50; size of files read=900"
ITEMS = "Scan parquet default.items | [k#3, name#4] | number of output rows=7; size of files read=100"


def execution(text: str, **fields: object) -> Execution:
    info, accumulators = parse(text)
    whole = Execution(4, 4, "nightly report", 1000, 3500, None, info, None, {}, (0,), accumulators=accumulators)
    return replace(whole, **fields)  # type: ignore[arg-type]


def picture(text: str, **fields: object) -> PlanPicture:
    plans = query_and_plans(execution(text, **fields), ())
    assert plans is not None
    return picture_of(plans[0], plans[2])


def drawn(found: PlanPicture) -> list[str]:
    """A line a step, indented under the one it feeds: `kind label rows bytes`."""
    lines, waiting = [], [(0, 0)]
    while waiting:
        position, depth = waiting.pop()
        step = found.steps[position]
        size = "" if step.bytes is None else f" {step.bytes}B"
        lines.append(f"{'  ' * depth}{step.kind}: {step.label}; {step.rows}{size}")
        waiting.extend((i, depth + 1) for i in reversed(step.inputs))
    return lines


def labels(text: str) -> list[str]:
    return [step.label for step in picture(text).steps]


def lines(text: str) -> list[str]:
    block = [line for line in text.splitlines() if line.strip()]
    margin = len(block[0]) - len(block[0].lstrip())
    return [line[margin:] for line in block]


def test_a_plan_without_its_wrappers_sorts_and_projections() -> None:
    found = picture(fixture("star.txt"))
    assert drawn(found) == lines("""
        join: orders.store_sk = store.s_store_sk; 90
          shuffle: shuffle by store_sk; 100 2400B
            join: orders.day_sk = date_dim.d_date_sk; 100
              shuffle: shuffle by day_sk; 400 9600B
                filter: filter on day_sk, store_sk; 400
                  scan: orders; 500 7000B
              broadcast: broadcast; 31 512B
                shuffle: shuffle by d_date_sk; 31 744B
                  filter: filter on d_moy; 31
                    scan: date_dim; 365 900B
          shuffle: shuffle by s_store_sk; 12 240B
            scan: store; 12 300B
    """)
    assert (found.query, found.description) == (query_of(fixture("star.txt")).fingerprint, "nightly report")


def query_of(text: str) -> Query:
    plans = query_and_plans(execution(text), ())
    assert plans is not None
    return plans[0]


def test_a_join_says_how_it_ran_and_which_one_it_is() -> None:
    joins = [step for step in picture(fixture("star.txt")).steps if step.kind is StepKind.JOIN]
    sites = query_of(fixture("star.txt")).joins
    assert [(j.signature, j.occurrence) for j in joins] == [(s.signature, s.occurrence) for s in sites]
    assert [(j.operator, j.strategy, j.build_side) for j in joins] == [
        ("SortMergeJoin", Strategy.SORT_MERGE, None),
        ("BroadcastHashJoin", Strategy.BROADCAST_HASH, BuildSide.RIGHT),
    ]


def test_a_right_outer_join_is_turned_round_as_its_site_is() -> None:
    text = f"""
        BroadcastHashJoin | [k#1], [k#3], RightOuter, BuildLeft, false | number of output rows=7
          BroadcastExchange | HashedRelationBroadcastMode(List(input[0, bigint, true]),false) | data size=64
            {ORDERS}
          {ITEMS}
    """
    found = picture(text)
    assert drawn(found) == lines("""
        join: left outer: items.k = orders.k; 7
          scan: items; 7 100B
          broadcast: broadcast; 50 64B
            scan: orders; 50 900B
    """)
    assert found.steps[0].build_side is BuildSide.RIGHT


def test_a_filter_that_drops_nothing_is_left_out() -> None:
    assert drawn(picture(f"Filter | isnotnull(k#1) | number of output rows=50\n  {ORDERS}")) == [
        "scan: orders; 50 900B"
    ]


def test_a_filter_whose_rows_nobody_counted_is_drawn() -> None:
    assert drawn(picture(f"Filter | isnotnull(k#1)\n  {ORDERS}"))[0] == "filter: filter on k; None"


def test_rows_that_an_operator_does_not_count_are_those_of_the_shuffle_that_takes_them() -> None:
    text = f"""
        Exchange | SinglePartition, ENSURE_REQUIREMENTS, [plan_id=7] | data size=80; shuffle records written=5
          Project | [k#1]
            LocalLimit | 5
              {ORDERS}
    """
    assert drawn(picture(text)) == lines("""
        shuffle: shuffle into one partition; 5 80B
          other: first rows of each partition; 5
            scan: orders; 50 900B
    """)


def test_aggregates_windows_and_unions_by_their_columns() -> None:
    text = f"""
        TakeOrderedAndProject | (limit=100, orderBy=[day#2 ASC NULLS FIRST], output=[day#2])
          Window | [rank(day#2) windowspecdefinition(k#1) AS place#9], [k#1], [day#2 ASC NULLS FIRST]
            Union | | number of output rows=9
              HashAggregate | (keys=[k#1, day#2], functions=[sum(note#5)]) | number of output rows=4
                Exchange | hashpartitioning(k#1, day#2, 200), ENSURE_REQUIREMENTS, [plan_id=3] | shuffle records written=6
                  HashAggregate | (keys=[k#1, day#2], functions=[partial_sum(note#5)]) | number of output rows=6
                    {ORDERS}
              HashAggregate | (keys=[], functions=[count(1)]) | number of output rows=5
                {ITEMS}
    """
    assert drawn(picture(text)) == lines("""
        other: first rows in order; None
          window: window by k; 9
            union: union of 2; 9
              aggregate: group by k, day; 4
                shuffle: shuffle by k, day; 6
                  aggregate: partial group by k, day; 6
                    scan: orders; 50 900B
              aggregate: total; 5
                scan: items; 7 100B
    """)


def test_a_subquery_is_counted_and_not_drawn() -> None:
    text = f"""
        Filter | (k#1 > Subquery subquery#7) | number of output rows=3
          {ORDERS}
          Subquery | subquery#7
            {ITEMS}
    """
    assert drawn(picture(text)) == ["filter: filter on k (1 subquery); 3", "  scan: orders; 50 900B"]


class TestReuse:
    def reused(self) -> str:
        """What an exchange repeats is shown again in full by AQE, with the same metrics."""
        return fixture("reused.txt").replace("      *", "")

    def test_an_exchange_is_drawn_where_it_stands_first(self) -> None:
        assert drawn(picture(self.reused())) == lines("""
            join: sales.item_sk = item_sk; 7
              shuffle: shuffle by item_sk; 10 80B
                join: sales.item_sk = item.i_item_sk; 10
                  scan: sales; 40
                  broadcast: broadcast; 4 64B
                    scan: item; 4
              shuffle: reused shuffle of item, sales; 10 80B
        """)

    def test_one_that_is_shown_in_full_under_each_reuse_is_drawn_once(self) -> None:
        plans = query_and_plans(execution(self.reused()), ())
        assert plans is not None
        _, _, root = plans
        first, again = root.children[0].children[0], root.children[1].children[0]
        full = msgspec.structs.replace(again, children=(first,))
        for inputs in ((first, full), (full, first)):
            found = picture_of(plans[0], msgspec.structs.replace(root, children=inputs))
            assert [step.operator for step in found.steps if step.kind is StepKind.SHUFFLE] == [
                "Exchange",
                "ReusedExchange",
            ]
            assert drawn(found)[-1].strip() == "shuffle: reused shuffle of item, sales; 10 80B"

    def test_one_of_what_the_plan_does_not_show(self) -> None:
        text = f"SortMergeJoin | [k#1], [k#3], Inner\n  {ORDERS}\n  ReusedExchange | [k#3], Exchange SinglePartition"
        assert labels(text)[-1] == "reused exchange"


class TestCaches:
    FILLED = f"Project | [k#1]\n      Filter | (day#2 = 5) | number of output rows=9\n        {ORDERS}"
    TEXT = "{cache} | [k#11] | number of output rows=9\n  {below}"

    def test_one_that_the_query_filled_is_drawn_with_what_filled_it(self) -> None:
        text = self.TEXT.format(cache="Scan In-memory table kept", below=self.FILLED)
        assert [step.label for step in picture(text).steps] == ["cached kept", "filter on day", "orders"]

    def test_one_that_another_query_filled_is_not(self) -> None:
        below = re.sub(r"=\d+(?=;|$)", "=", self.FILLED, flags=re.MULTILINE)
        text = self.TEXT.format(cache="InMemoryTableScan", below=below)
        assert drawn(picture(text)) == ["scan: cached; 9"]


def test_what_aqe_found_empty_has_no_rows() -> None:
    text = f"""
        EmptyRelation | [plan_id=7]
          GlobalLimit | 100
            EmptyRelation | LogicalQueryStage Aggregate [k#1]
              LogicalQueryStage | Aggregate [k#1]
                HashAggregate | (keys=[k#1], functions=[]) | number of output rows=
                  {ORDERS}
    """
    assert [line.strip() for line in drawn(picture(text))] == [
        "other: no rows; 0",
        "aggregate: group by k; 0",
        "scan: orders; 50 900B",
    ]


class TestNamesOfColumns:
    """A string stands in a plan without quotes: only names that the plan gives to columns are told."""

    @pytest.mark.parametrize(
        ("condition", "label"),
        [
            ("((isnotnull(day#2) AND (day#2 = secret)) AND isnotnull(k#1))", "filter on day"),
            ("((day#2 = 4711) OR k#1 IN (4711,815))", "filter on day, k"),
            ("(note#5 = ticket#33)", "filter on note, computed columns"),
            ("(note#5 LIKE %secret#5%)", "filter on note"),
            ("StartsWith(note#5, (secret)", "filter on note"),
            ("(note#5 = a) AND secret", "filter on note"),
            ("(sum(k)#30L > 4711)", "filter"),
            ("(isnotnull(total#31) AND (total#31 > 4711))", "filter on total"),
            ("((note#5 = x) AND isnotnull(ticket#33))", "filter on note"),
            ("((note#5 = ticket#33 AND isnotnull(ticket#33) AND x)", "filter on note, computed columns"),
            ("(total#31 > 4711)", "filter on computed columns"),
        ],
    )
    def test_of_a_filter(self, condition: str, label: str) -> None:
        assert labels(f"Filter | {condition} | number of output rows=1\n  {ORDERS}")[0] == label

    @pytest.mark.parametrize(
        ("computed", "label"),
        [
            ("secret AS channel#9", "group by channel"),
            ("secret AS secret#9", "group by computed columns"),
            ("Secret AS secret#9", "group by computed columns"),
            ("4711 AS 4711#9", "group by computed columns"),
            ("substring(note#5, 0, 4711) AS _groupingexpression#9", "group by computed columns"),
            ("concat(note#5, secret) AS concat(note,secret)#9", "group by computed columns"),
            ("(k#1 * 4711) AS price#9", "group by price"),
            ("day#2 AS year#9", "group by day"),
        ],
    )
    def test_of_what_a_projection_computes(self, computed: str, label: str) -> None:
        name = computed.rpartition(" AS ")[2]
        text = f"HashAggregate | (keys=[{name}], functions=[count(1)])\n  Project | [{computed}]\n    {ORDERS}"
        assert labels(text)[0] == label

    def test_rows_that_the_query_holds_name_their_columns_after_literals(self) -> None:
        text = "HashAggregate | (keys=[secret#9], functions=[count(1)])\n  LocalTableScan | [secret#9]"
        assert labels(text) == ["group by computed columns", "localtablescan"]

    def test_a_scan_without_columns_does_not_name_those_of_its_filters(self) -> None:
        text = "Filter | (ticket#33 = 1)\n  Scan parquet default.orders | Batched: true, DataFilters: [(a = ticket#33)]"
        assert labels(text)[0] == "filter on computed columns"

    def test_keys_of_joins(self) -> None:
        keys = (
            "[cast(k#1 as bigint), coalesce(note#5, secret), total#8], [k#3, coalesce(name#4, secret), upper(secret)]"
        )
        assert labels(f"SortMergeJoin | {keys}, LeftSemi\n  {ORDERS}\n  {ITEMS}")[0] == (
            "left semi: orders.k = items.k, expression(note) = expression(name), computed = computed"
        )
        assert labels(f"SortMergeJoin | [k#1], [total#8], Inner\n  {ORDERS}\n  {ITEMS}")[0] == "orders.k = total"

    def test_a_join_without_keys_by_its_condition(self) -> None:
        join = "BroadcastNestedLoopJoin | BuildRight, {}\n  " + ORDERS + "\n  " + ITEMS
        assert labels(join.format("Inner, (day#2 < (k#3 + 4711))"))[0] == "condition on day, k"
        assert labels(join.format("Cross"))[0] == "cross: no condition"

    def test_many_are_counted(self) -> None:
        columns = ", ".join(f"c{n}#{n}" for n in range(8))
        text = f"HashAggregate | (keys=[{columns}], functions=[])\n  Scan parquet default.wide | [{columns}]"
        assert labels(text)[0] == "group by c0, c1, c2, c3 and 4 more"

    @given(
        st.lists(st.sampled_from([*"#()[],'= ", "#5", "#33", " AND ", " IN (", "note", " ASC", "x AS "]), max_size=12)
    )
    def test_no_literal_is_told_whatever_stands_around_it(self, parts: list[str]) -> None:
        for literal in ("".join([*parts, "s3cret", *parts]), "".join(["s3cret", *parts, "s3cret#33"])):
            root = node(
                "Scan parquet default.orders", f"Scan parquet default.orders[k#1,note#5] [EqualTo(note,{literal})]"
            )
            for text in (
                f"Filter ((isnotnull(note#5) AND (note#5 = {literal})) AND (k#1 > 3))",
                f"Project [k#1, coalesce(note#5, {literal}) AS note#8]",
                f"HashAggregate(keys=[k#1, {literal}#9, note#8], functions=[max(concat(note#5, {literal}))])",
                f"Window [max({literal}) windowspecdefinition(k#1) AS m#10], [k#1, coalesce({literal}, 1)], [k#1 ASC]",
                f"Exchange hashpartitioning(k#1, concat(note#5, {literal}), 200), ENSURE_REQUIREMENTS, [plan_id=7]",
            ):
                root = node(text.partition(" ")[0].partition("(")[0], text, root)
            text = f"SortMergeJoin [concat(note#5, {literal})], [k#3], Inner, (note#5 < {literal})"
            root = node(
                "SortMergeJoin", text, root, node("Scan parquet default.items", "FileScan parquet default.items[k#3]")
            )
            found = picture_of(query_of(ORDERS), root)
            assert found.steps
            assert not any("s3cret" in step.label for step in found.steps)

    def test_a_command_is_named_without_its_query(self) -> None:
        command = node("CacheTableAsSelect", "CacheTableAsSelect kept, SELECT * FROM t WHERE a = 'secret', true")
        assert picture_of(query_of(ORDERS), command).steps[0].label == "cache table as select"
        (step, _) = picture(f"Execute InsertIntoHadoopFsRelationCommand | file:/out/secret=1, false\n  {ORDERS}").steps
        assert (step.operator, step.label) == ("Execute", "insert into hadoop fs relation")


@given(
    st.sampled_from(("Filter", "Project", "HashAggregate", "Exchange", "SortMergeJoin", "Window", "Expand", "Odd one")),
    st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=20),
)
def test_any_text_makes_printable_labels(operator: str, parts: list[str]) -> None:
    text = "".join(parts).replace("|", "").replace("\n", " ")
    root = node(operator, f"{operator} {text}", node("Scan", text), node(f"Scan {text}", f"Scan {text}[a#1]"))
    for step in picture_of(query_of(ORDERS), root).steps:
        assert len(step.label) <= 200 and len(step.label.splitlines()) <= 1
        assert not any(char < " " or "\x7f" <= char < "\xa0" for char in step.label + step.operator)


@pytest.mark.parametrize("part", PARTS)
def test_no_text_takes_more_than_linear_time(part: str) -> None:
    text = part * (LENGTH // len(part))
    started = time.process_time()
    for operator in ("Filter", "Project", "HashAggregate", "Exchange", "SortMergeJoin", "Window", "Expand"):
        picture_of(query_of(ORDERS), node(operator, f"{operator} [{text}]", node("Scan", text)))
    assert time.process_time() - started < 6


def node(name: str, text: str, *children: PlanNode) -> PlanNode:
    return PlanNode(name.partition(" ")[0], name, text, {}, {}, children)


def test_a_plan_of_too_many_steps_has_no_picture() -> None:
    for count, steps in ((MOST_STEPS - 1, MOST_STEPS), (MOST_STEPS, 0)):
        root = node("Union", "Union", *(node("Scan", "Scan") for _ in range(count)))
        assert len(picture_of(query_of(ORDERS), root).steps) == steps
    for operator, steps in (("Project", 1), ("Union", 0)):
        deep = node("Scan", "Scan")
        for _ in range(5000):
            deep = node(operator, operator, deep)
        assert len(picture_of(query_of(ORDERS), deep).steps) == steps


def test_what_is_stored_comes_back_without_defaults() -> None:
    found = picture(fixture("star.txt"))
    encoded = msgspec.json.encode(found)
    assert msgspec.json.decode(encoded, type=PlanPicture) == found
    scan = PlanStep(StepKind.SCAN, "Scan", "default.orders", rows=3)
    assert msgspec.json.encode(scan) == b'{"k":"scan","o":"Scan","l":"default.orders","r":3}'


def test_a_step_that_an_earlier_release_stored_has_no_seconds() -> None:
    stored = b'{"k":"scan","o":"Scan","l":"default.orders","r":3}'
    assert msgspec.json.decode(stored, type=PlanStep) == PlanStep(StepKind.SCAN, "Scan", "default.orders", rows=3)


def test_seconds_of_what_is_left_out_count_for_the_step_that_takes_its_rows() -> None:
    text = f"""
        Project | [k#1] | stage=1
          SortMergeJoin | [k#1], [k#3], Inner | number of output rows=7
            Sort | [k#1 ASC NULLS FIRST], false, 0 | sort time=70
              Exchange | hashpartitioning(k#1, 8) | data size=800
                {ORDERS}
            Sort | [k#3 ASC NULLS FIRST], false, 0 | sort time=30
              Exchange | hashpartitioning(k#3, 8) | data size=600
                {ITEMS}
    """
    plans = query_and_plans(execution(text), ())
    assert plans is not None
    seconds = {ran_as(node): 2.0**n for n, node in enumerate(plans[2].walk())}
    found = picture_of(plans[0], plans[2], seconds)
    # Left out are the projection (1) on top of the join (2), and the join's sorts (4, 32).
    assert [(step.label, step.seconds) for step in found.steps] == [
        ("orders.k = items.k", 1 + 2 + 4 + 32),
        ("shuffle by k", 8),
        ("orders", 16),
        ("shuffle by k", 64),
        ("items", 128),
    ]
    assert {step.seconds for step in picture(text).steps} == {None}


def test_what_a_plan_shows_twice_took_its_seconds_once() -> None:
    plans = query_and_plans(execution(fixture("reused.txt")), ())
    assert plans is not None
    operators = {ran_as(node) for node in plans[2].walk()}
    found = picture_of(plans[0], plans[2], dict.fromkeys(operators, 1.0))
    assert sum(step.seconds or 0 for step in found.steps) <= len(operators)


@cache
def golden(version: str) -> list[tuple[Query, PlanNode]]:
    found = []
    for source in find_logs(GOLDEN / version):
        found += list(ran(read_application(source)))
    return found


def ran(application: Application) -> Iterator[tuple[Query, PlanNode]]:
    stages: dict[int | None, list[Stage]] = {}
    for stage in application.stages:
        stages.setdefault(stage.execution_id, []).append(stage)
    for found in application.executions:
        if plans := query_and_plans(found, stages.get(found.execution_id, ()), application.steering):
            yield plans[0], plans[2]


def of_the_tree(query: Query, final: PlanNode) -> Counter[tuple[str, int, int | None]]:
    """The joins of a query that ran outside its subqueries, with the rows they put out."""
    elsewhere = {id(below) for below in final.walk_unfilled()}
    in_tree = {frozenset(below.metric_ids.values()) for below in final.walk() if id(below) not in elsewhere}
    kept = {(j.signature, j.occurrence) for j in every_join(final) if frozenset(j.node.metric_ids.values()) in in_tree}
    return Counter(
        (s.signature, s.occurrence, s.output_rows) for s in query.joins if (s.signature, s.occurrence) in kept
    )


def check(query: Query, final: PlanNode) -> None:
    steps = picture_of(query, final).steps
    assert steps
    assert sorted(i for step in steps for i in step.inputs) == list(range(1, len(steps)))
    assert all(i > position for position, step in enumerate(steps) for i in step.inputs)
    joins = Counter((s.signature, s.occurrence, s.rows) for s in steps if s.kind is StepKind.JOIN)
    assert joins == of_the_tree(query, final)
    assert all(0 < len(step.label) <= 200 for step in steps)


@pytest.mark.parametrize("version", sorted(path.name for path in GOLDEN.iterdir()) if GOLDEN.exists() else [])
def test_every_version_of_spark_has_its_plans_drawn(version: str) -> None:
    plans = golden(version)
    assert len(plans) > 4
    for query, final in plans:
        check(query, final)
