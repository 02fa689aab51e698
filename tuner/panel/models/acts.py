"""POST api/cohort/rulings and api/cohort/mode: what people ask for."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from tuner.model.decision import Mode, Standing
from tuner.model.verdict import Ruling
from tuner.panel.models.answer import Answer
from tuner.panel.models.page import MOST_ITEMS
from tuner.panel.models.sent import Sent

MOST_REASON = 1000


class RulingRequest(BaseModel):
    """`reason` is asked for where the ruling is reject. `seen` is where changes stood when they were ruled on, by their ids:
    the ruling is refused where one of them stands elsewhere by now."""

    model_config = ConfigDict(extra="forbid")

    cohort: Sent
    change_ids: list[Sent] = Field(min_length=1, max_length=MOST_ITEMS)
    ruling: Ruling
    reason: Sent = Field("", max_length=MOST_REASON)
    seen: dict[Sent, Standing] = Field(default_factory=dict, max_length=MOST_ITEMS)


class ModeRequest(BaseModel):
    """`mode` null gives the cohort back to the job's own mode. `seen` is the mode that a person had given it when this was asked
    for, null for none: the change is refused where that is another by now. Without `seen` it is made whatever was."""

    model_config = ConfigDict(extra="forbid")

    cohort: Sent
    mode: Mode | None
    seen: Mode | None = None
    reason: Sent = Field("", max_length=MOST_REASON)


class Done(Answer):
    """`message` says from when on it holds."""

    message: str
