"""A picture is the same picture after it was a tree."""

from __future__ import annotations

from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.plan.drawn_tree import picture_with, tree_of


def step(label: str, *inputs: int) -> PlanStep:
    return PlanStep(StepKind.OTHER, "Op", label, inputs=inputs)


PICTURE = PlanPicture("q", "text", (step("top", 1, 3), step("left", 2), step("below"), step("right")))


def test_there_and_back() -> None:
    root = tree_of(PICTURE)
    assert root is not None
    assert [one.step.label for one in root.walk()] == ["top", "left", "below", "right"]
    assert [[one.step.label for one in path] for path in root.paths()][2] == ["top", "left", "below"]
    assert picture_with(PICTURE, root) == PICTURE


def test_what_was_taken_out_is_gone_and_the_rest_keeps_its_order() -> None:
    root = tree_of(PICTURE)
    assert root is not None
    root.inputs[0] = root.inputs[0].inputs[0]
    found = picture_with(PICTURE, root).steps
    assert [(s.label, s.inputs) for s in found] == [("top", (1, 2)), ("below", ()), ("right", ())]


def test_a_picture_without_steps_is_no_tree() -> None:
    assert tree_of(PlanPicture("q", "text")) is None


def test_an_input_that_stands_before_its_step_leads_nowhere() -> None:
    root = tree_of(PlanPicture("q", "", (step("top", 1), step("below", 0, 1, 7))))
    assert root is not None
    assert [one.step.label for one in root.walk()] == ["top", "below"]
