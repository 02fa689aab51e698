"""The weight of rows against bytes: from timed orders, where Spark's choice would get better by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import ordered
from tests.advice.joins import facts
from tuner.advice.advisors.card_weight import advise_card_weight
from tuner.advice.candidates import order_changes
from tuner.advice.candidates.kept_prunings import Pruning
from tuner.advice.facts import Facts, PastRun
from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, MeasuredJoin, Order, Predicate, RelationKind

WEIGHT = "spark.sql.cbo.joinReorder.card.weight"
ON = {"spark.sql.cbo.enabled": "true", "spark.sql.cbo.joinReorder.enabled": "true", WEIGHT: "0.9"}
# A fact table (0) joined to a wide dimension that keeps few rows (1), or to narrow ones that keep more (2, 3).
WIDE_FIRST, NARROW_FIRST = Joined(Joined(Joined(0, 1), 2), 3), Joined(Joined(Joined(0, 2), 1), 3)
NARROWER_FIRST, LAST = Joined(Joined(Joined(0, 2), 3), 1), Joined(Joined(Joined(0, 3), 2), 1)
ROWS = {0b0011: 3_000_000, 0b0101: 12_000_000, 0b1001: 14_000_000, 0b0111: 900_000, 0b1101: 9_000_000}
ROWS |= {0b1011: 2_000_000, 0b1111: 800_000}
WIDTH = {1: 4_000, 0: 24, 2: 16, 3: 16}


def block(written: Order) -> JoinGraph:
    names = ("shop.sales", "shop.notes", "shop.days", "shop.items")
    scanned = (40_000_000, 100_000, 1_000, 5_000)
    rows = (40_000_000, 7_500, 300, 1_750)
    return JoinGraph(
        "block",
        tuple(
            GraphRelation(n, (n,), RelationKind.SCAN, r, WIDTH[i], s)
            for i, (n, r, s) in enumerate(zip(names, rows, scanned, strict=True))
        ),
        tuple(Predicate(1, 1 << i, f"shop.sales.k{i}", f"{names[i]}.k") for i in (1, 2, 3)),
        (),
        {mask: MeasuredJoin(count) for mask, count in ROWS.items()},
        written,
    )


def history(times: dict[Order, float]) -> Facts:
    """The same query in several orders; the last is that of the latest run."""
    runs = [ordered(graph=block(order), seconds=seconds) for order, seconds in times.items()]
    past = tuple(PastRun((query,), ON) for query in runs[:-1])
    return replace(facts(runs[-1], conf=ON), earlier=past)


SLOW_WIDE = history({NARROW_FIRST: 100, NARROWER_FIRST: 60, LAST: 70, WIDE_FIRST: 300})


def test_a_weight_by_which_spark_finds_a_faster_order_is_told() -> None:
    (advice,) = advise_card_weight(SLOW_WIDE)
    (action,) = advice.actions
    assert action.target == WEIGHT
    assert float(action.value) < 0.9
    values = {e.what: e.value for e in advice.evidence}
    assert values["ranked as their times do"] > values["ranked so by the current weight"]
    predicted = advice.prediction
    assert predicted.high < predicted.before == 300


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(replace(SLOW_WIDE, conf={}), id="Spark does not reorder"),
        pytest.param(replace(SLOW_WIDE, earlier=()), id="one order alone"),
        pytest.param(
            history({NARROW_FIRST: 300, NARROWER_FIRST: 500, LAST: 600, WIDE_FIRST: 100}), id="it ranks them right"
        ),
        pytest.param(replace(SLOW_WIDE, conf={**ON, WEIGHT: "0.0"}), id="rows count for nothing already"),
    ],
)
def test_what_is_left_alone(case: Facts) -> None:
    assert not list(advise_card_weight(case))


def test_an_order_that_reads_partitions_which_were_pruned_is_none_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sales, by notes of some days: Spark would join neither with the other first."""
    assert list(advise_card_weight(SLOW_WIDE))
    monkeypatch.setattr(order_changes, "prunings", lambda *_: (Pruning(pruned=0b0001, by=0b0110),))
    assert not list(advise_card_weight(SLOW_WIDE))
