"""Values as both engines read them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tuner.bench.workloads.sql_literal import sql_literal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "TRUE"),
        (-3, "-3"),
        (Decimal("7.50"), "7.50"),
        (date(2001, 2, 3), "DATE '2001-02-03'"),
        ("it's", "'it''s'"),
    ],
)
def test_literals(value: Any, text: str) -> None:
    assert sql_literal(value) == text


def test_what_differs_between_engines_is_refused() -> None:
    with pytest.raises(TypeError, match=r"no literal for 0\.5"):
        sql_literal(0.5)
