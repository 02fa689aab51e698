"""Exchanges of equal relations are run once."""

from __future__ import annotations

import pytest

from tests.cost.what_if.graphs import LARGE, NO_BROADCAST, Equality, what_if
from tuner.cost.size import Size
from tuner.cost.what_if import PhysicalOrder
from tuner.cost.what_if.execution_conf import ExecutionConf
from tuner.model.join_graph import GraphRelation, RelationKind
from tuner.model.strategy import BuildSide
from tuner.spark.join_selection.selection_conf import SelectionConf

# Two dimensions of a fact table, 0, that are one table: the date of a sale and that of shipping.
DATES: list[Equality] = [(0, "sold", 1, "day"), (0, "shipped", 2, "day")]
OTHER_KEYS: list[Equality] = [(0, "sold", 1, "day"), (0, "week", 2, "week")]
SIZES = {0b001: LARGE[0b001], 0b010: Size(1000, 8000), 0b100: Size(1000, 8000)}
BROADCAST = SelectionConf()


def run(
    predicates: list[Equality], identities: tuple[str, str], conf: SelectionConf, *, reuses: bool = True
) -> PhysicalOrder:
    dates = {
        number: GraphRelation(str(number), ("date",), RelationKind.SCAN, identity=identity)
        for number, identity in enumerate(identities, 1)
    }
    execution = ExecutionConf(reuses_exchanges=reuses)
    return what_if(SIZES, predicates, conf, special=dates, execution=execution).order(((0, 1), 2))


@pytest.mark.parametrize("conf", [BROADCAST, NO_BROADCAST], ids=["broadcast", "shuffle"])
@pytest.mark.parametrize(
    ("predicates", "identities", "reused"),
    [
        (DATES, ("x", "x"), True),
        (DATES, ("x", "y"), False),
        (DATES, ("", ""), False),
        (OTHER_KEYS, ("x", "x"), False),
    ],
    ids=["same", "other rows", "unknown", "other keys"],
)
def test_the_second_exchange_of_the_same_rows_on_the_same_keys_is_the_first(
    predicates: list[Equality], identities: tuple[str, str], conf: SelectionConf, reused: bool
) -> None:
    first, second = run(predicates, identities, conf).joins
    assert first.reused == ()
    assert second.reused == ((BuildSide.RIGHT,) if reused else ())


def test_what_is_reused_is_neither_built_nor_written_twice_but_read_twice() -> None:
    once, twice = (run(DATES, identities, BROADCAST) for identities in (("x", "x"), ("x", "y")))
    assert once.serial_seconds == pytest.approx(twice.serial_seconds / 2)
    assert len(once.stages) == len(twice.stages) - 1
    once, twice = (run(DATES, identities, NO_BROADCAST) for identities in (("x", "x"), ("x", "y")))
    assert once.core_seconds == pytest.approx(twice.core_seconds - 8000 * 15e-9 - 1000 * 100e-9)
    assert len(once.stages) == len(twice.stages) - 1


def test_reuse_can_be_switched_off() -> None:
    assert run(DATES, ("x", "x"), BROADCAST, reuses=False).joins[1].reused == ()
