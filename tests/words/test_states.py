"""States of cohorts and runs read on the terminal as in the panel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tuner.panel
from tuner.model.decision import CohortState, Standing
from tuner.model.run import RunState
from tuner.words.standings import standing_words
from tuner.words.states import cohort_state_words, run_state_words

_STANDING_JS = Path(tuner.panel.__file__).parent / "static" / "js" / "standing.js"
SAID = [
    *((state.value, cohort_state_words(state), "STATES") for state in CohortState),
    *((state.value, run_state_words(state), "RUN_STATES") for state in RunState),
    ("seen_to_succeed", run_state_words(RunState.RUNNING, has_ended=True), "RUN_STATES"),
    *((standing.value, standing_words(standing), "STANDINGS") for standing in Standing),
]


@pytest.mark.parametrize(("value", "words", "of"), SAID)
def test_the_panel_has_the_same_words(value: str, words: str, of: str) -> None:
    _, _, rest = _STANDING_JS.read_text(encoding="utf-8").partition(f"export const {of} = {{")
    found = dict(re.findall(r'(\w+): \{ words: "([^"]+)"', rest.partition("\n};")[0]))
    assert found[value].lower() == words
