"""Reasons in words: whatever their numbers are, and whichever version they are of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tuner
from tests.words.alike import alike
from tests.words.samples import NAMES, REASONS
from tuner.model.action import ActionKind
from tuner.model.decision import Mode, Standing
from tuner.model.directive_result import DirectiveStatus
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.verdict import Ruling
from tuner.policy.failed_run import Making
from tuner.words.reasons import reason_words

# What one of a list says.
_LISTED = {
    "kinds": ActionKind,
    "making": Making,
    "mode": Mode,
    "ruling": Ruling,
    "standing": Standing,
    "status": DirectiveStatus,
}
_SAMPLES = [pytest.param(reason, id=f"{number}-{reason.code}") for number, reason in enumerate(REASONS)]


def _alike(name: str, number: Number) -> st.SearchStrategy[Number]:
    """Numbers of the kind that one of this name is."""
    if kind := _LISTED.get(name):
        values = st.sampled_from([one.value for one in kind])
        return st.lists(values, min_size=1, max_size=3).map(tuple) if isinstance(number, tuple) else values
    return alike(number)


@given(reason=st.sampled_from(REASONS), data=st.data())
def test_a_sentence_can_be_made_of_any_numbers(reason: Reason, data: st.DataObject) -> None:
    drawn = {name: data.draw(_alike(name, number), name) for name, number in reason.numbers.items()}
    assert not _is_spelled_out(replace(reason, numbers=drawn))


@pytest.mark.parametrize("reason", _SAMPLES)
def test_every_number_is_needed(reason: Reason) -> None:
    """Without it, a reason of its code reads otherwise."""
    alike = [one for one in REASONS if one.code is reason.code]
    for name in reason.numbers:
        assert any(_without(one, name) != reason_words(one, NAMES) for one in alike), name


@pytest.mark.parametrize("reason", _SAMPLES)
def test_a_reason_of_another_version_is_spelled_out(reason: Reason) -> None:
    """Which has a number of another name for each that its sentence needs, and rests on nothing."""
    other = Reason(reason.code, {f"other_{name}": number for name, number in reason.numbers.items()})
    words = reason_words(other, NAMES)
    assert reason.code.replace("_", " ") in words or not (reason.numbers or reason.because)
    assert all(f"other {name.replace('_', ' ')} {number}" in words for name, number in reason.numbers.items())


def test_missing_numbers_leave_the_code_and_those_that_are_there() -> None:
    found = Reason(ReasonCode.SLOWER, {"seconds": 16, "run": "etl/1", "expected_rows": None})
    assert reason_words(found) == "slower (seconds 16, run etl/1, expected rows None)"
    assert reason_words(Reason(ReasonCode.NOT_FOLLOWED)) == "not followed"


def test_a_code_of_a_newer_version_is_kept_and_spelled_out() -> None:
    stored = msgspec.json.encode(Reason(ReasonCode.SLOWER, {"seconds": 16})).replace(b"slower", b"far_slower")
    found = msgspec.json.decode(stored, type=Reason)
    assert reason_words(found) == "far slower (seconds 16)"
    assert msgspec.json.encode(found) == stored


def test_what_an_earlier_version_said_is_said_as_it_is() -> None:
    assert {reason_words(Reason(code, {"said": "14 MB of 10 MB {run}"})) for code in ReasonCode} == {
        "14 MB of 10 MB {run}"
    }


def test_the_product_makes_reasons_with_the_numbers_that_their_sentences_need() -> None:
    made = list(_made())
    assert len(made) > 40
    for place, codes, names, is_all in made:
        known = [set(one.numbers) for one in REASONS if one.code.name in codes or not codes]
        assert any(names == one if is_all else names <= one for one in known), place


def _without(reason: Reason, name: str) -> str:
    rest = {other: number for other, number in reason.numbers.items() if other != name}
    return reason_words(replace(reason, numbers=rest), NAMES)


def _is_spelled_out(reason: Reason) -> bool:
    numbers = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in reason.numbers.items())
    return bool(numbers) and reason_words(reason, NAMES).endswith(f"({numbers})")


def _made() -> Iterator[tuple[str, set[str], set[str], bool]]:
    """Where the source makes a reason, with which codes and names of numbers, as far as the function tells; whether
    these are all of its names."""
    root = Path(tuner.__file__).parent
    texts = {file: file.read_text("utf-8") for file in root.rglob("*.py")}
    for file, text in texts.items():
        parsed = ast.walk(ast.parse(text)) if "Reason(" in text else ()
        for function in (one for one in parsed if isinstance(one, ast.FunctionDef)):
            values = dict(_assigned(function))
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Reason":
                    code, *numbers = call.args
                    names, is_all = _names(numbers[0], values) if numbers else (set[str](), True)
                    yield f"{file.relative_to(root)}:{call.lineno}", _codes(code, values), names, is_all


def _assigned(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    for one in ast.walk(function):
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None:
            target = one.target if isinstance(one, ast.AnnAssign) else one.targets[0]
            if isinstance(target, ast.Name):
                yield target.id, one.value


def _codes(code: ast.expr, values: Mapping[str, ast.expr]) -> set[str]:
    told = values.get(code.id, code) if isinstance(code, ast.Name) else code
    return {one.attr for one in ast.walk(told) if isinstance(one, ast.Attribute) and one.attr in ReasonCode.__members__}


def _names(numbers: ast.expr, values: Mapping[str, ast.expr]) -> tuple[set[str], bool]:
    if isinstance(numbers, ast.Name):
        numbers = values.get(numbers.id, numbers)
    if not isinstance(numbers, ast.Dict):
        return set(), False
    names, is_all = set[str](), True
    for key, value in zip(numbers.keys, numbers.values, strict=True):
        more, known = ({key.value}, True) if isinstance(key, ast.Constant) else _names(value, values)
        names, is_all = names | {str(name) for name in more}, is_all and known
    return names, is_all
