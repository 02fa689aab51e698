"""What people send: it is looked up, or kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from tuner.history.cohort_name import is_storable


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("holds characters that no history can")
    return text


Sent = Annotated[str, AfterValidator(_storable)]
