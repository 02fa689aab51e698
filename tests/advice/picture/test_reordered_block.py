"""A block of joins redrawn in another order: what is known of it stays, what nobody measured is not made up."""

from __future__ import annotations

from dataclasses import replace

from tests.advice.drawings import drawn, text
from tuner.advice.picture.advised_picture import Redrawn, advised_picture
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_graph import Condition, GraphRelation, Joined, JoinGraph, MeasuredJoin, Predicate, RelationKind
from tuner.model.plan_picture import PlanPicture
from tuner.model.strategy import JoinType
from tuner.plan.joins import signature

# sales joins days, then shops.
WRITTEN = """\
filter filter on s_name =9
  sort sales.shop = shops.s_id =700
    shuffle shuffle by shop =1000
      broadcast-join sales.day = days.d_day [right] =1000
        scan sales =5000
        broadcast broadcast =30
          scan days =30
    shuffle shuffle by s_id =8
      scan shops =8
"""
ORDERED = """\
filter filter on s_name =9
  broadcast-join sales.day = days.d_day [right] =700
    sort sales.shop = shops.s_id{rows}
      shuffle shuffle by shop =5000
        scan sales =5000
      shuffle shuffle by s_id =8
        scan shops =8
    broadcast broadcast =30
      scan days =30
"""


def relation(name: str, rows: int) -> GraphRelation:
    return GraphRelation(name, (f"db.{name}",), RelationKind.SCAN, rows)


def graph(*, measured_first: bool = False) -> JoinGraph:
    measured = {0b011: MeasuredJoin(1000), 0b111: MeasuredJoin(700)}
    return JoinGraph(
        signature="block",
        relations=(relation("sales", 5000), relation("days", 30), relation("shops", 8)),
        predicates=(
            Predicate(0b001, 0b010, "db.sales.day", "db.days.d_day"),
            Predicate(0b100, 0b001, "db.shops.s_id", "db.sales.shop"),
        ),
        conditions=(),
        measured=measured | ({0b101: MeasuredJoin(3500)} if measured_first else {}),
        written=Joined(Joined(0, 1), 2),
    )


def order(value: str, target: str = "block") -> Action:
    return Action(ActionKind.ORDER_JOINS, target, value, "q")


OTHER = order("((sales shops) days)")


def test_joins_come_in_the_order_with_the_keys_that_lie_between_their_inputs() -> None:
    found = advised_picture(drawn(WRITTEN), [OTHER], [graph()])
    assert text(found.picture) == ORDERED.format(rows="")
    assert found.left == ()
    keys = (("db.sales.shop", "db.shops.s_id"),)
    assert found.picture.steps[2].signature == signature(JoinType.INNER, ("db.sales",), ("db.shops",), keys)


def test_rows_of_a_join_that_some_run_has_measured_are_told() -> None:
    found = advised_picture(drawn(WRITTEN), [OTHER], [graph(measured_first=True)])
    assert text(found.picture) == ORDERED.format(rows=" =3500")


def test_hints_are_for_the_joins_of_the_new_order() -> None:
    keys = (("db.sales.shop", "db.shops.s_id"),)
    target = signature(JoinType.INNER, ("db.sales",), ("db.shops",), keys)
    hint = Action(ActionKind.HINT_JOIN, target, Hint.BROADCAST.value, "q", ("db.shops",))
    found = advised_picture(drawn(WRITTEN), [hint, OTHER], [graph()])
    assert found.left == ()
    assert "    broadcast-join sales.shop = shops.s_id [right]\n      scan sales =5000\n" in text(found.picture)


def test_relations_without_a_key_between_them_meet_in_a_nested_loop() -> None:
    found = text(advised_picture(drawn(WRITTEN), [order("((shops days) sales)")], [graph()]).picture)
    assert "      loop no condition [right]\n        scan shops =8\n        broadcast broadcast =30\n" in found
    ranged = replace(graph(), conditions=(Condition(0b110, "d_day >= s_opened"),))
    found = text(advised_picture(drawn(WRITTEN), [order("((shops days) sales)")], [ranged]).picture)
    assert "      loop condition on days, shops [right]\n" in found


def test_what_relied_on_the_old_joins_shuffle_shuffles_for_itself() -> None:
    grouped = WRITTEN.replace("filter filter on s_name", "aggregate group by shop")
    found = text(advised_picture(drawn(grouped), [OTHER], [graph()]).picture)
    assert found.startswith("aggregate group by shop =9\n  shuffle shuffle by shop =700\n    broadcast-join")


def left(picture: PlanPicture, action: Action, *graphs: JoinGraph) -> bool:
    return advised_picture(picture, [action], graphs) == Redrawn(picture, (action,))


def test_an_order_of_what_is_not_there_is_left() -> None:
    assert left(drawn(WRITTEN), OTHER)
    assert left(drawn(WRITTEN), order("((sales shops) days)", target="another"), graph())
    assert left(drawn(WRITTEN), order("((sales gone) days)"), graph())
    assert left(drawn(WRITTEN.replace("scan days", "scan years")), OTHER, graph())
    assert left(drawn("scan sales =5000\n"), OTHER, graph())
