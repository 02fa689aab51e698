"""Values of Spark properties, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def spark_text(value: Any) -> str:
    """A value as Spark reads it: `true`, not `True`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def spark_texts(conf: Mapping[Any, Any]) -> dict[str, str]:
    """Properties as Spark reads them."""
    return {str(key): spark_text(value) for key, value in conf.items()}
