"""GET api/cohort/recommendations: what is recommended, why, and what people said of it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from pydantic import Field

from tuner.model.action import ActionKind
from tuner.model.change import Prediction, Risk
from tuner.model.decision import Standing
from tuner.model.verdict import Ruling
from tuner.panel.models.answer import Answer
from tuner.panel.models.evidence import EvidenceItem
from tuner.panel.models.query_ref import QueryRef
from tuner.policy.measured_gain import MeasuredGain


class Seconds(Answer):
    """Predicted seconds of the affected queries."""

    before: float
    after: float
    low: float
    high: float
    gain: float

    @classmethod
    def of(cls, p: Prediction) -> Seconds:
        return cls(before=p.before, after=p.after, low=p.low, high=p.high, gain=p.gain)


class Measured(Answer):
    """Seconds that a run takes less with a change than without, by all runs so far: nine of ten lie between `low` and `high`.

    `probability` is how sure a gain is. `not_named` of its `queries` were moved by a property that was meant for others.
    """

    seconds: float
    low: float
    high: float
    probability: float
    queries: int
    not_named: int
    runs: int

    @classmethod
    def of(cls, gain: MeasuredGain) -> Measured:
        return cls(**asdict(gain))


class RiskItem(Answer):
    """`may_harm`: a run may take longer or fail; else it tells how far a change reaches."""

    words: str
    may_harm: bool


class RulingItem(Answer):
    ruling: Ruling
    by: str
    at: datetime
    reason: str


class ActionItem(Answer):
    """One action of the change that is ruled on by `change_id`; `short_words` leave out its query. `copy_text` is the conf
    (`--conf key=value`), the SQL hint or the statement to paste; empty where there is none. `join` is the signature of the
    join that it changes. Of the recommendation's rulings, `rulings` are those that are on this change."""

    change_id: str
    action_id: str
    kind: ActionKind
    words: str
    short_words: str
    copy_text: str
    standing: Standing
    verdict: RulingItem | None = None
    join: str = ""
    relations: list[str] = Field(default=[])
    rulings: list[Ruling] = Field(default=[])


class Recommendation(Answer):
    """Changes that belong together. `sentence` is why it is recommended, with the numbers of `predicted`; `status` is what is
    known beside that ("" for nothing yet), `values` which filter values it acts on ("" for any).

    `gained_seconds` is what it gained in the latest run that measured it, `measured` what by all runs (None: they do not tell);
    `since_run` is the key of the run in which it first was in force, as far back as runs are in view (`or_earlier`: none of them
    tells whether it was before). `rulings` are those that make sense now, and where it
    `waits` nothing comes of it without a person. It stands as it does since `stands_since`, and before that as it `stood`
    (None: nowhere, or nothing tells). It `reaches_all` queries of a run, whichever it is for. Of changes that stand apart
    `standing` is that of what is furthest; some of them may wait all the same.
    """

    id: str
    standing: Standing
    waits: bool
    stands_since: datetime | None
    stood: Standing | None
    sentence: str
    status: str
    values: str
    actions: list[ActionItem]
    evidence: list[EvidenceItem]
    predicted: Seconds | None
    gained_seconds: float | None
    measured: Measured | None
    measured_runs: int
    risk: Risk
    risks: list[RiskItem]
    queries: list[QueryRef]
    reaches_all: bool
    since_run: str
    since_at: datetime | None
    or_earlier: bool
    rulings: list[Ruling]
