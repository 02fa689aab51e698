"""Arithmetic as Scala's BigDecimal does it, so that estimates agree with Spark's to the row."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal

# MathContext.DECIMAL128, which BigDecimal uses.
_DECIMAL128 = Context(prec=34)


def ceiling(number: Decimal) -> int:
    """The least whole number that is not below (EstimationUtils.ceil)."""
    return int(number.to_integral_value(ROUND_CEILING))


def share(rows: int, selectivity: float) -> int:
    """`rows * selectivity`, rounded up; a double counts with the digits it is printed with."""
    return ceiling(_DECIMAL128.multiply(Decimal(rows), Decimal(repr(selectivity))))


def scaled(count: int, after: int, before: int) -> int:
    """`count * after / before`, rounded up."""
    product = _DECIMAL128.multiply(Decimal(count), Decimal(after))
    return ceiling(_DECIMAL128.divide(product, Decimal(before)))


def quotient(dividend: int, divisor: int) -> float:
    """`dividend / divisor` as a double."""
    return float(_DECIMAL128.divide(Decimal(dividend), Decimal(divisor)))


def divided(dividend: int, divisor: int) -> int:
    """`dividend / divisor`, rounded up."""
    return ceiling(_DECIMAL128.divide(Decimal(dividend), Decimal(divisor)))
