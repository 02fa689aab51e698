"""The broadcasts that an order calls for: which, how sure, and under which names the agent finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.advice.advisors.test_join_order import ran
from tests.advice.joins import facts, inner, side
from tests.plan.trees import plan
from tests.policy.histories import decided
from tuner.advice.advisors.join_order import advise_join_orders
from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.hinted_broadcasts import BroadcastSides
from tuner.advice.candidates.ordered_sides import ordered_side
from tuner.advice.facts import Facts
from tuner.advice.head_room import head_room
from tuner.advice.steering_reach import Reach
from tuner.cost.cardinality import Cardinality
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import Decision, Mode
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_site import JoinSide, JoinSite, WrittenFiles
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import BuildSide, Strategy
from tuner.model.trial import changes_by_trial
from tuner.plan.joins import find_joins
from tuner.steering.agent.agent_directives import agent_directives
from tuner.words.reasons import reason_words

GIB = 1 << 30
# A week of sales is asked for last: TPC-DS 29 in small.
WRITTEN = """
SortMergeJoin | [s_day#3], [d#8], Inner | number of output rows={output}
  SortMergeJoin | [s_item#1], [r_item#5], Inner | number of output rows={between}
    Exchange | hashpartitioning(s_item#1, 200) | data size=3000000000
      Scan parquet shop.sales | [s_item#1,s_day#3] | number of output rows=100000000
    Exchange | hashpartitioning(r_item#5, 200) | data size=800000000
      Scan parquet shop.returns | [r_item#5] | number of output rows=50000000
  Exchange | hashpartitioning(d#8, 200) | data size=112
    Filter | (d_week#9 = 7) | number of output rows=7
      Scan parquet shop.days | [d#8,d_week#9] | number of output rows=7000
"""
ORDERED = """
SortMergeJoin | [s_item#1], [r_item#5], Inner | number of output rows=40000
  BroadcastHashJoin | [s_day#3], [d#8], Inner, BuildRight | number of output rows=100000
    Scan parquet shop.sales | [s_item#1,s_day#3] | number of output rows=100000000
    BroadcastExchange | HashedRelationBroadcastMode | data size=112
      Filter | (d_week#9 = 7) | number of output rows=7
        Scan parquet shop.days | [d#8,d_week#9] | number of output rows=7000
  Scan parquet shop.returns | [r_item#5] | number of output rows=50000000
"""
DAYS, RETURNS, SALES = "shop.days", "shop.returns", "shop.sales"
LEAVES = {SALES: 2 * GIB, RETURNS: GIB, DAYS: 1 << 20}


def query(output: int = 40_000, between: int = 40_000_000, **planned: object) -> Query:
    """The query as it was written; `planned` is what is said of the join with days."""
    text = WRITTEN.format(output=output, between=between)
    with_days, inner = find_joins(plan(text), finished=True)
    return replace(ran(text), joins=(replace(_leaves(with_days), **planned), _leaves(inner)))  # type: ignore[arg-type]


def _leaves(join: JoinSite) -> JoinSite:
    return replace(join, left=_known(join.left), right=_known(join.right))


def _known(side: JoinSide) -> JoinSide:
    return replace(side, leaf_bytes=sum(LEAVES[relation] for relation in side.relations))


def given(measured: Query, reach: Reach = Reach.AGENT) -> Facts:
    return facts(measured, reach=reach)


def advised(measured: Query, reach: Reach = Reach.AGENT) -> Sequence[Change]:
    return one_order(given(measured, reach))


def one_order(job: Facts) -> Sequence[Change]:
    (trial,) = changes_by_trial(advise_join_orders(job))
    return trial


def hints(trial: Sequence[Change]) -> Sequence[Action]:
    order, *others = trial
    assert order.kind is ActionKind.ORDER_JOINS
    assert {change.needs for change in others} <= {order.id}
    return actions(others)


def actions(changes: Sequence[Change]) -> Sequence[Action]:
    return [action for change in changes for action in change.actions]


def test_a_filtered_side_is_broadcast_from_the_first_run_in_the_order() -> None:
    trial = advised(query())
    sides = {hint.relations: hint for hint in hints(trial)}
    small = sides[DAYS, SALES]
    assert (small.kind, small.value, small.query) == (ActionKind.HINT_JOIN, Hint.BROADCAST, "f" * 16)
    reason = reason_words(trial[0].reason)
    assert "; it broadcasts " in reason and "days+sales (at most " in reason
    (rows,) = (e.value for e in trial[0].evidence if e.of == "days+sales")
    assert rows == pytest.approx(100_000 * 1.7, rel=0.01)  # 7 of 7,000 days, and what such an estimate may be off by


def test_its_join_is_named_as_the_run_in_that_order_will_name_it() -> None:
    joins = {join.signature for join in find_joins(plan(ORDERED))}
    assert {hint.target for hint in hints(advised(query()))} == joins


@pytest.mark.parametrize("reach", [Reach.CONF, Reach.TEXT])
def test_only_the_agent_can_hint_a_join_of_joins(reach: Reach) -> None:
    assert not hints(advised(query(), reach))


def test_what_spark_broadcasts_by_itself_needs_no_hint() -> None:
    measured = query(
        strategy=Strategy.BROADCAST_HASH, build_side=BuildSide.RIGHT, planned_strategy=Strategy.BROADCAST_HASH
    )
    assert [hint.relations for hint in hints(advised(measured))] == [(DAYS, SALES)]
    with_days = measured.joins[0]
    told = Action(ActionKind.HINT_JOIN, with_days.signature, Hint.BROADCAST, measured.fingerprint, (DAYS,))
    for status, by_itself in ((DirectiveStatus.APPLIED, False), (DirectiveStatus.IGNORED, True)):
        hinted = replace(measured, directives=(DirectiveResult(told.id, status, join=with_days.signature),))
        assert ((DAYS,) not in [hint.relations for hint in hints(advised(hinted))]) is by_itself


def test_what_memory_may_not_hold_is_not_broadcast() -> None:
    narrow = one_order(_with_heap(given(query()), 420 << 20))
    assert (DAYS, SALES) not in [hint.relations for hint in hints(narrow)]
    assert (DAYS, SALES) in [hint.relations for hint in hints(advised(query()))]


def test_the_bytes_of_its_rows_count_for_memory() -> None:
    measured = query()
    (wide,) = _of_width(measured, 4_000).graphs
    found = ordered_side(measured, wide, Cardinality(wide), 0b101)
    assert found.rows and found.shuffle_bytes
    assert found.shuffle_bytes / found.rows == pytest.approx(2 * 4_000, rel=0.01)
    for row_bytes, fits in ((12.0, True), (32.0, False)):
        trial = one_order(_with_heap(given(_of_width(measured, row_bytes)), 640 << 20))
        assert ((DAYS, SALES) in [hint.relations for hint in hints(trial)]) is fits


def test_few_rows_of_wide_files_that_no_shuffle_has_counted_are_not_broadcast() -> None:
    """Texts of 10 kB each, which types of columns do not tell, in 600 MB of files."""
    measured = query(strategy=Strategy.BROADCAST_HASH, build_side=BuildSide.LEFT)
    (graph,), (with_days, within) = measured.graphs, measured.joins
    for shuffle_bytes, file_bytes, fits in (
        (None, 600_000_000, False),
        (None, 6_000_000, True),
        (4_000_000, 600_000_000, True),
    ):
        days = replace(with_days.right, rows=60_000, shuffle_bytes=shuffle_bytes, file_bytes=file_bytes)
        relations = tuple(
            replace(r, rows=60_000, scanned_rows=60_000, file_bytes=file_bytes) if r.relations == (DAYS,) else r
            for r in graph.relations
        )
        job = replace(
            measured, joins=(replace(with_days, right=days), within), graphs=(replace(graph, relations=relations),)
        )
        (block,) = job.graphs
        at = {block.tables(1 << number): 1 << number for number in range(3)}
        sides = BroadcastSides(given(job), job, block, Cardinality(block))
        assert (sides.fit(at[DAYS,], at[SALES,]) is not None) is fits


@pytest.mark.parametrize(("adaptive", "fits"), [("true", True), ("false", False)])
def test_a_relation_that_takes_long_to_make_is_broadcast_only_where_spark_waits(adaptive: str, fits: bool) -> None:
    """400 s to scan a calendar, of which Spark waits for 300 (spark.sql.broadcastTimeout): the query fails."""
    slow = ShuffleExchange(200, 112, 100, 7, 2, adjustable=True, map_core_ms=800_000)
    job = replace(query(), shuffles=(slow,))
    (block,) = job.graphs
    at = {block.tables(1 << number): 1 << number for number in range(3)}
    asked = replace(given(job), conf={"spark.sql.adaptive.enabled": adaptive})
    assert (BroadcastSides(asked, job, block, Cardinality(block)).fit(at[DAYS,], at[SALES,]) is not None) is fits


WIDE = 400  # bytes a row: a week of sales takes 80 MB, eight times what Spark broadcasts by itself


def _roomy(*measured: Query, reach: Reach = Reach.AGENT) -> Facts:
    return _with_heap(facts(*measured, reach=reach), 8 * GIB)


def _seconds_after(trial: Sequence[Change]) -> float:
    assert trial[0].prediction
    return trial[0].prediction.after


def test_an_order_is_priced_with_the_broadcasts_that_memory_holds() -> None:
    wide = _of_width(query(), WIDE)
    trial, short = one_order(_roomy(wide)), one_order(given(wide))
    assert (DAYS, SALES) in [hint.relations for hint in hints(trial)]
    assert (DAYS, SALES) not in [hint.relations for hint in hints(short)]
    assert _seconds_after(trial) < 0.9 * _seconds_after(short)


@pytest.mark.parametrize("reach", [Reach.CONF, Reach.TEXT])
def test_where_no_hint_reaches_it_the_order_is_priced_as_spark_runs_it(reach: Reach) -> None:
    wide = _of_width(query(), WIDE)
    assert _seconds_after(one_order(_roomy(wide, reach=reach))) > _seconds_after(one_order(_roomy(wide)))


def test_who_switched_broadcasts_off_is_promised_none() -> None:
    wide = _roomy(_of_width(query(), WIDE))
    off = replace(wide, conf={**wide.conf, "spark.sql.autoBroadcastJoinThreshold": "-1"})
    assert not hints(one_order(off))


@pytest.mark.parametrize("row_bytes", [WIDE, 12])
def test_an_order_promises_no_broadcast_that_another_run_of_its_query_rules_out(row_bytes: float) -> None:
    """Once for a week, and once for all weeks: what memory holds of the one it does not hold of the other. Of narrow rows Spark
    would broadcast a week's without a hint, if it knew how few they are."""
    week, always = _of_width(query(), row_bytes), _of_width(query(output=40_000_000), row_bytes)
    (graph,) = always.graphs
    unfiltered = replace(graph, relations=tuple(replace(r, rows=r.scanned_rows) for r in graph.relations))
    trial = one_order(_roomy(week, replace(always, id=2, root_id=2, graphs=(unfiltered,))))
    assert (DAYS, SALES) not in [hint.relations for hint in hints(trial)]
    assert _seconds_after(trial) > _seconds_after(one_order(_roomy(week))) + 10


@pytest.mark.parametrize(
    ("scan_tasks", "files", "megabytes", "is_hinted"),
    [
        pytest.param(8_000, 20 * 60, 9_000, False, id="60 days by each task of the scan"),
        pytest.param(8_000, 20, 900_000, True, id="large files"),
        pytest.param(30, 20 * 60, 9_000, True, id="hardly more tasks"),
    ],
)
@pytest.mark.parametrize("row_bytes", [None, WIDE])
def test_an_order_does_not_multiply_the_files_that_its_stage_writes(
    row_bytes: int | None, scan_tasks: int, files: int, megabytes: int, is_hinted: bool
) -> None:
    """Broadcast, a week of sales meets returns in the tasks that scan these, and they write what 20 tasks wrote."""
    measured = query() if row_bytes is None else _of_width(query(), row_bytes)
    last, within = measured.joins
    last = replace(last, written=WrittenFiles(files, megabytes * 10**6), tasks=20)
    of_returns = ShuffleExchange(200, 800_000_000, 10**8, 50_000_000, scan_tasks, adjustable=True)
    writing = replace(measured, joins=(last, within), shuffles=(of_returns,))
    trial = hints(one_order(_roomy(writing)))
    assert ((DAYS, SALES) in [hint.relations for hint in trial]) is is_hinted
    assert (DAYS,) in [hint.relations for hint in trial]


def test_an_order_has_nothing_read_in_the_few_tasks_that_its_stage_is_coalesced_to() -> None:
    """Broadcast, a week of sales meets returns in the tasks that scan these: all cores do, but for a job that coalesces."""
    measured = _of_width(query(), WIDE)
    last, within = measured.joins
    coalesced = replace(measured, joins=(replace(last, tasks=1, coalesced_to=1), within))
    assert {hint.relations for hint in hints(one_order(_roomy(measured)))} == {(DAYS, SALES), (DAYS,)}
    assert [hint.relations for hint in hints(one_order(_roomy(coalesced)))] == [(DAYS,)]
    unknown = replace(measured, joins=(replace(last, placed=False), within))
    assert [hint.relations for hint in hints(one_order(_roomy(unknown)))] == [(DAYS,)]
    by_spark = facts(coalesced, reach=Reach.AGENT, conf={"spark.sql.autoBroadcastJoinThreshold": "1g"})
    assert not list(advise_join_orders(by_spark))
    assert list(advise_join_orders(replace(by_spark, queries=(measured,))))


def _of_width(measured: Query, row_bytes: float) -> Query:
    (graph,) = measured.graphs
    wide = replace(graph, relations=tuple(replace(r, row_bytes=row_bytes) for r in graph.relations))
    return replace(measured, graphs=(wide,))


def _with_heap(roomy: Facts, heap: int) -> Facts:
    return replace(roomy, cluster=replace(roomy.cluster, driver_memory_bytes=heap, executor_memory_bytes=heap))


def test_a_query_has_one_budget_for_what_is_advised_on_its_joins_and_in_its_orders() -> None:
    """Two broadcasts of joins beside the block, nine tenths of the most for one: the order's third is one too many."""
    measured = _of_width(query(), 12)
    most = _with_heap(given(measured), 640 << 20).cap.one_bytes
    probe = side("shop.probe", rows=100_000_000, shuffle_bytes=3 * GIB, sort_ms=60_000, leaf_bytes=GIB)
    beside = [
        inner(probe, side(table, rows=200_000, shuffle_bytes=4_000_000, leaf_bytes=GIB), output_rows=100_000_000)
        for table in ("shop.x", "shop.y")
    ]
    for more, fits in ((beside[:1], True), (beside, False)):
        both = _with_heap(given(replace(measured, joins=(*measured.joins, *more))), 640 << 20)
        hinted = [h.relation_bytes for h in best_hints(both) if h.is_new_broadcast]
        assert [size > 0.9 * most for size in hinted].count(True) == len(more)
        assert ((DAYS, SALES) in [hint.relations for hint in hints(one_order(both))]) is fits


def test_a_hint_must_be_fit_for_every_time_that_the_query_ran() -> None:
    """Once for a week, and once for all weeks: the agent cannot tell the two apart."""
    week, always = query(), query(output=40_000_000)
    (graph,) = always.graphs
    unfiltered = replace(graph, relations=tuple(replace(r, rows=r.scanned_rows) for r in graph.relations))
    both = facts(week, replace(always, id=2, root_id=2, graphs=(unfiltered,)), reach=Reach.AGENT)
    trial = one_order(both)
    assert [hint.relations for hint in hints(trial)] == [(DAYS,)]
    (rows,) = (e.value for e in trial[0].evidence if e.of == "days")
    assert rows == 7_000


def test_what_the_agent_could_not_hold_back_is_not_broadcast() -> None:
    measured = query()
    blind = [
        replace(j, left=replace(j.left, leaf_bytes=None), right=replace(j.right, leaf_bytes=None))
        for j in measured.joins
    ]
    assert not hints(advised(replace(measured, joins=tuple(blind))))


def test_a_join_that_puts_out_far_more_than_it_reads_is_not_hashed() -> None:
    """Each of the week's sales meets a thousand returns, in whichever order."""
    fanning = hints(advised(query(output=100_000_000, between=4_000_000_000)))
    assert (DAYS, SALES) not in [hint.relations for hint in fanning]


@pytest.mark.parametrize(
    ("core_ms", "fits"),
    [
        pytest.param(60_000, True, id="a return or two a sale"),
        pytest.param(900_000, False, id="hundreds, of which the condition drops most"),
        pytest.param(None, False, id="nothing tells how long its tasks ran"),
    ],
)
def test_a_join_whose_condition_may_drop_many_pairs_is_not_hashed_in_another_order(
    core_ms: int | None, fits: bool
) -> None:
    """Each sale with the returns after it. That the merge took long is known of the join in which the condition stood."""
    text = WRITTEN.replace("[r_item#5], Inner", "[r_item#5], Inner, (s_day#3 <= r_day#6)").replace(
        "[r_item#5] |", "[r_item#5,r_day#6] |"
    )
    last, within = find_joins(plan(text.format(output=40_000, between=40_000_000)), finished=True)
    asked = replace(_leaves(within), core_ms=core_ms)
    job = replace(ran(text.format(output=40_000, between=40_000_000)), joins=(_leaves(last), asked))
    (block,) = job.graphs
    at = {block.tables(1 << number): 1 << number for number in range(3)}
    sides = BroadcastSides(given(job), job, block, Cardinality(block))
    assert asked.has_condition and len(block.conditions) == 1
    assert (sides.fit(at[DAYS,] | at[SALES,], at[RETURNS,]) is not None) is fits
    assert sides.fit(at[DAYS,], at[SALES,]) is not None, "that join asks nothing of the kind"


def _decision(actions: Sequence[Action]) -> Decision:
    return Decision(Mode.AUTO, tuple(decided(action) for action in actions))


def test_the_agent_is_told_of_a_join_that_an_order_beside_it_makes() -> None:
    measured = replace(query(), relations=(DAYS, RETURNS, SALES))
    trial = advised(measured)
    others = hints(trial)
    found = agent_directives(_decision(actions(trial)), [measured])
    assert not found.skipped
    assert all(f'"{hint.target}"' in found.text for hint in others)
    alone = agent_directives(_decision(others), [measured])
    assert [why for _, why in alone.skipped] == ["its query did not have this join in the latest run"] * len(others)


def test_the_agent_holds_it_back_in_a_run_of_far_more_data() -> None:
    measured = query()
    trial = advised(measured)
    room = head_room(given(measured), actions(trial))
    (small,) = (hint for hint in hints(trial) if hint.relations == (DAYS, SALES))
    leaves = LEAVES[DAYS] + LEAVES[SALES]
    assert leaves < room[small.id] <= 4 * leaves
    assert not head_room(given(measured), [small])  # without the order there is no such join
