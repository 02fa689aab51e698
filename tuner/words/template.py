"""Sentences with gaps for numbers. The name of a number tells its unit."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tuner.units import format_bytes, format_rows, format_seconds, format_share
from tuner.words.counts import counted

Numbers = Mapping[str, Any]

_UNITS: Mapping[str, Callable[[float], str]] = {
    "bytes": format_bytes,
    "rows": format_rows,
    "seconds": format_seconds,
    "share": format_share,
}


def filled(template: str, numbers: Numbers) -> str:
    """The sentence: `{gain_seconds}` becomes "3.2 s", `{tasks:task}` "1 task" or "2 tasks".

    Raises LookupError, TypeError or ValueError where a number is missing, None, or none that can be said.
    """
    return _FILLER.vformat(template, (), numbers)


def said(sentence: Callable[[], str], code: str, numbers: Numbers) -> str:
    """What `sentence` makes of its numbers; of another version, where it may lack some, its code and the numbers it has."""
    try:
        return sentence()
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return spelled_out(code, numbers)


def spelled_out(code: str, numbers: Numbers) -> str:
    """What has no sentence, as its code and numbers: "slower (seconds 16, run etl/1)"."""
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in numbers.items())
    return code.replace("_", " ") + (f" ({told})" if told else "")


class _Filler(string.Formatter):
    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Numbers) -> tuple[Any, str]:
        value = kwargs[field_name]
        if value is None:
            raise LookupError(field_name)
        unit = next((_UNITS[part] for part in field_name.split("_") if part in _UNITS), None)
        return unit(value) if unit else value, field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        return (
            counted(value, format_spec) if format_spec[:1].isalpha() else str(super().format_field(value, format_spec))
        )


_FILLER = _Filler()
