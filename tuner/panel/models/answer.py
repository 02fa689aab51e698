"""What every answer of the panel's API is."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """Answers are immutable and have no fields but those declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def cut_to(self, most: int) -> Self:
        """The same with lists that may be long cut to so many, where it, or an answer in it, tells that they were."""
        return self.model_copy(update={name: part.cut_to(most) for name, part in self if isinstance(part, Answer)})
