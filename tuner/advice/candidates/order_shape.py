"""An order of joins without regard to which side stands left."""

from __future__ import annotations

from tuner.model.join_graph import Order


def order_shape(order: Order) -> object:
    """The same for orders that join the same sets, whichever of them stands left."""
    return order if isinstance(order, int) else frozenset(map(order_shape, order))
