"""The hints of a decision in the statements of a `sql=` job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.policy.histories import decided
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import FilterCondition
from tuner.model.strategy import JoinType, Strategy
from tuner.plan.values import values_in
from tuner.steering.statement_hints import (
    LOSES_ROWS,
    LOST_WITH_VALUES,
    OTHER_VALUES,
    UNKNOWN_FILTERS,
    HintedStatements,
    hint_statements,
    suggest_hints,
)

CREATE = "CREATE TABLE t AS SELECT 1"
SALES = "SELECT d.year, sum(s.price) FROM sales s JOIN date_dim d ON s.day = d.id GROUP BY d.year"
HINTED = "SELECT /*+ BROADCAST(d) */ d.year, sum(s.price) FROM sales s JOIN date_dim d ON s.day = d.id GROUP BY d.year"
OTHER = "SELECT * FROM sales s JOIN store t ON s.store = t.id"
JOIN = JoinSite(
    signature="sig",
    occurrence=0,
    type=JoinType.INNER,
    strategy=Strategy.SORT_MERGE,
    build_side=None,
    keys=(("sales.day", "date_dim.id"),),
    left=JoinSide(("sales",), rows=10),
    right=JoinSide(("date_dim",), rows=1),
    output_rows=10,
    planned_strategy=None,
)
ACTION = Action(ActionKind.HINT_JOIN, "sig", Hint.BROADCAST, "q1", ("date_dim",))


def query(
    description: str = "statement 2 of 3", *joins: JoinSite, fingerprint: str = "q1", literals: str = "a"
) -> Query:
    ended = QueryStatus.SUCCEEDED
    return Query(1, 1, fingerprint, description, 0, 1000, ended, joins or (JOIN,), literals=literals, conditions=())


def decision(
    *actions: Action,
    standing: Standing = Standing.TRIAL,
    literals: tuple[str, ...] = ("a",),
    excluded: tuple[str, ...] = (),
) -> Decision:
    changes = (decided(action, standing) for action in actions or (ACTION,))
    return Decision(Mode.AUTO, tuple(replace(one, literals=literals, excluded=excluded) for one in changes))


def hinted(
    decided: Decision, statements: Sequence[str], ran: Sequence[Query], version: str = "4.3.0"
) -> HintedStatements:
    return hint_statements(decided, statements, ran, version)


def test_a_hint_goes_into_the_statement_that_had_the_join() -> None:
    found = hinted(decision(), [CREATE, SALES, OTHER], [query()])
    assert found.statements == (CREATE, HINTED, OTHER)
    assert found.skipped == ()


@pytest.mark.parametrize("standing", [Standing.PROPOSED, Standing.HELD, Standing.ROLLED_BACK])
def test_what_is_not_in_force_is_not_written(standing: Standing) -> None:
    assert hinted(decision(standing=standing), [CREATE, SALES, OTHER], [query()]).statements[1] == SALES


def test_properties_are_not_its_business() -> None:
    conf = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16")
    assert hinted(decision(conf), [SALES], []).skipped == ()


def test_statements_that_differ_in_literals_alone_are_all_hinted() -> None:
    queries = [query("statement 1 of 2"), query("statement 2 of 2")]
    assert hinted(decision(), [SALES, SALES], queries).statements == (HINTED, HINTED)


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1)])
def test_a_hint_is_for_the_values_that_its_change_may_act_on(numbers: tuple[int, int]) -> None:
    ran = [query(f"statement {number} of 2", literals=value) for number, value in zip(numbers, "ab", strict=True)]
    found = hinted(decision(literals=("a",), excluded=("b",)), [SALES, SALES], ran)
    assert found.statements == ((HINTED, SALES) if numbers == (1, 2) else (SALES, HINTED))
    assert found.skipped == ()


@pytest.mark.parametrize(
    ("literals", "why"),
    [("b", LOST_WITH_VALUES), ("c", OTHER_VALUES), ("", OTHER_VALUES)],
    ids=["lost", "new", "unknown"],
)
def test_a_hint_for_other_values_says_why_it_is_held(literals: str, why: str) -> None:
    ran = [query("statement 1 of 1", literals=literals)]
    found = hinted(decision(literals=("a",), excluded=("b",)), [SALES], ran)
    assert (found.statements, found.skipped) == ((SALES,), ((ACTION, why),))


FILTERED = SALES.replace(
    " GROUP", " WHERE d.year = 2001 AND s.kind IN ('a', 'b c') AND s.price > 5 AND s.sold = '2024-01-05' GROUP"
)
MEASURED = values_in(("((year#1 = 2001) AND kind#2 IN (a,b c,d))", "(price#3 > 5.00)", "(sold#4 = 2024-01-04)"))
CONDITIONS = tuple(
    FilterCondition(columns, f"digest of {columns}")
    for columns in ("", "db.date_dim.year", "db.sales.kind", "db.sales.price", "db.sales.sold", "lake.rates.currency")
)


OF_X = FILTERED.replace("sales s", "x s").replace("s.kind", "s.sort")


def measured(description: str) -> Query:
    """The query of FILTERED; its sales have a currency by a view that nobody sees."""
    return replace(query(description), values=MEASURED, conditions=CONDITIONS)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (FILTERED, False),
        (FILTERED.replace("2024-01-05", "2024-01-09"), False),
        (FILTERED.replace("2001", "2002"), True),
        (FILTERED.replace("'a'", "'c'"), True),
        (FILTERED.replace("> 5", "> 6"), True),
        (f"{SALES} HAVING count(*) > 7", True),
        (SALES.replace("d.id", "d.id AND d.year = 1999"), True),
        (f"SELECT * FROM ({FILTERED.replace('2001', '2002')})", True),
        (FILTERED.replace("2001", "2000 + 1"), False),
        (FILTERED.replace("2001", "2000 + 2"), True),
        (FILTERED.replace("d.year =", "1 = 1 AND d.year ="), False),
        (FILTERED.replace("d.year = 2001", "('no' = 'yes' OR d.year = 2001)"), False),
        (FILTERED.replace("'2024-01-05'", "date_sub('2024-01-09', 7)"), False),
        (FILTERED.replace("'2024-01-05'", "DATE '2024-01-09' - INTERVAL 30 DAYS"), False),
        (FILTERED.replace("'2024-01-05'", "add_months(to_date('2024-01-09'), -13)"), False),
        (FILTERED.replace("'2024-01-05'", "year('2024-01-09') - 7"), True),
        (FILTERED.replace("'2024-01-05'", "current_date() - 7"), True),
        (FILTERED.replace(" GROUP", " AND EXISTS (SELECT 1 FROM gifts g WHERE g.day = s.day) GROUP"), False),
        (FILTERED.replace(" GROUP", " AND EXISTS (SELECT 1 FROM gifts g WHERE g.day = 7) GROUP"), True),
        (FILTERED.replace(" GROUP", " AND s.day IN (SELECT 7 FROM gifts) GROUP"), True),
        (FILTERED.replace(" GROUP", " AND s.day IN (SELECT day FROM gifts GROUP BY 1) GROUP"), False),
        (FILTERED.replace("2001", "${year}"), True),
        (FILTERED.replace("'a'", "${hivevar:kind}"), True),
        (FILTERED.replace("2001", ":year"), True),
        (FILTERED.replace("2001", "?"), True),
        (FILTERED.replace("SELECT ", "SELECT count(*) FILTER (WHERE s.size > 7) AS n, ") + " HAVING n > 5", True),
        (f"WITH x AS (SELECT * FROM gifts WHERE size > 7) {FILTERED}", False),
        (f"WITH x AS (SELECT * FROM gifts WHERE size > 7), y AS (SELECT * FROM x) {FILTERED}", False),
        (f"WITH x AS (SELECT * FROM gifts WHERE size > 7) {FILTERED} UNION SELECT * FROM ${{hivevar:t}}", True),
        (
            f"WITH x AS (SELECT * FROM gifts WHERE size > 7), y AS (SELECT * FROM x) {FILTERED} UNION SELECT * FROM Y",
            True,
        ),
    ],
)
def test_a_hint_is_for_the_values_that_its_query_was_measured_with(text: str, other: bool) -> None:
    found = hinted(decision(), [text], [measured("statement 1 of 1")])
    assert (found.statements == (text,)) is other
    assert [why for _, why in found.skipped] == [OTHER_VALUES] * other


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (SALES, "year"),
        (FILTERED.replace("d.year = 2001 AND ", ""), "year"),
        (FILTERED.replace("d.year = 2001", "('yes' = 'yes' OR d.year = 2001)"), "year"),
        (FILTERED.replace(" AND s.sold = '2024-01-05'", ""), "sold"),
        (
            FILTERED.replace("FROM sales s", "FROM (SELECT *, kind AS sort FROM sales) s").replace("s.kind", "s.sort"),
            "",
        ),
        (
            FILTERED.replace("FROM sales s", "FROM (SELECT *, price AS sort FROM sales) s").replace("s.kind", "s.sort"),
            "kind",
        ),
        (f"WITH x (day, sort, price, sold) AS (SELECT day, kind, price, sold FROM db.sales) {OF_X}", ""),
        (f"WITH x (day, sort, price, sold) AS (SELECT day, shop, price, sold FROM db.sales) {OF_X}", "kind"),
        (f"WITH x AS (SELECT *, 1 AS sort FROM gifts UNION ALL SELECT *, kind FROM sales) {OF_X}", ""),
        (FILTERED.replace("sales s", "old_sales s"), ""),
        (FILTERED.replace("sales s", "${db}.sales s").replace(" AND s.price > 5", ""), "price"),
        (FILTERED.replace("sales s", "elsewhere.sales s").replace(" AND s.price > 5", ""), ""),
        (FILTERED.replace(" AND s.sold = '2024-01-05'", "").replace("s.day = d.id", "s.sold = d.sold"), ""),
        (FILTERED.replace(" AND s.sold = '2024-01-05'", "").replace("ON s.day = d.id", "USING (sold)"), ""),
    ],
)
def test_a_hint_is_for_a_statement_that_filters_by_what_was_measured(text: str, lost: str) -> None:
    """What a template leaves out of a full refresh, above all."""
    found = hinted(decision(), [text], [measured("statement 1 of 1")])
    held = [why for _, why in found.skipped if why.startswith("held")]
    assert held == ([f"held: its statement does not filter by {lost}, as when it was measured"] if lost else [])


def test_a_table_of_a_month_is_one_that_the_statement_names() -> None:
    """Plans name it with a star: what was no longer filtered by was taken for a view's."""
    ran = replace(measured("statement 1 of 1"), conditions=(FilterCondition("db.sales_*.price", ""),))
    of_month = FILTERED.replace("sales s", "sales_202401 s")
    for text, lost in ((of_month, False), (of_month.replace(" AND s.price > 5", ""), True)):
        held = [why for _, why in hinted(decision(), [text], [ran]).skipped if "does not filter by price" in why]
        assert bool(held) is lost


