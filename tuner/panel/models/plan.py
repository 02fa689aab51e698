"""GET api/cohort/plan: the plan of a query, before and after."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from tuner.model.plan_picture import StepKind
from tuner.panel.models.answer import Answer
from tuner.panel.models.in_force import InForce
from tuner.panel.models.queries import QueryItem
from tuner.panel.models.query_ref import QueryRef


class StepItem(Answer):
    """As tuner.model.plan_picture.PlanStep; `changed` says why its join is marked, empty if it is not. `costliest` marks the
    step that took the most seconds."""

    kind: StepKind
    operator: str
    label: str
    rows: int | None
    bytes: int | None
    inputs: list[int]
    strategy: str = ""
    build_side: Literal["", "left", "right"] = ""
    signature: str = ""
    occurrence: int = 0
    changed: str = ""
    seconds: float | None = None
    costliest: bool = False


class PictureItem(Answer):
    """The plan of a query in one run. `steps[0]` ran last.

    A predicted one is that of the run with `in_force` as well, which are then advised and no run has had; `not_drawn` are
    those of them that would change the plan in a way that is not known.
    """

    run_key: str
    run_at: datetime
    query_seconds: float | None
    in_force: list[InForce]
    steps: list[StepItem]
    predicted: bool = False
    not_drawn: list[str] = Field(default=[])


class PlanComparison(Answer):
    """The plan after (the newest run of the query) and before (the newest without any of what was in force on it then).

    Where nothing was, the newest is before, and after is as it would be with what is advised for its joins. One of them is None
    where there is no such run, or nothing is advised. `item` is as in the list of queries; None for a query that no run had.
    """

    query: QueryRef
    item: QueryItem | None
    before: PictureItem | None
    after: PictureItem | None
