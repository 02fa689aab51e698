"""One thing that an agent can ask, and what answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tuner.panel.models.answer import Answer
from tuner.panel.models.page import MOST_ITEMS
from tuner.panel.paging import MOST_OFFSET


class Question(BaseModel):
    """What a tool is asked with; a parameter that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Paged(Question):
    limit: Annotated[int, Field(ge=1, le=MOST_ITEMS, description="The most items of a list in the answer.")] = 20
    offset: Annotated[int, Field(ge=0, le=MOST_OFFSET, description="How many items to pass over.")] = 0


@dataclass(frozen=True, slots=True)
class Tool:
    """`ask` takes an instance of `question`, and raises TunerError or HTTPException with what to say in place of an answer.

    All of the others are the same whatever a store or a log holds.
    """

    name: str
    description: str
    question: type[Question]
    answer: type[Answer]
    ask: Callable[[Any], Answer]
