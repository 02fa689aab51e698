"""Arithmetic as Scala's BigDecimal does it, so that estimates agree with Spark's to the row."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal

# MathContext.DECIMAL128, which BigDecimal uses.
_DECIMAL128 = Context(prec=34)


def share(rows: int, selectivity: float) -> int:
    """`rows * selectivity`, rounded up; a double counts with the digits it is printed with (EstimationUtils.ceil)."""
    return int(_DECIMAL128.multiply(Decimal(rows), Decimal(repr(selectivity))).to_integral_value(ROUND_CEILING))


def quotient(dividend: int, divisor: int) -> float:
    """`dividend / divisor` as a double."""
    return float(_DECIMAL128.divide(Decimal(dividend), Decimal(divisor)))
