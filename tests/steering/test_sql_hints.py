"""Join hints written into SQL text: the cases of fixtures/join_hints.sql, and what holds for every text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.model.action import Hint
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.steering.sql_hints import JoinHintRequest, add_join_hints

FIXTURE = Path(__file__).parent / "fixtures" / "join_hints.sql"
OUR_HINT = re.compile(r" /\*\+ (?:BROADCAST|MERGE|SHUFFLE_HASH)\(.*?\) \*/")
DATES = JoinHintRequest(Hint.BROADCAST, "dates", (("dates.id", "orders.day_id"),))


@dataclass(frozen=True, slots=True)
class Case:
    title: str
    requests: tuple[JoinHintRequest, ...]
    statement: str
    expected: str
    skip: str


def _request(line: str) -> JoinHintRequest:
    everywhere = line.endswith(" everywhere")
    hint, _, keys = line.removesuffix(" everywhere").partition(" ")
    pairs = [tuple(pair.split(" = ")) for pair in keys.split(" and ") if " = " in pair]
    relation = pairs[0][0].rpartition(".")[0] if pairs else keys
    return JoinHintRequest(Hint(hint), relation, tuple((own, other) for own, other in pairs), everywhere)


def _case(block: str) -> Case:
    lines = block.splitlines()
    requests = tuple(_request(line.removeprefix("# hint: ")) for line in lines if line.startswith("# hint: "))
    body = "\n".join(line for line in lines[1:] if not line.startswith("# "))
    statement, _, result = (part.strip() for part in body.rstrip().removesuffix(";").partition(";\n"))
    skip = result.removeprefix("skip: ") if result.startswith("skip: ") else ""
    return Case(lines[0], requests, statement, statement if skip else result, skip)


CASES = [_case(block) for block in FIXTURE.read_text(encoding="utf-8").split("# case: ")[1:]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_fixture(case: Case) -> None:
    hinted = add_join_hints(case.statement, case.requests)
    if case.skip:
        assert case.skip in hinted.skipped[-1].reason
        assert [skipped.request for skipped in hinted.skipped] == [case.requests[-1]]
    else:
        assert (hinted.text, hinted.skipped) == (case.expected, ())
        assert hinted.applied == case.requests
    assert OUR_HINT.sub("", hinted.text) == OUR_HINT.sub("", case.statement)


def test_users_hint_is_told_by_itself() -> None:
    hinted = add_join_hints("SELECT /*+ MAPJOIN(o) */ 1 FROM orders o JOIN dates d ON o.day_id = d.id", [DATES])
    assert [skipped.users_hint for skipped in hinted.skipped] == ["MAPJOIN(o)"]


def test_reasons_do_not_quote_the_statement() -> None:
    hinted = add_join_hints("SELECT * FROM dates WHERE password = 'hunter2' AND (", [DATES])
    assert "hunter2" not in hinted.skipped[0].reason


def test_nothing_is_logged_of_statements_sqlglot_does_not_know(caplog: pytest.LogCaptureFixture) -> None:
    add_join_hints("CREATE FUNCTION f AS 'hunter2' USING JAR 'x'; ", [DATES])
    assert "hunter2" not in caplog.text


def test_measured_keys_tell_whose_a_column_is() -> None:
    text = "SELECT 1 FROM orders, returns, dates WHERE o_id = r_order_id AND r_day_id = d_id"
    request = JoinHintRequest(Hint.BROADCAST, "dates", (("dates.d_id", "returns.r_day_id"),))
    assert "meet without a join condition" in add_join_hints(text, [request]).skipped[0].reason
    hinted = add_join_hints(text, [request], measured_keys=[("returns.r_order_id", "orders.o_id")])
    assert hinted.text.startswith("SELECT /*+ BROADCAST(dates) */ 1")


def test_a_side_of_a_measured_join_becomes_a_request() -> None:
    dates, joined = JoinSide(("dates",)), JoinSide(("items", "orders"))
    site = JoinSite(
        signature="s",
        occurrence=0,
        type=JoinType.INNER,
        strategy=Strategy.SORT_MERGE,
        build_side=None,
        keys=(("orders.day_id", "dates.id"),),
        left=joined,
        right=dates,
        output_rows=None,
        planned_strategy=None,
    )
    assert JoinHintRequest.for_side(Hint.BROADCAST, site, BuildSide.RIGHT) == DATES
    assert JoinHintRequest.for_side(Hint.BROADCAST, site, BuildSide.LEFT) is None


def test_every_tpcds_query_is_read(tpcds_texts: dict[int, str]) -> None:
    absent = JoinHintRequest(Hint.BROADCAST, "no_such_table")
    reasons = {add_join_hints(text, [absent]).skipped[0].reason for text in tpcds_texts.values()}
    assert len(tpcds_texts) == 99
    assert {"not named" in reason for reason in reasons} == {True}


DIMENSIONS = {
    "date_dim.d_date_sk": ("store_sales.ss_sold_date_sk", "catalog_sales.cs_sold_date_sk", "web_sales.ws_sold_date_sk"),
    "item.i_item_sk": ("store_sales.ss_item_sk", "catalog_sales.cs_item_sk", "web_sales.ws_item_sk"),
    "store.s_store_sk": ("store_sales.ss_store_sk",),
    "customer.c_customer_sk": ("store_sales.ss_customer_sk", "web_sales.ws_bill_customer_sk"),
}


def test_tpcds_queries_change_by_the_hints_alone(tpcds_texts: dict[int, str]) -> None:
    pairs = [(own, other) for own, others in DIMENSIONS.items() for other in others]
    requests = [
        JoinHintRequest(Hint.BROADCAST, own.partition(".")[0], ((own, other),), everywhere=True) for own, other in pairs
    ]
    hinted = {number: add_join_hints(text, requests, pairs) for number, text in tpcds_texts.items()}
    assert all(OUR_HINT.sub("", hinted[number].text) == text for number, text in tpcds_texts.items())
    assert sum(bool(result.applied) for result in hinted.values()) >= 60


VOCABULARY = """
    SELECT FROM JOIN ON WHERE orders o dates d AS , ( ) = . ; o.day_id d.id * /*+ */ /* -- ' " ` UNION WITH IN EXISTS
    BROADCAST(d) INSERT INTO VALUES CASE WHEN END LATERAL VIEW explode CREATE TABLE 1 |> USING NOT CROSS
"""
SENTENCES = st.lists(st.sampled_from([*VOCABULARY.split(), "\n"]), max_size=25).map(" ".join)


@given(st.one_of(st.text(), SENTENCES))
def test_never_raises_and_never_loses_text(text: str) -> None:
    hinted = add_join_hints(text, [DATES, JoinHintRequest(Hint.MERGE, "orders")])
    assert OUR_HINT.sub("", hinted.text) == OUR_HINT.sub("", text)
    assert hinted.applied or hinted.text == text
    assert len(hinted.applied) + len(hinted.skipped) == 2


@pytest.mark.parametrize(
    "text",
    [
        "FROM orders o JOIN dates d ON o.day_id = d.id SELECT o.id",
        "FROM orders o |> JOIN dates d ON o.day_id = d.id |> SELECT o.id",
        "FROM orders o JOIN dates d ON o.day_id = d.id INSERT INTO a SELECT o.id INSERT INTO b SELECT d.id",
        "BEGIN SELECT 1 FROM orders o JOIN dates d ON o.day_id = d.id; END",
        "SELECT 1 FROM orders o JOIN dates d ON o.day_id = d.id; SELECT 2",
    ],
)
def test_what_has_no_sure_place_stays(text: str) -> None:
    hinted = add_join_hints(text, [DATES])
    assert (hinted.text, hinted.applied) == (text, ())


def test_no_requests_no_change() -> None:
    assert add_join_hints("anything ( at all", []).text == "anything ( at all"


def test_deep_nesting_is_left_alone_or_read() -> None:
    text = "SELECT 1 FROM orders o JOIN dates d ON o.day_id = d.id AND " + "(" * 3000 + "1 = 1" + ")" * 3000
    hinted = add_join_hints(text, [DATES])
    assert OUR_HINT.sub("", hinted.text) == text
