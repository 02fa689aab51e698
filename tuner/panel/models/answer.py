"""What every answer of the panel's API is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """Answers are immutable and have no fields but those declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")
