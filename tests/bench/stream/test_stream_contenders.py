"""A stream's contenders: what they know is on disk, in the stream's directory."""

from __future__ import annotations

from pathlib import Path

from tests.bench.stream.made import stream
from tuner.bench.contenders.cost_based import CostBased
from tuner.bench.stream.stream_contenders import stream_contenders


def test_statistics_of_each_gathering_stay_for_runs_of_its_nights_that_are_repeated(tmp_path: Path) -> None:
    of = stream(tmp_path, nights=5)
    found = [stream_contenders(["cbo"], tmp_path, "repeats-0", of.statistics_of(night))[1] for night in range(1, 6)]
    catalogs = [one.catalog for one in found if isinstance(one, CostBased)]
    assert [catalogs.index(one) for one in catalogs] == [0, 0, 2, 2, 4]
