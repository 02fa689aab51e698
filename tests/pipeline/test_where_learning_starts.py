"""Where a fleet's learning starts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.cost.learned.named_model import VARIABLE
from tuner.cost.learned.operator_times import shipped_model, write_model
from tuner.pipeline.fleet_model import where_learning_starts


@pytest.mark.parametrize(
    ("named", "is_own"),
    [("out/operator_times/model.json", True), ("out/operator_times/kinds/x.json", True), ("other.json", False)],
)
@pytest.mark.parametrize("as_url", [False, True])
def test_it_never_starts_from_what_was_learned_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, is_own: bool, as_url: bool
) -> None:
    learned = replace(shipped_model(), queries=49)
    (tmp_path / named).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / named).write_bytes(write_model(learned))
    monkeypatch.setenv(VARIABLE, str(tmp_path / named))
    out = tmp_path / "out"
    assert where_learning_starts(out.as_uri() if as_url else str(out)) == (shipped_model() if is_own else learned)