VIEW = "CREATE OR REPLACE TEMP VIEW chosen AS SELECT * FROM db.sales WHERE price > 5 AND sold = '2024-01-05'"
OF_VIEW = FILTERED.replace("sales s", "chosen s").replace(" AND s.price > 5 AND s.sold = '2024-01-05'", "")


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (VIEW, ""),
        (VIEW.replace("chosen AS SELECT *", "chosen (a, b, kind, day) AS SELECT x, y, sort, day"), ""),
        (
            VIEW.replace(" AND sold = '2024-01-05'", ""),
            "held: its statement does not filter by sold, as when it was measured",
        ),
        (VIEW.replace("5 ", "6 "), OTHER_VALUES),
        (VIEW.replace("5 ", "${least} "), OTHER_VALUES),
        ("DECLARE year = 2002", OTHER_VALUES),
        ("-- of tonight\nDECLARE OR REPLACE VARIABLE `year` INT DEFAULT 2002", OTHER_VALUES),
        ("DECLARE another STRING DEFAULT 'year'", ""),
        ("SELECT 'to declare' AS year", ""),
        ("declare 'open", ""),
        ("DECLARE OR REPLACE VARIABLE least INT DEFAULT 5", ""),
    ],
)
def test_a_statement_filters_by_what_its_jobs_views_and_variables_do(first: str, why: str) -> None:
    found = hinted(decision(), [first, OF_VIEW], [measured("statement 2 of 2")])
    assert found.statements == (first, OF_VIEW if why else OF_VIEW.replace("SELECT", "SELECT /*+ BROADCAST(d) */"))
    assert [skipped for _, skipped in found.skipped] == [why] * bool(why)


