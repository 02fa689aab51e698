"""What is made of a plan while it is looked at."""

from __future__ import annotations

from tuner.plan.looked_at import looked_at, once_a_plan
from tuner.plan.node import PlanNode

from .trees import plan

made: list[str] = []


@once_a_plan
def name_of(root: PlanNode) -> str:
    made.append(root.name)
    return root.name


def test_what_is_made_of_a_plan_is_made_once_while_it_is_looked_at() -> None:
    made.clear()
    one, other = (plan(f"{name}\n  Scan parquet t | [a#1]") for name in ("Sort", "Filter"))
    with looked_at(one):
        assert [name_of(one), name_of(one)] == ["Sort", "Sort"]
        with looked_at(one, other):
            assert [name_of(one), name_of(other), name_of(other)] == ["Sort", "Filter", "Filter"]
        assert made == ["Sort", "Filter"]
        # Neither what is not looked at, nor parts of what is.
        assert [name_of(other), name_of(one.children[0]), name_of(one.children[0])] == ["Filter", "Scan", "Scan"]
        assert made == ["Sort", "Filter", "Filter", "Scan", "Scan"]


def test_nothing_is_kept_behind_it() -> None:
    made.clear()
    one = plan("Sort")
    with looked_at(one):
        name_of(one)
    assert [name_of(one), name_of(one)] == ["Sort", "Sort"]
    assert made == ["Sort", "Sort", "Sort"]
