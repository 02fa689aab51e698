"""A join order as Spark would run it: strategies, exchanges, sorts, broadcasts, stages, and what they take.

Of a block only; its relations are read and its result used in the same way whatever the order.
"""

from tuner.cost.what_if.interval import Interval
from tuner.cost.what_if.physical_order import Given, GivenJoin, PhysicalJoin, PhysicalOrder, Stage
from tuner.cost.what_if.what_if import WhatIf

__all__ = ["Given", "GivenJoin", "Interval", "PhysicalJoin", "PhysicalOrder", "Stage", "WhatIf"]
