"""A decision as the agent's message, and what cannot be said in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.policy.histories import decided, run
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.agent_message import MAX_DIRECTIVES, SizeBounds, decode_message
from tuner.model.change import Prediction
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, Order, Predicate, RelationKind
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.model.strategy import JoinType, Strategy
from tuner.plan.order_text import order_text
from tuner.plan.ordered_joins import ordered_joins
from tuner.policy.known_queries import newest_of_each
from tuner.steering.agent.agent_directives import SizeLimits, agent_directives


def join(signature: str = "sig", left: Sequence[str] = ("db.sales",), right: Sequence[str] = ("db.dates",)) -> JoinSite:
    sides = JoinSide(tuple(left)), JoinSide(tuple(right))
    return JoinSite(signature, 0, JoinType.INNER, Strategy.SORT_MERGE, None, (), *sides, 10, None)


def block(*items: str, edges: Sequence[tuple[int, int, str, str]], signature: str = "block") -> JoinGraph:
    relations = tuple(GraphRelation(f"label-{n}", (item,), RelationKind.SCAN) for n, item in enumerate(items))
    predicates = tuple(Predicate(1 << a, 1 << b, left, right) for a, b, left, right in edges)
    return JoinGraph(signature, relations, predicates, (), {}, 0)


STAR = block(
    "db.sales",
    "db.dates",
    "db.items",
    edges=[(0, 1, "db.sales.day", "db.dates.id"), (0, 2, "db.sales.item", "db.items.id")],
)
# Ids of the values that a decision was measured with.
LITERALS = ("0f0f", "a0a0")
VALUES: dict[str, object] = {"literals": [*LITERALS], "neutral": []}
READS = ("db.dates", "db.items", "db.sales")


def query(fingerprint: str = "q1", *, relations: Sequence[str] = READS, **parts: object) -> Query:
    whole = Query(1, 1, fingerprint, "", 0, 1000, QueryStatus.SUCCEEDED, (join(),), relations=tuple(relations))
    return replace(whole, **parts)  # type: ignore[arg-type]


def hint(fingerprint: str = "q1", *side: str, target: str = "sig", value: str = Hint.BROADCAST) -> Action:
    return Action(ActionKind.HINT_JOIN, target, value, fingerprint, side or ("db.dates",))


def order(tree: Order, graph: JoinGraph = STAR, fingerprint: str = "q1") -> Action:
    return Action(ActionKind.ORDER_JOINS, graph.signature, order_text(tree, graph), fingerprint)


def decision(*actions: Action, standing: Standing = Standing.TRIAL) -> Decision:
    return Decision(Mode.AUTO, tuple(replace(decided(action, standing), literals=LITERALS) for action in actions))


def message(*actions: Action, queries: Sequence[Query]) -> list[dict[str, object]]:
    """What is said of the queries; nothing may be skipped."""
    found = agent_directives(decision(*actions), queries)
    assert found.skipped == ()
    document = json.loads(found.text)
    assert document["version"] == 3
    return document["queries"]  # type: ignore[no-any-return]


def skipped(*actions: Action, queries: Sequence[Query]) -> list[str]:
    """Why each is skipped; nothing may be said."""
    found = agent_directives(decision(*actions), queries)
    assert found.text == "" and [action for action, _ in found.skipped] == list(actions)
    return [why for _, why in found.skipped]


def test_a_hint() -> None:
    action = hint()
    assert message(action, queries=[query()]) == [
        {
            "fingerprint": "q1",
            "relations": list(READS),
            "columns": "",
            "hints": [
                {
                    "id": action.id,
                    "join": "sig",
                    "hint": "BROADCAST",
                    "side": ["db.dates"],
                    "most_bytes": 0,
                    "cap_bytes": 0,
                    **VALUES,
                    "rows": 0,
                    "most_counted": 0,
                    "shuffled": False,
                    "filtered": [],
                }
            ],
            "orders": [],
        }
    ]


def test_a_hint_for_relations_of_some_size() -> None:
    limits = SizeLimits({hint().id: 40_000}, cap_bytes=9_000_000)
    found = json.loads(agent_directives(decision(hint()), [query()], limits).text)
    (said,) = found["queries"][0]["hints"]
    assert (said["most_bytes"], said["cap_bytes"]) == (40_000, 9_000_000)


@pytest.mark.parametrize(
    ("advisor", "shuffled"),
    [
        ("broadcast_hint", True),
        ("secured_broadcast", True),
        ("shuffle_hash", True),
        # Spark broadcasts a side of these by itself.
        ("build_side", False),
        ("no_broadcast", False),
    ],
)
@pytest.mark.parametrize("code", [ReasonCode.BROADCAST_HINT, ReasonCode.IMPORTED])
def test_a_hint_for_a_join_that_was_shuffled(advisor: str, shuffled: bool, code: ReasonCode) -> None:
    """Wherever it was proven."""
    (one,) = decision(hint()).changes
    advised = replace(one, change=replace(one.change, advisor=advisor, reason=Reason(code)))
    (said,) = json.loads(agent_directives(Decision(Mode.AUTO, (advised,)), [query()]).text)["queries"]
    assert said["hints"][0]["shuffled"] is shuffled


def test_a_hint_for_values_that_are_others_in_each_run() -> None:
    """Both kinds of columns may take any values; what is counted first has a limit of its own."""
    (one,) = decision(hint()).changes
    any_values = replace(one, neutral=("db.sales.day",), fleeting=("db.dates.name",))
    limits = SizeLimits({hint().id: 40_000}, counted={hint().id: 10 << 20})
    (said,) = json.loads(agent_directives(Decision(Mode.AUTO, (any_values,)), [query()], limits).text)["queries"]
    assert said["hints"][0]["neutral"] == ["db.dates.name", "db.sales.day"]
    assert said["hints"][0]["most_counted"] == 10 << 20


def test_a_filter_by_keys_of_one_relation_of_a_side_has_room_for_twice_as_many() -> None:
    site = KeyFilterSite("sig", ("db.sales",), 10**6, 0.01, True, ("db.items",), 300)
    wide = join(right=("db.dates", "db.items"))
    filtered = hint("q1", "db.items", value=Hint.FILTER_BY_KEY)
    (said,) = message(
        filtered, queries=[query(joins=(wide,), key_filters=(site, replace(site, join="other", source_rows=9)))]
    )
    assert said["hints"] == [
        {
            "id": filtered.id,
            "join": "sig",
            "hint": "FILTER_BY_KEY",
            "side": ["db.items"],
            "most_bytes": 0,
            "cap_bytes": 0,
            **VALUES,
            "rows": 600,
            "most_counted": 0,
            "shuffled": False,
            "filtered": ["db.sales"],
        }
    ]


def test_a_join_may_have_a_filter_beside_its_strategy() -> None:
    filtered = hint(value=Hint.FILTER_BY_KEY)
    (said,) = message(hint(), filtered, queries=[query()])
    assert {one["hint"] for one in said["hints"]} == {"BROADCAST", "FILTER_BY_KEY"}  # type: ignore[attr-defined]


def test_groups_that_are_made_once_are_named_by_their_join_and_all_that_they_read() -> None:
    shared = replace(hint(value=Hint.SHARE), relations=("db.sales", "db.dates", "db.items"))
    (said,) = message(hint(), shared, queries=[query()])
    (directive,) = (one for one in said["hints"] if one["hint"] == "SHARE")  # type: ignore[attr-defined]
    assert (directive["join"], directive["side"]) == (hint().target, ["db.dates", "db.items", "db.sales"])
    assert (directive["most_bytes"], directive["literals"]) == (0, VALUES["literals"])


def test_what_may_lose_with_larger_relations_is_said_only_with_sizes() -> None:
    by_key = hint(value=Hint.FILTER_BY_KEY)
    actions = (hint(), order(Joined(Joined(0, 2), 1)), by_key, replace(hint(), value="NO_BROADCAST"))
    ran = [query(graphs=(STAR,))]
    found = agent_directives(decision(*actions), ran, SizeLimits())
    assert [action for action, _ in found.skipped] == list(actions[:3])
    bounds = {relation.label: SizeBounds(n, 10 * n, n) for n, relation in enumerate(STAR.relations)}
    larger = {label: SizeBounds(100 * one.least, 100 * one.most, one.most_rows) for label, one in bounds.items()}
    limits = SizeLimits({actions[0].id: 40, by_key.id: 70}, of_orders={actions[1].id: [bounds, larger]})
    known = agent_directives(decision(*actions), ran, limits)
    assert known.skipped == ()
    (said,) = json.loads(known.text)["queries"]
    assert said["orders"][0]["bounds"] == [[0, 0, 0], [1, 10, 1], [2, 20, 2]]
    assert said["orders"][0]["more_bounds"] == [[[0, 0, 0], [100, 1000, 1], [200, 2000, 2]]]
    assert {one["hint"]: one["most_bytes"] for one in said["hints"]} == {
        "BROADCAST": 40,
        "FILTER_BY_KEY": 70,
        "NO_BROADCAST": 0,
    }


def test_a_hint_is_not_said_without_the_order_that_it_needs() -> None:
    """Even where the latest run had the join that the order made."""
    hinted, ordered = hint(), order(Joined(Joined(0, 2), 1))
    needs = replace(decided(hinted).change, needs=decided(ordered).id)
    both = Decision(Mode.AUTO, (decided(ordered), replace(decided(hinted), change=needs)))
    found = agent_directives(both, [query(graphs=(STAR,))], SizeLimits({hinted.id: 40}))
    assert found.text == ""
    assert [action for action, _ in found.skipped] == [ordered, hinted]


def test_an_order() -> None:
    action = order(Joined(Joined(0, 2), 1))
    (said,) = message(action, queries=[query(graphs=(STAR,))])
    assert said["orders"] == [
        {
            "id": action.id,
            "items": [["db.sales"], ["db.dates"], ["db.items"]],
            "predicates": [
                [[0], [1], "db.sales.day", "db.dates.id"],
                [[0], [2], "db.sales.item", "db.items.id"],
            ],
            "order": [[0, 2], 1],
            **VALUES,
            "bounds": [],
            "more_bounds": [],
        }
    ]


def test_either_side_of_a_join_whose_sides_look_alike() -> None:
    either = Action(ActionKind.HINT_JOIN, "sig", "NO_BROADCAST", "q1")
    (said,) = message(either, queries=[query(joins=(join(left=["db.a"], right=["db.a"]),))])
    assert said["hints"] == [
        {
            "id": either.id,
            "join": "sig",
            "hint": "NO_BROADCAST",
            "side": [],
            "most_bytes": 0,
            "cap_bytes": 0,
            **VALUES,
            "rows": 0,
            "most_counted": 0,
            "shuffled": False,
            "filtered": [],
        }
    ]


def test_a_side_of_several_relations_is_sorted_and_keeps_repeats() -> None:
    sides = join(left=["db.a", "db.a", "db.b"], right=["db.c"])
    (said,) = message(hint("q1", "db.b", "db.a", "db.a"), queries=[query(joins=(sides,))])
    assert said["hints"][0]["side"] == ["db.a", "db.a", "db.b"]  # type: ignore[index]


def test_the_same_text_however_actions_and_queries_come() -> None:
    actions = [hint(), order(Joined(Joined(0, 2), 1)), hint("q2", target="other")]
    ran = [query(graphs=(STAR,)), query("q2", relations=["db.x"], joins=(join("other"),))]
    there = agent_directives(decision(*actions), ran)
    back = agent_directives(decision(*reversed(actions)), ran[::-1])
    assert there.text == back.text and there.skipped == back.skipped == ()


def test_the_text_is_ascii_without_anything_that_spark_substitutes() -> None:
    ran = [query(relations=["/daten/über", "db.${x}"], joins=(join(right=["db.${x}"]),))]
    found = agent_directives(decision(hint("q1", "db.${x}")), ran)
    assert found.text.isascii() and "$" not in found.text and "\n" not in found.text
    assert json.loads(found.text)["queries"][0]["relations"] == ["/daten/über", "db.${x}"]


@pytest.mark.parametrize("standing", [Standing.PROPOSED, Standing.HELD, Standing.ROLLED_BACK])
def test_what_is_not_in_force_is_not_said(standing: Standing) -> None:
    found = agent_directives(decision(hint(), standing=standing), [query()])
    assert found.text == "" and found.skipped == ()


def test_properties_are_not_its_business() -> None:
    found = agent_directives(decision(Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16")), [query()])
    assert found.text == "" and found.skipped == ()


def test_another_query_of_the_same_relations_with_the_join_forbids_the_hint() -> None:
    (why,) = skipped(hint(), queries=[query(), query("q2")])
    assert why == "the agent could not tell it from query 1, which reads the same columns"


def test_unless_it_reads_other_columns() -> None:
    both = [query(columns="c1"), query("q2", columns="c2")]
    assert [(one["fingerprint"], one["columns"]) for one in message(hint(), queries=both)] == [("q1", "c1")]
    different = [hint(), hint("q2", value=Hint.SHUFFLE_HASH)]
    assert [one["columns"] for one in message(*different, queries=both)] == ["c1", "c2"]


def test_a_query_that_the_latest_run_did_not_have_is_told_of_too() -> None:
    mondays = query("q2", relations=["db.x"], joins=(join("other"),))
    actions = [hint(), hint("q2", target="other")]
    found = agent_directives(decision(*actions), [query()], absent=[mondays])
    assert found.skipped == ()
    assert [one["fingerprint"] for one in json.loads(found.text)["queries"]] == ["q1", "q2"]


def test_a_query_that_was_edited_takes_nothing_from_what_it_became() -> None:
    """The old one is absent for good: neither has it a say in what the new one has, nor does that get what the old one had."""
    edited = agent_directives(decision(hint("new")), [query("new")], absent=[query("old")])
    assert edited.skipped == () and [one["fingerprint"] for one in json.loads(edited.text)["queries"]] == ["new"]
    found = agent_directives(decision(hint("old")), [query("new")], absent=[query("old")])
    assert found.text == ""
    assert [why for _, why in found.skipped] == [
        "the agent could not tell it from query 1, which reads the same columns"
    ]


def test_columns_tell_queries_apart_that_come_in_turns() -> None:
    new, old = query("new", columns="c1"), query("old", columns="c2")
    for action, queries, absent in ((hint("new"), [new], [old]), (hint("old"), [new], [old])):
        found = agent_directives(decision(action), queries, absent=absent)
        (said,) = json.loads(found.text)["queries"]
        assert (said["fingerprint"], said["columns"]) == (action.query, "c1" if action.query == "new" else "c2")


def test_of_two_absent_queries_one_forbids_what_would_reach_the_other() -> None:
    found = agent_directives(decision(hint("q2")), [], absent=[query("q2"), query("q3")])
    assert found.text == "" and len(found.skipped) == 1


def test_groups_made_once_are_told_of_each_query_by_itself() -> None:
    """The plan has no filters then by which a query would be known."""
    shares = [hint(fingerprint, *READS, value=Hint.SHARE) for fingerprint in ("q1", "q2")]
    both = [query(columns="c1"), query("q2", columns="c2")]
    assert [one["columns"] for one in message(*shares, queries=both)] == ["c1", "c2"]
    broadcasts = [hint(), hint("q2")]
    assert [one["columns"] for one in message(*broadcasts, queries=both)] == ["", ""]
    whys = skipped(*shares, queries=[query(), query("q2")])
    assert all("which reads the same columns" in why for why in whys)


def test_nor_may_it_reach_a_join_that_an_order_makes_of_another_query() -> None:
    """Both are ordered alike, and only one is to have the broadcast."""
    tree = Joined(Joined(0, 2), 1)
    written = replace(STAR, written=Joined(Joined(0, 1), 2))
    first, _ = ordered_joins(written, tree)
    both = [
        query(fingerprint, columns=columns, graphs=(written,)) for fingerprint, columns in (("q1", "c1"), ("q2", "c2"))
    ]
    orders = [order(tree, written), order(tree, written, "q2")]
    broadcast = hint("q1", "db.items", target=first.signature)
    assert [said["columns"] for said in message(*orders, queries=both)] == ["", ""]
    said = message(*orders, broadcast, queries=both)
    assert {one["fingerprint"]: one["columns"] for one in said} == {"q1": "c1", "q2": ""}


def test_a_hint_is_not_said_without_the_order_that_makes_its_join() -> None:
    twins = block("db.sales", "db.dates", "db.dates", edges=[(0, n, "db.sales.day", "db.dates.id") for n in (1, 2)])
    unsayable = order(Joined(Joined(0, 2), 1), twins)
    made, _ = ordered_joins(twins, Joined(Joined(0, 2), 1))
    ran = [query(graphs=(replace(twins, written=Joined(Joined(0, 1), 2)),))]
    twice, missing = skipped(unsayable, hint("q1", "db.dates", target=made.signature), queries=ran)
    assert "is joined twice in the same way" in twice
    assert missing == "its query did not have this join in the latest run"


def test_columns_are_not_asked_for_where_the_relations_tell() -> None:
    (said,) = message(hint(), queries=[query(columns="c1"), query("q2", columns="c2", joins=(join("other"),))])
    assert said["columns"] == ""


def test_unless_it_is_to_have_the_same_hint() -> None:
    said = message(hint(), hint("q2"), queries=[query(), query("q2")])
    assert [one["fingerprint"] for one in said] == ["q1", "q2"]


def test_another_hint_is_not_the_same() -> None:
    both = [hint(), hint("q2", value=Hint.SHUFFLE_HASH)]
    assert len(skipped(*both, queries=[query(), query("q2")])) == 2


def test_other_relations_or_no_such_join_are_no_danger() -> None:
    others = [query("q2", relations=["db.dates", "db.sales"]), query("q3", joins=(join("other"),))]
    assert len(message(hint(), queries=[query(), *others])) == 1


def test_a_query_that_ran_twice_is_one() -> None:
    assert len(message(hint(), queries=[query(), query()])) == 1


def test_a_block_that_only_filters_tell_from_another_querys_forbids_the_order() -> None:
    filtered = replace(STAR, signature="filtered", relations=STAR.relations[::-1], predicates=turned(STAR))
    (why,) = skipped(order(Joined(Joined(0, 2), 1)), queries=[query(graphs=(STAR,)), query("q2", graphs=(filtered,))])
    assert why == "the agent could not tell it from query 1, which reads the same columns"


def test_unless_it_is_to_have_the_same_order() -> None:
    filtered = replace(STAR, signature="filtered", relations=STAR.relations[::-1], predicates=turned(STAR))
    ran = [query(graphs=(STAR,)), query("q2", graphs=(filtered,))]
    same = order(Joined(Joined(2, 0), 1), filtered, "q2")
    assert len(message(order(Joined(Joined(0, 2), 1)), same, queries=ran)) == 2
    other = order(Joined(Joined(2, 1), 0), filtered, "q2")
    assert len(skipped(order(Joined(Joined(0, 2), 1)), other, queries=ran)) == 2


def test_one_that_runs_in_that_order_already_is_no_danger() -> None:
    wish = Joined(Joined(0, 2), 1)
    other = replace(STAR, signature="other branch", written=wish)
    assert len(message(order(wish), queries=[query(graphs=(STAR, other))])) == 1


def test_another_block_of_the_query_itself_forbids_it_too() -> None:
    twice = query(graphs=(STAR, replace(STAR, signature="other branch")))
    (why,) = skipped(order(Joined(Joined(0, 2), 1)), queries=[twice])
    assert why == "the agent could not tell it from another block of its query"


def test_items_that_only_their_filters_tell_apart_forbid_an_order() -> None:
    twins = block("db.sales", "db.dates", "db.dates", edges=[(0, n, "db.sales.day", "db.dates.id") for n in (1, 2)])
    (why,) = skipped(order(Joined(Joined(0, 2), 1), twins), queries=[query(graphs=(twins,))])
    assert why == "dates is joined twice in the same way: which one is meant cannot be told"


def test_items_of_one_relation_are_told_apart_by_their_keys_and_neighbours() -> None:
    keys = [(0, 1, "db.sales.sold", "db.dates.id"), (0, 2, "db.sales.shipped", "db.dates.id")]
    far = [(1, 3, "db.dates.holiday", "db.names.id"), (2, 4, "db.dates.holiday", "db.names.id")]
    twice = block("db.sales", "db.dates", "db.dates", "db.names", "db.names", edges=[*keys, *far])
    tree = Joined(Joined(Joined(2, 4), 0), Joined(1, 3))
    (said,) = message(order(tree, twice), queries=[query(graphs=(twice,))])
    assert said["orders"][0]["order"] == [[[2, 4], 0], [1, 3]]  # type: ignore[index]


def test_an_equality_over_several_items() -> None:
    whole = replace(STAR, predicates=(*STAR.predicates, Predicate(0b011, 0b100, "expression(a,b)", "db.items.id")))
    (said,) = message(order(Joined(Joined(0, 1), 2), whole), queries=[query(graphs=(whole,))])
    assert said["orders"][0]["predicates"][2] == [[0, 1], [2], "expression(a,b)", "db.items.id"]  # type: ignore[index]


def test_items_that_only_such_an_equality_tells_apart_forbid_an_order() -> None:
    twins = block("db.sales", "db.dates", "db.dates", edges=[(0, n, "db.sales.day", "db.dates.id") for n in (1, 2)])
    told = replace(twins, predicates=(*twins.predicates, Predicate(0b011, 0b100, "expression(a,b)", "db.dates.month")))
    (why,) = skipped(order(Joined(Joined(0, 2), 1), told), queries=[query(graphs=(told,))])
    assert why.startswith("dates is joined twice")


@pytest.mark.parametrize(
    ("action", "ran", "why"),
    [
        (hint("gone"), query(), "its query did not run in the latest run, and has not come back so far"),
        (
            hint(),
            query(relations=()),
            "what its query reads is not recorded: the latest run was harvested by an older version",
        ),
        (hint(target="gone"), query(), "its query did not have this join in the latest run"),
        (hint("q1", "db.items"), query(), "no side of the join reads items alone"),
        (
            hint("q1", "db.a"),
            query(joins=(join(left=["db.a"], right=["db.a"]),)),
            "both sides of the join read the same relations: which one is meant cannot be told",
        ),
        (order(Joined(Joined(0, 2), 1)), query(), "its query did not have this block of joins in the latest run"),
        (
            order(Joined(Joined(0, 2), 1)),
            query(graphs=(block("db.sales", "db.dates", "db.shops", "db.x", edges=[]),)),
            "'((label-0 label-2) label-1)' does not join each of 4 relations once",
        ),
    ],
)
def test_what_cannot_be_said(action: Action, ran: Query, why: str) -> None:
    assert skipped(action, queries=[ran]) == [why]


def turned(graph: JoinGraph) -> tuple[Predicate, ...]:
    """The predicates of a graph whose relations are listed in the opposite order, their sides swapped."""
    last = len(graph.relations) - 1
    there = {1 << n: 1 << (last - n) for n in range(last + 1)}
    return tuple(Predicate(there[p.right], there[p.left], p.right_key, p.left_key) for p in graph.predicates)


def test_no_more_is_said_than_is_read_again() -> None:
    """An order and the hint that needs it stay together; what gains most is said."""
    digest = "0123456789abcdef"
    actions = [hint(digest, target=f"{number:016x}") for number in range(MAX_DIRECTIVES + 1)]
    ran = query(digest, joins=tuple(join(action.target) for action in actions), graphs=(STAR,))
    changes = [replace(one, gained_seconds=float(n % 500)) for n, one in enumerate(decision(*actions).changes)]
    found = agent_directives(Decision(Mode.AUTO, tuple(changes)), [ran])
    (said,) = decode_message(found.text)
    assert len(said.ids) == MAX_DIRECTIVES and actions[0].id in said.ids
    ((left, why),) = found.skipped
    assert left == actions[1000] and str(MAX_DIRECTIVES) in why
    pinned = (*changes[:1000], replace(changes[1000], standing=Standing.PINNED))
    ((left, _),) = agent_directives(Decision(Mode.AUTO, pinned), [ran]).skipped
    assert left == actions[500]
    (first,) = decision(order(Joined(Joined(0, 2), 1), fingerprint=digest)).changes
    needing = replace(changes[1], change=replace(changes[1].change, needs=first.id), gained_seconds=None)
    trial = (replace(first, gained_seconds=0.5), needing)
    told = agent_directives(Decision(Mode.AUTO, (*changes[2:1001], *trial)), [ran])
    assert not {first.id, needing.id} & {action.id for action, _ in told.skipped}


def test_what_is_foretold_of_an_execution_counts_for_all_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside it stands what a run gained, as measured."""
    monkeypatch.setattr("tuner.steering.agent.agent_directives.MAX_DIRECTIVES", 1)
    often, once = hint("0f0f"), hint("a0a0")
    loop, other_query = [query("0f0f", id=n) for n in range(10)], query("a0a0", relations=("db.dates", "db.sales"))

    def skipped(gained: float) -> list[Action]:
        of_loop, other = decision(often, once).changes
        foretold = replace(of_loop.change, prediction=Prediction(2.0, 1.0, 0.5, 1.5))
        found = replace(of_loop, change=foretold), replace(other, gained_seconds=gained)
        return [action for action, _ in agent_directives(Decision(Mode.AUTO, found), [*loop, other_query]).skipped]

    assert skipped(5.0) == [once] and skipped(15.0) == [often]


