"""What a task says of its own tuning."""

from __future__ import annotations

from enum import StrEnum
from types import SimpleNamespace

import pytest

from airflow_plugin.arguments import _CHOICES, check_choices
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.size_change import Resources
from tuner.steering.directives import Steering

ENUMS: dict[str, type[StrEnum]] = {
    "mode": Mode,
    "steering": Steering,
    "objective": Objective,
    "spark_resources": Resources,
}


def test_the_words_that_arguments_take_are_those_of_the_core() -> None:
    """Written out, for a DAG that is parsed does not load the core."""
    assert {name: tuple(enum) for name, enum in ENUMS.items()} == _CHOICES


@pytest.mark.parametrize("name", ENUMS)
def test_another_word_is_refused_with_those_that_are_taken(name: str) -> None:
    given = SimpleNamespace(**dict.fromkeys(ENUMS) | {name: "soon"})
    with pytest.raises(ValueError, match=rf"nightly: {name}='soon' is unknown; give one of {', '.join(ENUMS[name])}"):
        check_choices("nightly", given)
