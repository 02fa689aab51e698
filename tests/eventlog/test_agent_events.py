"""What a log tells of the Catalyst agent: what it was directed to do, whether it loaded, what it says it did."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tuner.eventlog import events as ev
from tuner.eventlog.agent_events import readable_outcomes, take_steered
from tuner.eventlog.fragment import Fragment
from tuner.model.agent_message import MAX_DIRECTIVES, HintDirective, OrderDirective, QueryDirectives
from tuner.model.application import Application, Completeness, ProblemCode
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import Joined
from tuner.model.reason import Reason, ReasonCode

from .samples import application_end, application_start, environment, event, execution_end, execution_start, fold

FINGERPRINT, JOIN = "00112233445566aa", "aabbccddeeff0011"
HINT = {"id": f"hint_join:{FINGERPRINT}/{JOIN}=BROADCAST(db.b)", "join": JOIN, "hint": "BROADCAST", "side": ["db.b"]}
ORDER = {
    "id": f"order_joins:{FINGERPRINT}/{JOIN}=((a c) b)",
    "items": [["db.a"], ["db.b"], ["db.c", "db.d"]],
    "predicates": [[[0], [1], "db.a.k", "db.b.k"]],
    "order": [[0, 2], 1],
}
PREDICATES = (((0,), (1,), "db.a.k", "db.b.k"),)


def directives(*hints: dict[str, Any], orders: list[dict[str, Any]] | None = None, **changed: Any) -> str:
    query = {"fingerprint": FINGERPRINT, "relations": ["db.a", "db.b"], "hints": list(hints), "orders": orders or []}
    return json.dumps({"version": 3, "queries": [query | changed]})


def loaded(text: str = "", problem: str = "", **release: str) -> bytes:
    source = "file" if text else "conf"
    said = {"directives": text or None, "problem": problem, **release}
    return event("tuner.steering.agent.AgentLoaded", version=1, source=source, **said)


def steered(execution_id: int, *outcomes: tuple[str, str, str], fingerprint: str = FINGERPRINT) -> bytes:
    said = [{"id": id_, "status": status, "reason": reason} for id_, status, reason in outcomes]
    return event(
        "tuner.steering.agent.PlanSteered",
        version=1,
        executionId=execution_id,
        fingerprint=fingerprint,
        outcomes=said,
        tookMicros=412,
    )


def application(*lines: bytes, **properties: str) -> Application:
    return fold([application_start(), environment(**properties), *lines, application_end()])


class TestWhatWasDirected:
    def test_it_is_read_from_the_conf(self) -> None:
        found = application(**{"spark.tuner.directives": directives(HINT, orders=[ORDER])})
        (query,) = found.steering.directives
        assert query == QueryDirectives(
            FINGERPRINT,
            ("db.a", "db.b"),
            "",
            (HintDirective(HINT["id"], JOIN, "BROADCAST", ("db.b",)),),
            (
                OrderDirective(
                    ORDER["id"], (("db.a",), ("db.b",), ("db.c", "db.d")), PREDICATES, Joined(Joined(0, 2), 1)
                ),
            ),
        )
        assert found.steering.is_directed and not found.steering.loaded
        assert found.status is Completeness.COMPLETE
        assert "spark.tuner.directives" not in found.conf

    def test_it_is_read_from_the_agents_event_where_it_was_in_a_file(self) -> None:
        asked = {"spark.tuner.directives.file": "directives-1.json"}
        unread = application(**asked)
        assert unread.steering.is_directed and not unread.steering.directives
        read = application(loaded(directives(HINT)), **asked)
        assert [q.ids for q in read.steering.directives] == [(HINT["id"],)]
        assert read.steering.loaded

    def test_what_cannot_be_read_is_a_problem_and_costs_nothing_else_of_the_log(self) -> None:
        found = application(execution_start(0), execution_end(0), **{"spark.tuner.directives": "{oops"})
        assert [p.code for p in found.problems] == [ProblemCode.UNREADABLE_DIRECTIVES]
        assert found.status is Completeness.COMPLETE
        assert len(found.executions) == 1
        assert found.steering.is_directed and not found.steering.directives

    @pytest.mark.parametrize("hint", [HINT | {"id": "\u202egnp"}, HINT | {"side": ["a\nb"]}])
    def test_a_name_that_cannot_be_printed_is_a_problem(self, hint: dict[str, Any]) -> None:
        found = application(**{"spark.tuner.directives": directives(hint)})
        assert [p.message for p in found.problems] == ["a name in the directives cannot be printed"]
        assert found.steering.is_directed and not found.steering.directives


class TestWhatTheAgentSays:
    def test_of_a_plan_goes_to_its_execution_though_it_comes_before(self) -> None:
        found = application(
            loaded(),
            steered(3, (HINT["id"], "applied", ""), (ORDER["id"], "impossible", "no such block")),
            execution_start(3),
            execution_end(3),
        )
        assert found.executions[0].steered == (
            DirectiveResult(HINT["id"], DirectiveStatus.APPLIED),
            DirectiveResult(ORDER["id"], DirectiveStatus.IMPOSSIBLE, "no such block"),
        )

    def test_of_a_plan_made_before_its_execution_is_known_by_its_query(self) -> None:
        found = application(steered(-1, (HINT["id"], "applied", "")), execution_start(3), execution_end(3))
        assert found.executions[0].steered == ()
        assert found.steering.by_query == {FINGERPRINT: (DirectiveResult(HINT["id"], DirectiveStatus.APPLIED),)}

    def test_of_a_plan_optimised_in_parts_the_best_counts(self) -> None:
        found = application(
            steered(0, ("a", "impossible", "not here"), ("b", "applied", "")),
            steered(0, ("a", "applied", ""), ("b", "ignored", "the user's hint")),
            execution_start(0),
            execution_end(0),
        )
        assert {o.action_id: o.status.value for o in found.executions[0].steered} == {"a": "applied", "b": "applied"}

    def test_of_which_release_its_jar_is(self) -> None:
        digest = "0123456789abcdef"
        assert application().steering.release is None
        assert application(loaded(release=digest), loaded(release="f" * 16)).steering.release == digest
        assert application(loaded()).steering.release == "", "of a release that did not say so"
        assert application(loaded(release="hunter2")).steering.release == ""

    def test_a_problem_of_its_own_is_told_without_secrets(self) -> None:
        told = application(loaded(problem="cannot read s3a://key:hunter2@bucket/d.json")).steering
        assert told.loaded and "hunter2" not in told.problem and "cannot read" in told.problem

    def test_only_outcomes_that_an_agent_writes_are_kept_and_not_too_many(self) -> None:
        said = [("", "applied"), ("a", "done"), ("b\x1b", "applied"), ("c" * 30_000, "applied")]
        assert readable_outcomes(ev.DirectiveResult(*one) for one in said) == ()
        assert len(readable_outcomes(ev.DirectiveResult(str(n), "applied") for n in range(5000))) == MAX_DIRECTIVES
        long = readable_outcomes(ev.DirectiveResult(f"{n:020000}", "applied") for n in range(MAX_DIRECTIVES))
        assert sum(len(outcome.action_id) for outcome in long) < 5 << 20
        (one,) = readable_outcomes([ev.DirectiveResult("a", "ignored", "password=hunter2 " + "x" * 5000)])
        assert len(one.reason) <= 200 and "hunter2" not in one.reason

    def test_what_was_held_back_is_a_code_with_its_numbers(self) -> None:
        def held(code: str, **numbers: int) -> Reason | None:
            (one,) = readable_outcomes([ev.DirectiveResult("a", "held", "as words", code, numbers)])
            return one.held

        sizes = {"bytes": 900, "most_bytes": 500}
        assert held("held_larger_side", **sizes, more=1) == Reason(ReasonCode.HELD_LARGER_SIDE, sizes)
        assert held("held_larger_side", bytes=900) is None
        assert held("faster", **sizes) is None

    @pytest.mark.parametrize(("fingerprint", "merged"), [(FINGERPRINT, FINGERPRINT), ("no digest", "")])
    def test_which_query_lost_its_filters_is_kept_with_what_was_applied(self, fingerprint: str, merged: str) -> None:
        event = ev.PlanSteered(
            3, fingerprint, [ev.DirectiveResult("a", "applied", merges=True), ev.DirectiveResult("b", "applied")]
        )
        fragment = Fragment()
        take_steered(fragment, event)
        assert {one.action_id: one.merged for one in fragment.steered[3]} == {"a": merged, "b": ""}

    def test_a_plan_that_may_be_of_several_queries_is_told_in_one_event(self) -> None:
        queries = [f"{number:016x}" for number in range(30)]
        said = [ev.DirectiveResult(q, "held" if n % 2 else "applied", query=q) for n, q in enumerate(queries)]
        first, *others = said
        fragment = Fragment()
        event = ev.PlanSteered(3, queries[0], [msgspec.structs.replace(first, query=""), *others], "0f" * 8, [])
        take_steered(fragment, event)
        assert [one.action_id for one in fragment.steered[3]] == queries
        assert {q: [one.action_id for one in of_it] for q, of_it in fragment.steering.by_query.items()} == {
            q: [q] for q in queries
        }
        assert set(fragment.steering.values) == set(queries) and len(set(fragment.steering.values.values())) == 1

    def test_what_no_execution_takes_is_not_kept_for_ever(self) -> None:
        fragment = Fragment()
        for number in range(3000):
            fragment.steer(number, (DirectiveResult("a", DirectiveStatus.APPLIED),))
        assert len(fragment.steered) <= 1000 and 2999 in fragment.steered

    @pytest.mark.parametrize("execution_id", [3, -1])
    def test_what_many_events_say_of_one_plan_is_kept_in_part(self, execution_id: int) -> None:
        fragment = Fragment()
        for number in range(300):
            outcomes = [ev.DirectiveResult(f"{number}/{n}/{'x' * 5_000}", "applied") for n in range(20)]
            take_steered(fragment, ev.PlanSteered(execution_id, f"{number % 2:016x}", outcomes))
        kept = [*fragment.steered.values(), *fragment.steering.by_query.values()]
        assert kept and all(0 < sum(len(one.action_id) for one in said) < 70_000 for said in kept)

    def test_a_stretch_of_a_log_carries_it_on(self) -> None:
        fragment = Fragment()
        fragment.steering = application(
            steered(-1, (HINT["id"], "applied", "")), **{"spark.tuner.directives": directives(HINT, orders=[ORDER])}
        ).steering
        fragment.steer(4, (DirectiveResult("a", DirectiveStatus.APPLIED),))
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(fragment), type=Fragment) == fragment
