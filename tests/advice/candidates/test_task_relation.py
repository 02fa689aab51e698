"""The hash relation of the largest task of a shuffled hash join."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import inner, query, side
from tuner.advice.candidates.task_relation import task_relation_bytes
from tuner.model.query import Query, ShuffleExchange, SkewedStage
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


class TestASkewedJoin:
    """20M rows of which one user has three tenths, beside 200 tasks that AQE makes of the join."""

    EVENTS = side("events", rows=20_000_000, shuffle_bytes=1_000_000_000)
    USERS = side("users", rows=90_000_000, shuffle_bytes=90_000_000_000)
    JOIN = inner(USERS, EVENTS)

    def job(self, longest: int, mean: int, occurrence: int = 0) -> Query:
        written = ((self.EVENTS, 400_000_000), (self.USERS, 30_000_000_000))
        shuffles = tuple(ShuffleExchange(200, s.shuffle_bytes, size, s.rows, 9, True) for s, size in written)
        stage = SkewedStage(90_000, 9_000, longest, mean, 200, 10**9, 100.0, 10**6, self.JOIN.signature, occurrence)
        return replace(query(self.JOIN, shuffles=shuffles), skews=(stage,))

    def largest(self, job: Query) -> int:
        return task_relation_bytes(job, self.JOIN, self.EVENTS, SelectionConf())

    def test_is_as_uneven_as_its_longest_task(self) -> None:
        even = self.largest(replace(self.job(1, 1), skews=()))
        assert self.largest(self.job(120_000_000, 2_000_000)) == pytest.approx(12 * even, rel=0.3)

    @pytest.mark.parametrize(
        ("longest", "mean", "occurrence"),
        [
            pytest.param(120_000_000, 110_000_000, 0, id="it read no more than the others: a slow machine"),
            pytest.param(120_000_000, 2_000_000, 1, id="it was another join of the query"),
            pytest.param(3_000_000, 1_000_000, 0, id="no more than five times the mean of this side"),
        ],
    )
    def test_is_taken_as_others_where_its_tasks_do_not_tell(self, longest: int, mean: int, occurrence: int) -> None:
        assert self.largest(self.job(longest, mean, occurrence)) == self.largest(replace(self.job(1, 1), skews=()))
