"""What became of each directive: what the agent says, held against the plan that ran."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from tuner.model.agent_message import HintDirective, OrderDirective, QueryDirectives
from tuner.model.agent_record import AgentRecord
from tuner.model.application import Application, Completeness, Execution, Executors
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import Joined, Order
from tuner.model.query import Query
from tuner.plan.queries import queries

from .trees import parse

SIDES = """
      Scan parquet default.orders | [k#1] | number of output rows=50
      Scan parquet default.items | [k#3] | number of output rows=7
"""
SORT_MERGE = "SortMergeJoin | [k#1], [k#3], Inner" + SIDES
ITEMS_BROADCAST = "BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight, false" + SIDES
NOTHING = "EmptyRelation | [plan_id=1]"
ITEMS = ("default.items",)
APPLIED, HELD, IGNORED, IMPOSSIBLE = DirectiveStatus


def execution(plan: str, final: str | None = None, *said: DirectiveResult, number: int = 4) -> Execution:
    initial, last = (parse(text.strip())[0] if text else None for text in (plan, final))
    return Execution(number, number, "report", 1000, 3500, None, initial, last, {}, (), steered=said)


def queries_of(steering: AgentRecord, *executions: Execution) -> tuple[Query, ...]:
    whole = Application("app", "name", None, "4.3.0", 0, 1, Completeness.COMPLETE, Executors(), {}, executions)
    return queries(replace(whole, steering=steering))


def unsteered(plan: str) -> Query:
    return queries_of(AgentRecord(), execution(plan))[0]


def hint(plan: str, name: str, side: tuple[str, ...] = ITEMS) -> QueryDirectives:
    query = unsteered(plan)
    return QueryDirectives(query.fingerprint, hints=(HintDirective("h", query.joins[0].signature, name, side),))


def told(query: Query) -> list[tuple[str, DirectiveStatus, str]]:
    return [(d.action_id, d.status, d.reason) for d in query.directives]


class TestAHint:
    @pytest.mark.parametrize(
        ("name", "side", "final", "reason"),
        [
            ("BROADCAST", ITEMS, ITEMS_BROADCAST, ""),
            ("MERGE", ITEMS, SORT_MERGE, ""),
            # AQE found nothing to join: the join was planned as told, and did not run.
            ("MERGE", ITEMS, NOTHING, ""),
            ("BROADCAST", ITEMS, SORT_MERGE, "told BROADCAST of items; Spark ran SortMergeJoin"),
        ],
    )
    def test_that_the_agent_applied_is_held_against_the_join_that_ran(
        self, name: str, side: tuple[str, ...], final: str, reason: str
    ) -> None:
        steering = AgentRecord((hint(SORT_MERGE, name, side),), is_directed=True, loaded=True)
        (query,) = queries_of(steering, execution(SORT_MERGE, final, DirectiveResult("h", APPLIED)))
        assert told(query) == [("h", IGNORED if reason else APPLIED, reason)]

    def test_of_a_join_that_is_in_no_plan_was_not_followed(self) -> None:
        directed = QueryDirectives(unsteered(SORT_MERGE).fingerprint, hints=(HintDirective("h", "0" * 16, "MERGE"),))
        steering = AgentRecord((directed,), is_directed=True, loaded=True)
        (query,) = queries_of(steering, execution(SORT_MERGE, None, DirectiveResult("h", APPLIED)))
        assert told(query) == [("h", IGNORED, "told MERGE; the plan that ran has no such join")]

    @pytest.mark.parametrize("status", [IGNORED, IMPOSSIBLE])
    def test_what_the_agent_did_not_do_is_its_to_tell(self, status: DirectiveStatus) -> None:
        steering = AgentRecord((hint(SORT_MERGE, "BROADCAST"),), is_directed=True, loaded=True)
        said = DirectiveResult("h", status, "the join has a hint of the user's")
        (query,) = queries_of(steering, execution(SORT_MERGE, ITEMS_BROADCAST, said))
        assert told(query) == [("h", status, "the join has a hint of the user's")]


class TestWithoutAWordOfTheAgent:
    def test_it_did_not_load(self) -> None:
        steering = AgentRecord((hint(SORT_MERGE, "BROADCAST"),), is_directed=True)
        (query,) = queries_of(steering, execution(SORT_MERGE))
        assert told(query) == [("h", IGNORED, "the agent did not load")]

    def test_it_could_not_read_what_it_was_told(self) -> None:
        steering = AgentRecord((hint(SORT_MERGE, "MERGE"),), is_directed=True, loaded=True, problem="no such file")
        (query,) = queries_of(steering, execution(SORT_MERGE))
        assert told(query) == [("h", HELD, "the agent could not read its directives: no such file")]

    def test_it_met_no_such_plan(self) -> None:
        steering = AgentRecord((hint(SORT_MERGE, "MERGE"),), is_directed=True, loaded=True)
        (query,) = queries_of(steering, execution(SORT_MERGE))
        assert told(query) == [("h", IMPOSSIBLE, "the agent met no plan with the relations of this query")]

    def test_a_plan_that_runs_again_is_as_it_was_optimised(self) -> None:
        directed = hint(SORT_MERGE, "BROADCAST")
        said = {directed.fingerprint: (DirectiveResult("h", APPLIED),)}
        steering = AgentRecord((directed,), is_directed=True, loaded=True, by_query=said)
        one, again = queries_of(steering, *(execution(SORT_MERGE, ITEMS_BROADCAST, number=n) for n in (1, 2)))
        assert told(one) == told(again) == [("h", APPLIED, "")]

    def test_other_queries_have_no_outcome(self) -> None:
        steering = AgentRecord((hint(SORT_MERGE, "BROADCAST"),), is_directed=True)
        (other,) = queries_of(steering, execution("Scan parquet default.orders | [k#1]"))
        assert other.directives == ()


def test_a_query_that_has_changed_is_known_by_what_the_agent_says_of_it() -> None:
    directed = hint(SORT_MERGE, "BROADCAST")
    changed = SORT_MERGE.replace("[k#1] |", "[k#1,v#2] |")
    steering = AgentRecord((directed,), is_directed=True, loaded=True)
    (query,) = queries_of(steering, execution(changed, None, DirectiveResult("h", APPLIED)))
    assert query.fingerprint != directed.fingerprint
    assert told(query) == [("h", IGNORED, "told BROADCAST of items; Spark ran SortMergeJoin")]


class TestSeveralQueriesOfOneJoin:
    """Each has a hint for it, and the agent cannot tell which of them a plan is of: it speaks of all their hints."""

    NUMBER = 30

    def ran(self, *statuses: DirectiveStatus) -> tuple[Query, ...]:
        plans = [SORT_MERGE.replace("[k#1] |", f"[k#1,v{n}#2] |") for n in range(self.NUMBER)]
        fingerprints = [unsteered(plan).fingerprint for plan in plans]
        signature = unsteered(SORT_MERGE).joins[0].signature
        directed = [
            QueryDirectives(f, hints=(HintDirective(f"h{n}", signature, "MERGE", ITEMS),))
            for n, f in enumerate(fingerprints)
        ]
        said = [DirectiveResult(f"h{n}", statuses[n % len(statuses)]) for n in range(self.NUMBER)]
        steering = AgentRecord(tuple(directed), is_directed=True, loaded=True)
        return queries_of(steering, *(execution(plan, None, *said, number=n) for n, plan in enumerate(plans)))

    def test_have_but_the_outcomes_of_their_own(self) -> None:
        found = self.ran(APPLIED, HELD)
        assert len({query.fingerprint for query in found}) == self.NUMBER
        assert [told(query) for query in found] == [[(f"h{n}", (APPLIED, HELD)[n % 2], "")] for n in range(self.NUMBER)]


BLOCK = """
    SortMergeJoin | [b#2], [c#3], Inner
      SortMergeJoin | [a#1], [b#2], Inner
        Scan parquet t.a | [a#1] | number of output rows=3
        Scan parquet t.b | [b#2] | number of output rows=3
      Scan parquet t.c | [c#3] | number of output rows=3
"""


class TestAnOrder:
    @pytest.mark.parametrize(
        ("order", "status", "reason"),
        [
            (Joined(Joined(0, 1), 2), APPLIED, ""),
            (Joined(2, Joined(1, 0)), APPLIED, "with the sides of 2 joins turned round"),
            (Joined(Joined(0, 2), 1), IGNORED, "told to join ((a c) b); Spark joined ((a b) c)"),
        ],
    )
    def test_is_held_against_the_joins_that_ran(self, order: Order, status: DirectiveStatus, reason: str) -> None:
        directive = OrderDirective("o", (("t.a",), ("t.b",), ("t.c",)), (), order)
        directed = QueryDirectives(unsteered(BLOCK).fingerprint, orders=(directive,))
        (query,) = queries_of(
            AgentRecord((directed,), True, True), execution(BLOCK, None, DirectiveResult("o", APPLIED))
        )
        assert told(query) == [("o", status, reason)]

    def test_of_a_block_that_aqe_cut_short_is_as_the_agent_says(self) -> None:
        directive = OrderDirective("o", (("t.a",), ("t.b",), ("t.c",)), (), Joined(Joined(0, 2), 1))
        directed = QueryDirectives(unsteered(BLOCK).fingerprint, orders=(directive,))
        ran = execution(BLOCK, NOTHING, DirectiveResult("o", APPLIED))
        (query,) = queries_of(AgentRecord((directed,), True, True), ran)
        ((_, status, reason),) = told(query)
        assert status is APPLIED and "the agent's word" in reason


class TestGroupsMadeOnce:
    """The plan has other filters then, and so another fingerprint."""

    MERGED = SORT_MERGE.replace(
        "      Scan parquet default.items",
        "      Filter | ((k#3 = 1) OR (k#3 = 2))\n        Scan parquet default.items",
    )

    WRITTEN = structs.replace(hint(SORT_MERGE, "SHARE"), relations=unsteered(SORT_MERGE).relations)

    def ran(self, *said: DirectiveResult, **steering: object) -> Query:
        record = AgentRecord((self.WRITTEN,), is_directed=True, loaded=True, **steering)  # type: ignore[arg-type]
        (query,) = queries_of(record, execution(self.MERGED, None, *said))
        return query

    def test_the_agent_tells_which_query_it_was(self) -> None:
        assert unsteered(self.MERGED).fingerprint != self.WRITTEN.fingerprint
        query = self.ran(DirectiveResult("h", APPLIED, merged=self.WRITTEN.fingerprint))
        assert (query.fingerprint, query.merged) == (self.WRITTEN.fingerprint, True)
        assert told(query) == [("h", APPLIED, "")]
        assert query.graphs == ()

    @pytest.mark.parametrize("status", [IMPOSSIBLE, HELD, APPLIED])
    def test_any_other_plan_tells_by_itself(self, status: DirectiveStatus) -> None:
        merged = "" if status is APPLIED else self.WRITTEN.fingerprint
        query = self.ran(DirectiveResult("h", status, merged=merged))
        assert (query.fingerprint == self.WRITTEN.fingerprint, query.merged) == (False, False)

    def test_a_later_file_of_the_log_without_the_directives_tells_so_too(self) -> None:
        said = DirectiveResult("h", APPLIED, merged=self.WRITTEN.fingerprint)
        (query,) = queries_of(AgentRecord(loaded=True), execution(self.MERGED, None, said))
        assert (query.fingerprint, query.merged) == (self.WRITTEN.fingerprint, True)

    @pytest.mark.parametrize("others", [0, 1])
    def test_what_was_said_before_the_execution_began_counts_where_it_is_clear(self, others: int) -> None:
        """Of a plan that was explained first, or ran before."""
        several = [self.WRITTEN, structs.replace(self.WRITTEN, fingerprint="f" * 16)][: 1 + others]
        said = {q.fingerprint: (DirectiveResult("h", APPLIED, merged=q.fingerprint),) for q in several}
        record = AgentRecord(tuple(several), is_directed=True, loaded=True, by_query=said)
        (query,) = queries_of(record, execution(self.MERGED))
        assert query.merged is not bool(others)
        assert (query.fingerprint == self.WRITTEN.fingerprint) is not bool(others)

    def test_another_query_of_these_relations_is_not_the_one_that_was_merged(self) -> None:
        """As queries 96 and 88 of TPC-DS: where several read the same relations, columns tell them apart, in the agent, too."""
        written = structs.replace(self.WRITTEN, columns=unsteered(self.MERGED).columns)
        other = structs.replace(self.WRITTEN, columns="0" * 16)
        for query, is_it in ((written, True), (other, False)):
            said = {query.fingerprint: (DirectiveResult("h", APPLIED, merged=query.fingerprint),)}
            record = AgentRecord((query,), is_directed=True, loaded=True, by_query=said)
            (ran,) = queries_of(record, execution(self.MERGED))
            assert (ran.merged, ran.fingerprint == query.fingerprint) == (is_it, is_it)

    def test_a_plan_that_was_not_merged_is_no_merged_one(self) -> None:
        said = {self.WRITTEN.fingerprint: (DirectiveResult("h", HELD),)}
        query = self.ran(by_query=said)
        assert (query.fingerprint == self.WRITTEN.fingerprint, query.merged) == (False, False)
