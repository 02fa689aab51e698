"""Results of Python functions as the calls that they come from."""

from __future__ import annotations

from tuner.plan.node import PlanNode
from tuner.plan.python_calls import with_calls


def called(condition: str, *evaluated: str) -> str:
    """A condition above operators that run Python, the first of which is next to it."""
    plan = PlanNode("Scan", "Scan parquet db.sales", "FileScan parquet db.sales[kind#1]", {}, {})
    for text in reversed(evaluated):
        plan = PlanNode("ArrowEvalPython", "ArrowEvalPython", f"ArrowEvalPython {text}", {}, {}, (plan,))
    (found,) = with_calls(iter([condition]), plan)
    return found


def test_a_result_is_its_call() -> None:
    assert called("(pythonUDF0#85 > 3)", "[it(qty#5)#69], [pythonUDF0#85], 204") == "(it(qty#5)#69 > 3)"
    assert called("pythonUDF1#9L", "[f(a#1)#5, g(a#1, b#2)#6L], [pythonUDF0#8, pythonUDF1#9L], 100") == "g(a#1, b#2)#6L"


def test_calls_of_each_other() -> None:
    steps = ("[f(pythonUDF0#6)#7], [pythonUDF0#8], 100", "[g(kind#1)#5], [pythonUDF0#6], 200")
    assert called("(pythonUDF0#8 > 3)", *steps) == "(f(g(kind#1)#5)#7 > 3)"


def test_what_no_operator_tells_stays() -> None:
    assert called("(pythonUDF0#8 > 3)") == "(pythonUDF0#8 > 3)"
    assert called("(pythonUDF0#8 > 3)", "[f(a#1)#5, g(a#1)#6], [pythonUDF0#8], 100") == "(pythonUDF0#8 > 3)"


def test_calls_that_double_at_each_step_stay_short() -> None:
    steps = [f"[f(pythonUDF0#{n}, pythonUDF0#{n})#{n + 1}], [pythonUDF0#{n + 2}], 100" for n in range(300, 100, -2)]
    assert len(called("(pythonUDF0#302 > 3)", *steps, "[g(kind#1)#99], [pythonUDF0#102], 100")) < 10_000
