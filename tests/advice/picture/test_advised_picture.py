"""A plan redrawn with its joins as advised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

from tests.advice.drawings import drawn, text
from tuner.advice.picture.advised_picture import Redrawn, advised_picture
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_graph import JoinGraph
from tuner.model.plan_picture import PlanPicture


def hint(value: Hint, *relations: str, join: str = "s.day = d.d_day") -> Action:
    return Action(ActionKind.HINT_JOIN, join, value.value, "q", relations)


def redrawn(picture: PlanPicture, actions: Sequence[Action], graphs: Sequence[JoinGraph] = ()) -> PlanPicture:
    return advised_picture(picture, actions, graphs).picture


SORTED = """\
sort s.day = d.d_day =1000
  shuffle shuffle by day =5000
    scan sales =5000
  shuffle shuffle by d_day =30
    scan days =30
"""
BROADCAST = """\
broadcast-join s.day = d.d_day [right] =1000
  scan sales =5000
  broadcast broadcast =30
    scan days =30
"""
HASHED = SORTED.replace("sort s.day = d.d_day", "hash s.day = d.d_day [right]")
# What AQE made of a sort merge join when it had seen the sizes.
REPLANNED = """\
broadcast-join s.day = d.d_day [right] =1000
  shuffle shuffle by day =5000
    scan sales =5000
  broadcast broadcast =30
    shuffle shuffle by d_day =30
      scan days =30
