"""GET api/cohort/compare: two runs of a cohort side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query

from tuner.model.run import Run
from tuner.panel.access import Access
from tuner.panel.answers import comparison_answer
from tuner.panel.facts import CohortFacts
from tuner.panel.models.comparison import Comparison
from tuner.panel.models.sent import Sent
from tuner.panel.read_routes import MOST_CHARACTERS, Name
from tuner.words.states import PLANS_LET_GO

Key = Annotated[Sent, Query(max_length=MOST_CHARACTERS)]

UNKNOWN_RUN = "no such run of this cohort, or none that was measured; its runs are listed under Runs"


def compare_routes(access_of: Callable[..., Access]) -> APIRouter:
    """`access_of` is the dependency that knows the viewer; `before` and `after` are keys of the cohort's runs."""
    asking = Depends(access_of)
    routes = APIRouter(prefix="/api")

    @routes.get("/cohort/compare")
    def compare(cohort: Name, before: Key, after: Key, access: Access = asking) -> Comparison:
        facts = access.facts(cohort)
        return comparison_answer(facts, _measured(facts, before), _measured(facts, after))

    return routes


def _measured(facts: CohortFacts, key: str) -> Run:
    """404 for a run of another cohort, as for one that does not exist; 410 for one whose plans were let go."""
    if (run := facts.measured(key)) is None:
        raise HTTPException(404, UNKNOWN_RUN)
    if facts.plans_let_go(key):
        raise HTTPException(410, f"run {key} cannot be compared: {PLANS_LET_GO}; choose another one")
    return run