def test_filters_that_no_log_told_are_not_those_of_the_text() -> None:
    ran = [replace(query("statement 1 of 1"), conditions=None)]
    assert hinted(decision(), [SALES], ran).skipped == ((ACTION, UNKNOWN_FILTERS),)


def test_one_of_them_with_a_hint_of_the_users_own_keeps_it() -> None:
    own = SALES.replace("SELECT", "SELECT /*+ MERGE(d) */", 1)
    found = hinted(decision(), [own, SALES], [query("statement 1 of 2"), query("statement 2 of 2")])
    assert found.statements == (own, HINTED)
    assert found.skipped == ()


def test_the_users_own_hint_wins_and_is_reported() -> None:
    own = SALES.replace("SELECT", "SELECT /*+ MERGE(d) */", 1)
    found = hinted(decision(), [CREATE, own, OTHER], [query()])
    assert found.statements[1] == own
    ((action, reason),) = found.skipped
    assert action == ACTION
    assert "MERGE(d)" in reason


@pytest.mark.parametrize(
    "ran",
    [
        pytest.param([], id="it did not run"),
        pytest.param([query(fingerprint="q2")], id="another query"),
        pytest.param([query("")], id="no description"),
        pytest.param([query("statement 9 of 9")], id="beyond the last"),
        pytest.param([query("statement 0 of 3")], id="before the first"),
        pytest.param([query("statement 2 of 4")], id="a statement was taken out since"),
        pytest.param([query("Statement 2 of 3, again")], id="the user's own description"),
    ],
)
def test_a_query_that_cannot_be_placed_is_left_alone(ran: list[Query]) -> None:
    found = hinted(decision(), [CREATE, SALES, OTHER], ran)
    assert found.statements == (CREATE, SALES, OTHER)
    assert found.skipped == ((ACTION, "its query did not run in the latest run"),)


