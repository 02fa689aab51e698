"""What the bench's application writes down of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.made import setup
from tuner.bench import run_application as module
from tuner.bench.run_application import Submit, run_application


@pytest.mark.parametrize(
    ("last", "held"),
    [([{"allocated_core_seconds": 84.5}], 84.5), ([{"allocated_core_seconds": None}], None), ([], None)],
)
def test_core_seconds_are_told_last_and_are_no_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: list[dict[str, float]], held: float | None
) -> None:
    def run(command: list[str], *_: object) -> int:
        lines = [{"name": "q1", "seconds": 2.0, "rows": 1, "digest": "d"}, *last]
        Path(command[-1]).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return 0

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    ran = run_application(setup(tmp_path), Submit(), tmp_path / "work")
    assert ran.queries[0].name == "q1"
    assert [q.name for q in ran.queries if not q.error] == ["q1"]
    assert ran.allocated_core_seconds == held