def test_executions_of_earlier_runs_with_other_values_are_none_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.steering.agent.agent_directives.MAX_DIRECTIVES", 1)
    daily, other = hint("0f0f"), hint("a0a0")

    def night(day: int) -> Run:
        found = run(day, {"q1": 10})
        assert found.outcome is not None
        ran = query("0f0f", literals=f"of {day}"), query("a0a0", relations=("db.dates", "db.sales"))
        return replace(found, outcome=replace(found.outcome, queries=ran))

    newest = newest_of_each([night(1), night(2)])
    of_daily, of_other = decision(daily, other).changes
    foretold = replace(of_daily, change=replace(of_daily.change, prediction=Prediction(2.0, 1.0, 0.5, 1.5)))
    in_force = Decision(Mode.AUTO, (foretold, replace(of_other, gained_seconds=1.5)))
    told = agent_directives(in_force, newest.of_latest, absent=newest.absent, executions=newest.executions)
    assert len(newest.of_latest) == 3 and newest.executions == {"0f0f": 1, "a0a0": 1}
    assert [action for action, _ in told.skipped] == [daily]


def test_a_message_that_is_too_long_to_be_read_is_said_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = [hint(target=f"sig-{number}") for number in range(10)]
    ran = query(joins=tuple(join(action.target) for action in actions))
    monkeypatch.setattr("tuner.steering.agent.agent_directives.MAX_DIRECTIVES", len(actions))
    most = len(agent_directives(decision(*actions), [ran]).text) - 1
    monkeypatch.setattr("tuner.steering.agent.agent_directives.MAX_CHARACTERS", most)
    found = agent_directives(decision(*actions), [ran])
    assert 0 < len(found.text) <= most and len(found.skipped) == 5