"""


@pytest.mark.parametrize(
    ("before", "action", "after"),
    [
        pytest.param(SORTED, hint(Hint.BROADCAST, "shop.days"), BROADCAST, id="a-broadcast-needs-no-shuffle"),
        pytest.param(REPLANNED, hint(Hint.BROADCAST, "shop.days"), BROADCAST, id="nor-what-AQE-left-of-them"),
        pytest.param(SORTED, hint(Hint.SHUFFLE_HASH, "shop.days"), HASHED, id="a-shuffled-hash-join-keeps-both"),
        pytest.param(BROADCAST, hint(Hint.NO_BROADCAST, "shop.days"), SORTED, id="no-broadcast-shuffles-both"),
        pytest.param(REPLANNED, hint(Hint.NO_BROADCAST, "shop.days"), SORTED, id="or-keeps-the-shuffles-there-are"),
        pytest.param(BROADCAST, hint(Hint.SHUFFLE_HASH, "shop.days"), HASHED, id="a-hash-join-in-place-of-a-broadcast"),
        pytest.param(HASHED, hint(Hint.MERGE, "shop.days"), SORTED, id="a-merge-builds-nothing"),
        pytest.param(HASHED, hint(Hint.NO_BROADCAST, "shop.days"), HASHED, id="no-broadcast-where-there-was-none"),
        pytest.param(SORTED, hint(Hint.BROADCAST, "shop.days", join="other"), SORTED, id="other-joins-stay"),
        pytest.param(
            SORTED,
            Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "8"),
            SORTED,
            id="conf-changes-no-picture",
        ),
    ],
)
def test_exchanges_come_and_go_with_the_strategy(before: str, action: Action, after: str) -> None:
    assert text(redrawn(drawn(before), [action])) == after


def test_the_side_that_reads_the_hinted_relations_is_built() -> None:
    found = text(redrawn(drawn(SORTED), [hint(Hint.BROADCAST, "sales")]))
    assert found == (
        "broadcast-join s.day = d.d_day [left] =1000\n"
        "  broadcast broadcast =5000\n    scan sales =5000\n"
        "  scan days =30\n"
    )


def test_of_two_sides_alike_the_smaller_is_built() -> None:
    same = SORTED.replace("days", "sales")
    assert "[right]" in text(redrawn(drawn(same), [hint(Hint.BROADCAST, "sales")]))
    larger = same.replace("=5000", "=5")
    assert "[left]" in text(redrawn(drawn(larger), [hint(Hint.BROADCAST, "sales")]))


def test_what_relied_on_the_joins_shuffle_shuffles_for_itself() -> None:
    grouped = "aggregate group by day =7\n  aggregate partial group by day =7\n" + "".join(
        f"    {line}\n" for line in SORTED.splitlines()
    )
    found = text(redrawn(drawn(grouped), [hint(Hint.BROADCAST, "days")]))
    assert found.startswith(
        "aggregate group by day =7\n  shuffle shuffle by day =7\n    aggregate partial group by day =7\n      broadcast-join"
    )


def test_a_join_above_that_relied_on_it_does_too_and_no_other() -> None:
    above = (
        "sort s.day = r.r_day =900\n"
        "  broadcast-join s.shop = h.shop [right] =1000\n"
        + "".join(f"    {line}\n" for line in SORTED.splitlines())
        + "    broadcast broadcast =3\n      scan shops =3\n"
        "  shuffle shuffle by r_day =4\n    scan returns =4\n"
    )
    found = text(redrawn(drawn(above), [hint(Hint.BROADCAST, "days")]))
    assert found.startswith(
        "sort s.day = r.r_day =900\n  shuffle shuffle by day =1000\n    broadcast-join s.shop = h.shop [right] =1000\n"
        "      broadcast-join s.day = d.d_day [right] =1000\n        scan sales"
    )


def test_a_shuffle_that_the_query_asked_for_stays() -> None:
    asked = SORTED.replace("shuffle shuffle by day =5000", "shuffle shuffle evenly =5000")
    assert "  shuffle shuffle evenly =5000" in text(redrawn(drawn(asked), [hint(Hint.BROADCAST, "days")]))


def test_an_aggregate_by_the_keys_comes_hashed_already() -> None:
    grouped = BROADCAST.replace(
        "  scan sales =5000", "  aggregate group by day =5000\n    shuffle shuffle by day =5000"
    )
    found = text(redrawn(drawn(grouped), [hint(Hint.NO_BROADCAST, "days")]))
    assert found.startswith("sort s.day = d.d_day =1000\n  aggregate group by day =5000\n    shuffle")


def test_what_was_reused_of_a_shuffle_is_a_broadcast_of_the_same() -> None:
    reused = SORTED.replace(
        "  shuffle shuffle by d_day =30\n    scan days =30\n", "  shuffle reused shuffle of days =30\n"
    )
    found = text(redrawn(drawn(reused), [hint(Hint.BROADCAST, "shop.days")]))
    assert found.endswith("[right] =1000\n  scan sales =5000\n  broadcast broadcast of days =30\n")


def test_a_join_without_keys_can_only_be_told_what_to_broadcast() -> None:
    loop = BROADCAST.replace("broadcast-join", "loop")
    found = text(redrawn(drawn(loop), [hint(Hint.BROADCAST, "sales")]))
    assert found.splitlines()[0] == "loop s.day = d.d_day [left] =1000"
    assert text(redrawn(drawn(loop), [hint(Hint.MERGE, "sales")])) == loop


def test_a_strategy_that_nobody_knows_stays() -> None:
    unknown = SORTED.replace("sort", "unknown")
    assert text(redrawn(drawn(unknown), [hint(Hint.BROADCAST, "days")])) == unknown


def test_a_plan_whose_steps_do_not_tell_what_they_read_stays() -> None:
    told, action = drawn(SORTED), hint(Hint.BROADCAST, "days")
    untold = replace(told, steps=tuple(msgspec.structs.replace(step, relations=()) for step in told.steps))
    assert advised_picture(untold, [action]) == Redrawn(untold, (action,))


def test_a_plan_too_large_to_draw_stays_undrawn() -> None:
    undrawn, action = PlanPicture("q", ""), hint(Hint.BROADCAST, "days")
    assert advised_picture(undrawn, [action]) == Redrawn(undrawn, (action,))


@pytest.mark.parametrize("value", [Hint.BROADCAST, Hint.SHUFFLE_HASH])
def test_what_no_run_has_had_took_no_seconds(value: Hint) -> None:
    ran = drawn(SORTED)
    timed = replace(ran, steps=tuple(msgspec.structs.replace(step, seconds=1.5) for step in ran.steps))
    assert {step.seconds for step in redrawn(timed, [hint(value, "days")]).steps} == {None}
