"""A plan redrawn with its joins as advised. Pictures are written as people read them: what runs last first, inputs below,
indented; `=` stands before rows, `[...]` holds the side that is built."""

from __future__ import annotations

import re

import pytest

from tuner.advice.advised_picture import advised_picture
from tuner.advice.model import Action, ActionKind, Hint
from tuner.plan.picture import PlanPicture, PlanStep, StepKind
from tuner.plan.strategy import BuildSide, Strategy

JOINS = {
    "sort": Strategy.SORT_MERGE,
    "hash": Strategy.SHUFFLED_HASH,
    "broadcast-join": Strategy.BROADCAST_HASH,
    "loop": Strategy.BROADCAST_NESTED_LOOP,
    "unknown": Strategy.UNKNOWN,
}
KINDS = {kind.value: kind for kind in StepKind}
OPERATORS = {StepKind.SHUFFLE: "Exchange", StepKind.BROADCAST: "BroadcastExchange"}
LINE = re.compile(r"( *)(\S+)(?: ([^=\[]*?(?: = [^=\[]*?)*))?(?: \[(left|right)\])?(?: =(\d+))?$")


def drawn(text: str) -> PlanPicture:
    steps: list[PlanStep] = []
    inputs: list[list[int]] = []
    above: dict[int, int] = {}
    for line in filter(str.strip, text.splitlines()):
        found = LINE.fullmatch(line)
        assert found is not None, line
        indent, word, label, side, rows = found.groups()
        depth = len(indent) // 2
        if depth and depth - 1 in above:
            inputs[above[depth - 1]].append(len(steps))
        above[depth] = len(steps)
        steps.append(_step(word, label or "", side, rows))
        inputs.append([])
    placed = [
        PlanStep(s.kind, s.operator, s.label, s.rows, s.bytes, tuple(i), s.signature, 0, s.strategy, s.build_side)
        for s, i in zip(steps, inputs, strict=True)
    ]
    return PlanPicture("q", "", tuple(placed))


def _step(word: str, label: str, side: str | None, rows: str | None) -> PlanStep:
    count = int(rows) if rows else None
    if word in JOINS:
        build = BuildSide(side) if side else None
        return PlanStep(
            StepKind.JOIN, JOINS[word].value, label, count, signature=label, strategy=JOINS[word], build_side=build
        )
    kind = KINDS[word]
    operator = "ReusedExchange" if label.startswith("reused") else OPERATORS.get(kind, word)
    return PlanStep(kind, operator, label, count)


def text(picture: PlanPicture) -> str:
    words = {strategy: word for word, strategy in JOINS.items()}

    def lines(position: int, depth: int) -> list[str]:
        step = picture.steps[position]
        word = words[step.strategy] if step.strategy else step.kind.value
        side = f" [{step.build_side}]" if step.build_side else ""
        rows = "" if step.rows is None else f" ={step.rows}"
        own = f"{'  ' * depth}{word}{f' {step.label}' if step.label else ''}{side}{rows}"
        return [own, *(line for below in step.inputs for line in lines(below, depth + 1))]

    return "\n".join(lines(0, 0)) + "\n"


def hint(value: Hint, *relations: str, join: str = "s.day = d.d_day") -> Action:
    return Action(ActionKind.HINT_JOIN, join, value.value, "q", relations)


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
    assert text(advised_picture(drawn(before), [action])) == after


def test_the_side_that_reads_the_hinted_relations_is_built() -> None:
    found = text(advised_picture(drawn(SORTED), [hint(Hint.BROADCAST, "sales")]))
    assert found == (
        "broadcast-join s.day = d.d_day [left] =1000\n"
        "  broadcast broadcast =5000\n    scan sales =5000\n"
        "  scan days =30\n"
    )


def test_of_two_sides_alike_the_smaller_is_built() -> None:
    same = SORTED.replace("days", "sales")
    assert "[right]" in text(advised_picture(drawn(same), [hint(Hint.BROADCAST, "sales")]))
    larger = same.replace("=5000", "=5")
    assert "[left]" in text(advised_picture(drawn(larger), [hint(Hint.BROADCAST, "sales")]))


def test_what_relied_on_the_joins_shuffle_shuffles_for_itself() -> None:
    grouped = "aggregate group by day =7\n  aggregate partial group by day =7\n" + "".join(
        f"    {line}\n" for line in SORTED.splitlines()
    )
    found = text(advised_picture(drawn(grouped), [hint(Hint.BROADCAST, "days")]))
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
    found = text(advised_picture(drawn(above), [hint(Hint.BROADCAST, "days")]))
    assert found.startswith(
        "sort s.day = r.r_day =900\n  shuffle shuffle by day =1000\n    broadcast-join s.shop = h.shop [right] =1000\n"
        "      broadcast-join s.day = d.d_day [right] =1000\n        scan sales"
    )


def test_a_shuffle_that_the_query_asked_for_stays() -> None:
    asked = SORTED.replace("shuffle shuffle by day =5000", "shuffle shuffle evenly =5000")
    assert "  shuffle shuffle evenly =5000" in text(advised_picture(drawn(asked), [hint(Hint.BROADCAST, "days")]))


def test_an_aggregate_by_the_keys_comes_hashed_already() -> None:
    grouped = BROADCAST.replace(
        "  scan sales =5000", "  aggregate group by day =5000\n    shuffle shuffle by day =5000"
    )
    found = text(advised_picture(drawn(grouped), [hint(Hint.NO_BROADCAST, "days")]))
    assert found.startswith("sort s.day = d.d_day =1000\n  aggregate group by day =5000\n    shuffle")


def test_what_was_reused_of_a_shuffle_is_a_broadcast_of_the_same() -> None:
    reused = SORTED.replace(
        "  shuffle shuffle by d_day =30\n    scan days =30\n", "  shuffle reused shuffle of days =30\n"
    )
    found = text(advised_picture(drawn(reused), [hint(Hint.BROADCAST, "shop.days")]))
    assert found.endswith("[right] =1000\n  scan sales =5000\n  broadcast broadcast of days =30\n")


def test_a_join_without_keys_can_only_be_told_what_to_broadcast() -> None:
    loop = BROADCAST.replace("broadcast-join", "loop")
    found = text(advised_picture(drawn(loop), [hint(Hint.BROADCAST, "sales")]))
    assert found.splitlines()[0] == "loop s.day = d.d_day [left] =1000"
    assert text(advised_picture(drawn(loop), [hint(Hint.MERGE, "sales")])) == loop


def test_a_strategy_that_nobody_knows_stays() -> None:
    unknown = SORTED.replace("sort", "unknown")
    assert text(advised_picture(drawn(unknown), [hint(Hint.BROADCAST, "days")])) == unknown


def test_a_plan_too_large_to_draw_stays_undrawn() -> None:
    assert advised_picture(PlanPicture("q", ""), [hint(Hint.BROADCAST, "days")]) == PlanPicture("q", "")
