"""What becomes of joins below operators to which the order of rows matters."""

from __future__ import annotations

from enum import StrEnum

# The job's own setting of it wins, as any of its properties does.
PROPERTY = "spark.tuner.orderSensitive"


class OrderSensitive(StrEnum):
    """Below LIMIT without an order, `first`, collect_list, row_number over ties and the like (RowOrder.java), stable leaves the
    joins whose rows no shuffle moves: there the result is the same in every plain run. leave leaves all joins, and those
    below sums of floating point; allow leaves none."""

    STABLE = "stable"
    LEAVE = "leave"
    ALLOW = "allow"