def test_joins_that_cannot_be_told_apart_are_left_alone() -> None:
    itself = JoinSite(
        "sig", 0, JoinType.INNER, Strategy.SORT_MERGE, None, (), JoinSide(("d",)), JoinSide(("d",)), 1, None
    )
    for joins in ((JOIN, JOIN), (itself,)):
        found = hinted(decision(), [SALES], [query("statement 1 of 1", *joins)])
        assert found.statements == (SALES,)
        assert found.skipped == ((ACTION, "the join cannot be told apart"),)


def test_text_that_no_longer_has_the_join_is_left_alone() -> None:
    for text in (OTHER, "SELEC nonsense (", ""):
        found = hinted(decision(), [text], [query("statement 1 of 1")])
        assert found.statements == (text,)
        ((_, reason),) = found.skipped
        assert reason


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (replace(ACTION, value=Hint.NO_BROADCAST), "no hint that forbids a broadcast"),
        (replace(ACTION, value=Hint.FILTER_BY_KEY), "no hint that filters by key"),
        (replace(ACTION, value=Hint.SHARE), "no hint that computes groups once"),
        (replace(ACTION, relations=("date_dim", "store")), "cannot name a join's result"),
        (replace(ACTION, by_agent_alone=True), "no bloom filter beside a hint"),
    ],
)
def test_what_sql_cannot_say_is_left_out_and_says_so(action: Action, why: str) -> None:
    found = hinted(decision(action), [CREATE, SALES, OTHER], [query()])
    assert found.statements == (CREATE, SALES, OTHER)
    ((_, reason),) = found.skipped
    assert why in reason


@pytest.mark.parametrize(
    ("version", "type", "hint", "held"),
    [
        ("3.5.1", JoinType.LEFT_SEMI, Hint.SHUFFLE_HASH, True),
        ("3.5.7", JoinType.LEFT_SEMI, Hint.SHUFFLE_HASH, False),
        ("3.5.1", JoinType.LEFT_SEMI, Hint.BROADCAST, False),
        ("3.5.1", JoinType.INNER, Hint.SHUFFLE_HASH, False),
    ],
)
def test_what_the_agent_hashed_without_losing_rows_is_no_hint_where_it_does_not_look(
    version: str, type: JoinType, hint: Hint, held: bool
) -> None:
    action, ran = replace(ACTION, value=hint), [query("statement 1 of 1", replace(JOIN, type=type))]
    text = "SELECT * FROM sales s WHERE EXISTS (SELECT 1 FROM date_dim d WHERE s.day = d.id AND s.price > d.price)"
    found = hinted(decision(action), [text], ran, version)
    assert (found.statements == (text,), found.skipped) == (held, ((action, LOSES_ROWS),) if held else ())


def test_a_person_gets_the_text_of_a_job_that_is_no_sql_job() -> None:
    found = suggest_hints([ACTION], [CREATE, SALES, OTHER], [query("count at app.py:7")])
    assert found.statements == (CREATE, HINTED, OTHER)
    assert found.skipped == ()
    elsewhere = suggest_hints([ACTION], [OTHER], [query("count at app.py:7")])
    assert elsewhere.statements == (OTHER,)
    assert [action for action, _ in elsewhere.skipped] == [ACTION]
