"""The hash relation of the largest task of a shuffled hash join."""

from __future__ import annotations

import pytest

from tests.advice.joins import inner, query, side
from tuner.advice.candidates.task_relation import task_relation_bytes
from tuner.model.query import ShuffleExchange
from tuner.spark.join_selection.selection_conf import SelectionConf

CUSTOMERS = side("customer", rows=1_000_000, shuffle_bytes=60_000_000, sort_ms=1_500)
SALES = side("store_sales", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=30_000)


@pytest.mark.parametrize(
    ("written", "partitions", "advisory", "share"),
    [
        pytest.param(
            640 << 20, 200, 64 << 20, 5 / 10, id="AQE reads ten tasks' worth, the largest five times the mean"
        ),
        pytest.param(64_000 << 20, 200, 64 << 20, 5 / 200, id="no more tasks than partitions"),
        pytest.param(100 << 20, 200, 64 << 20, 1.0, id="one task reads it all"),
    ],
)
def test_the_share_of_the_largest_task(written: int, partitions: int, advisory: int, share: float) -> None:
    exchange = ShuffleExchange(partitions, CUSTOMERS.shuffle_bytes, written, CUSTOMERS.rows, 2, True)
    join = inner(SALES, CUSTOMERS)
    conf = SelectionConf(advisory_partition_bytes=advisory)
    whole = task_relation_bytes(query(join), join, CUSTOMERS, conf)
    found = task_relation_bytes(query(join, shuffles=(exchange,)), join, CUSTOMERS, conf)
    # Slots of a hash relation come in powers of two.
    assert share / 2 < found / whole <= min(1.0, share * 1.5)
