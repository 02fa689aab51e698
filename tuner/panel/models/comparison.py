"""GET api/cohort/compare: two runs side by side."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from tuner.compare.cause import CauseKind
from tuner.compare.operator_difference import OperatorKind
from tuner.model.run import RunState
from tuner.panel.models.answer import Answer
from tuner.panel.models.query_ref import QueryRef


class ComparedRun(Answer):
    """One of two runs that are compared. `application_seconds` is start to end (None: its log does not tell), `queries` counts
    executions."""

    key: str
    run_id: str
    started_at: datetime
    state: RunState
    application_seconds: float | None
    query_seconds: float
    queries: int


class CauseItem(Answer):
    """What seconds of a difference come from: more than 0 where the later run was slower. `label` names the kind, `words` say
    what differs. `query` is the one that it moved most, None where it is of none; `queries` how many it moved."""

    kind: CauseKind
    label: str
    seconds: float
    words: str
    query: QueryRef | None
    queries: int


class OperatorSide(Answer):
    """An operator in one run; None is what its log does not tell. `how` is its strategy in words, with the side it builds."""

    how: str
    rows: int | None
    bytes: int | None
    seconds: float | None


class ComparedOperator(Answer):
    """An operator that differs; None where it did not run. `name` is the table that a scan reads, or the sides of a join."""

    kind: OperatorKind
    name: str
    before: OperatorSide | None
    after: OperatorSide | None


class ComparedQuery(Answer):
    """A query in both runs, all of its executions together; None seconds where it did not run. `share` is that of the whole
    difference (None: none to speak of), `is_noise` says that it did the same work, and took as long as queries do by chance."""

    query: QueryRef
    executions_before: int
    executions_after: int
    seconds_before: float | None
    seconds_after: float | None
    difference_seconds: float
    share: float | None
    is_noise: bool
    causes: list[CauseItem]
    operators: list[ComparedOperator]


class Comparison(Answer):
    """Two runs of a cohort: what is slower, by how much, and why. `queries` are those that differ most, first; `more_queries` is
    how many are left out. `others` are differences that are no causes."""

    before: ComparedRun
    after: ComparedRun
    headline: str
    difference_seconds: float
    is_same: bool
    is_noise: bool
    causes: list[CauseItem]
    queries: list[ComparedQuery]
    more_queries: int
    others: list[str]

    def cut_to(self, most: int) -> Self:
        """With so many queries at most."""
        shown = self.queries[:most]
        more = self.more_queries + len(self.queries) - len(shown)
        return super().cut_to(most).model_copy(update={"queries": shown, "more_queries": more})
