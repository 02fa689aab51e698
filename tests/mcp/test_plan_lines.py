"""A plan as lines of text."""

from __future__ import annotations

from tuner.mcp.plan_lines import MOST_LINES, plan_lines
from tuner.model.plan_picture import StepKind
from tuner.panel.models.plan import StepItem


def step(operator: str, *inputs: int, **more: object) -> StepItem:
    return StepItem.model_validate(
        {"kind": StepKind.OTHER, "operator": operator, "label": "", "rows": None, "bytes": None, "inputs": inputs}
        | more
    )


def test_inputs_come_below_their_step_left_before_right() -> None:
    steps = [step("top", 1, 3), step("left", 2), step("leaf"), step("right")]
    assert plan_lines(steps) == ["top", "  left", "    leaf", "  right"]


def test_a_line_has_what_is_known() -> None:
    known = step(
        "Join", label="a ⋈ b", build_side="right", rows=3, bytes=2000, seconds=1.5, costliest=True, changed="was sorted"
    )
    assert plan_lines([known]) == ["Join a ⋈ b, builds right, 3 rows, 2.0 kB, 1.5 s (the most), changed: was sorted"]


def test_names_stay_on_their_line() -> None:
    (line,) = plan_lines([step("Scan\n  Forged", label="x\x1b[2J\ny" + "z" * 5000, changed="a\nb")])
    assert line.isprintable() or "\ufffd" in line
    assert "\n" not in line and len(line) < 500


def test_a_plan_that_leads_nowhere_and_everywhere_ends() -> None:
    assert plan_lines([]) == []
    assert plan_lines([step("self", 0, 7)]) == ["self"]
    assert len(plan_lines([step("x", *range(n + 1, 40)) for n in range(40)])) == MOST_LINES
