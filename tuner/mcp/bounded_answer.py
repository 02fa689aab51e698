"""An answer as JSON that is safe to show, and no longer than an agent can take in."""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic import BaseModel

from tuner.errors import TunerError
from tuner.panel.models.answer import Answer
from tuner.panel.models.page import MOST_ITEMS
from tuner.printable import visible

# Agents' clients cut off, or refuse, what is longer than some 25 000 tokens.
MOST_CHARACTERS = 64_000

_PAGES = (MOST_ITEMS, 100, 50, 25, 12, 6, 3, 1)
# Of a text, of a list in an item, and of a name.
_USUAL = (1000, MOST_ITEMS)
_SHORT = (100, 10)
_MOST_OF_A_KEY = 100


class AnswerTooLongError(TunerError):
    """An answer does not fit even when it is cut."""


def bounded_answer(answer: Answer) -> dict[str, Any]:
    """The answer as a JSON object whose text has MOST_CHARACTERS at most.

    Where it has to be, it is cut to fewer items (`Answer.cut_to`), and says so; then texts and lists in items are.
    """
    for most in _PAGES:
        found = _safe_object(answer.cut_to(most), *_USUAL)
        if _fits(found):
            return found
    found = _safe_object(answer.cut_to(1), *_SHORT)
    if _fits(found):
        return found
    raise AnswerTooLongError(f"the answer has more than {MOST_CHARACTERS} characters even when cut; ask for less")


def json_text(found: dict[str, Any]) -> str:
    """On one line."""
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _fits(found: dict[str, Any]) -> bool:
    return len(json_text(found)) <= MOST_CHARACTERS


def _safe_object(answer: BaseModel, text: int, items: int) -> dict[str, Any]:
    safe = _safe(answer.model_dump(mode="json"), text, items)
    assert isinstance(safe, dict)
    return safe


def _safe(value: object, text: int, items: int) -> object:
    """Without what a terminal would act on or people would not see, and without numbers that JSON does not have."""
    match value:
        case str():
            return visible(value, text)
        case list():
            return [_safe(item, text, items) for item in value[:items]]
        case dict():
            return {visible(str(name), _MOST_OF_A_KEY): _safe(part, text, items) for name, part in value.items()}
        case float():
            return value if math.isfinite(value) else None
    return value
