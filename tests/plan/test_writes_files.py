"""What a query writes."""

from __future__ import annotations

from dataclasses import replace

from tests.plan.test_queries import stage
from tests.plan.trees import plan
from tuner.plan.writes_files import output_of, writes_files

COUNTED = plan(
    "Execute InsertIntoHadoopFsRelationCommand |  | number of written files=10\n  Scan parquet shop.sales | []"
)
UNCOUNTED = plan("AppendData\n  Scan parquet shop.sales | []")


def test_bytes_are_of_tasks_and_files_as_their_writer_counts_them_else_one_a_task() -> None:
    stages = [replace(stage(0), output_bytes=0), replace(stage(1), output_bytes=5_000, tasks=4)]
    assert output_of(COUNTED, stages) == (5_000, 10), "a file for each day of each task"
    assert output_of(UNCOUNTED, stages) == (5_000, 4)
    assert output_of(UNCOUNTED, stages[:1]) == (0, 0) and writes_files(UNCOUNTED, stages[:1])
