"""The place of a run, as its document tells it to the workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tests.eventlog.samples import execution_end, execution_start, head, write  # noqa: E402
from tuner.eventlog.find import find_logs  # noqa: E402
from tuner.pipeline.cohorts import told  # noqa: E402
from tuner.replay.cohort_of import BY_LOG  # noqa: E402

from .worker_tables import worker_tables  # noqa: E402

GONE = "and not there to be read again"


def document(tmp_path: Path, error: str = "") -> str:
    """Of a log that breaks off after a query."""
    log = write(tmp_path / "log", [*head(), execution_start(), execution_end(error=error)])
    (row,) = worker_tables(find_logs(log), documents=True)["applications"]
    return str(row["document"])


def place(written: str | None) -> dict[str, Any]:
    batch = pa.RecordBatch.from_pylist([{"log": "log", "document": written}])
    (found,) = next(told([batch], BY_LOG)).to_pylist()
    return dict(found)


@pytest.mark.parametrize(("error", "partial"), [("", True), ("boom", False)])
def test_what_failed_is_whole_wherever_its_log_breaks_off(tmp_path: Path, error: str, partial: bool) -> None:
    found = place(document(tmp_path, error))
    assert (found["cohort"], found["partial"]) == ("nightly", partial)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (None, f"harvested without what a replay reads, {GONE}"),
        ("{", "what was harvested of it cannot be read: Input data was truncated"),
    ],
)
def test_what_cannot_be_read_is_in_no_cohort(written: str | None, why: str) -> None:
    found = place(written)
    assert (found["cohort"], found["unused"]) == (None, why)


def test_of_what_an_earlier_version_wrote_nobody_knows_how_it_ended(tmp_path: Path) -> None:
    written = json.loads(document(tmp_path))
    del written["ends"]
    found = place(json.dumps(written))
    why = f"harvested without what a replay reads (Object missing required field `ends`), {GONE}"
    assert (found["cohort"], found["unused"]) == (None, why)
