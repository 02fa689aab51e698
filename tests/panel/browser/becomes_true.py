"""Waiting for what a page comes to say of itself."""

from __future__ import annotations

import time
from typing import Any

_MOST_SECONDS = 10.0


def becomes_true(page: Any, condition: str) -> bool:
    """Whether a JavaScript condition comes to hold. Not wait_for_function: it evaluates texts in the page, which forbids that."""
    deadline = time.monotonic() + _MOST_SECONDS
    while not page.evaluate(condition):
        if time.monotonic() > deadline:
            return False
        page.wait_for_timeout(50)
    return True
