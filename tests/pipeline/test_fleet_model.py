"""The models of a fleet, trained on a real Spark: of each kind of cluster, and of all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tests.conftest import on_loopback
from tuner.cli.process.spark_session import spark_session
from tuner.cost.learned.calibrated_model import VARIABLE, configured_model
from tuner.cost.learned.operator_times import OperatorTimes, shipped_model
from tuner.cost.learned.train_operator_times import MIN_QUERIES
from tuner.model.query_work import QueryWork, StageWork
from tuner.pipeline import fleet_model as fleet_model_module
from tuner.pipeline.fleet_model import FILE, FleetModel, KindModel, fleet_model
from tuner.pipeline.hadoop import HadoopDirectory
from tuner.pipeline.training_sample import MOST_QUERIES

from .fleet import lines_of, written_tables
from .many_nights import GOLDEN
from .on_spark import harvested

pytestmark = [
    pytest.mark.spark,
    pytest.mark.nightly,
    # Not imported here: each worker would, by day, too.
    pytest.mark.skipif(not find_spec("sklearn"), reason="no scikit-learn: pip install airflow-spark-tuner[learn]"),
]

FAST = ("spark.sql.shuffle.partitions=2", "spark.driver.host=localhost", "spark.driver.bindAddress=127.0.0.1")
SLOWER = 6
# Of one golden log, with fewer queries than a model can be validated on.
FEW = "reuse"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in on_loopback().items():
            patched.setenv(name, value)
        with spark_session("local[2]", FAST, "tests") as session:
            yield session


def write_log(target: Path, lines: list[bytes], version: str, slower: int = 1) -> None:
    """A golden log as another version of Spark would have written it, on a machine that is so many times as slow."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = re.sub(rb'"Spark Version":"[^"]*"', b'"Spark Version":"%s"' % version.encode(), b"".join(lines))
    times = rb'"(Executor Run Time|Executor CPU Time)":(\d+)'
    target.write_bytes(re.sub(times, lambda found: b'"%s":%d' % (found[1], int(found[2]) * slower), text))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fleet of three kinds of clusters: one slow, one with few queries."""
    root = tmp_path_factory.mktemp("logs")
    for directory in (GOLDEN / "4.3.0").iterdir():
        files = [file for file in directory.iterdir() if file.is_file() and not file.name.startswith(".")]
        if len(files) == 1:
            lines = lines_of(files[0])
            write_log(root / f"{directory.name}-fast", lines, "4.3.0")
            write_log(root / f"{directory.name}-slow", lines, "3.5.9", SLOWER)
            if directory.name == FEW:
                write_log(root / f"{directory.name}-few", lines, "4.0.5")
    return root


@pytest.fixture(scope="module")
def out(spark: Any, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("out") / "tables"
    harvested(spark, logs, place)
    return place


def learned(spark: Any, out: Path, inputs: str = "1") -> FleetModel:
    return fleet_model(spark, HadoopDirectory(spark, str(out)), str(out), shipped_model(), inputs)


def by_version(found: FleetModel) -> dict[str, KindModel]:
    """Those of two cores: one golden log is of a cluster of smaller executors."""
    return {kind.kind.partition("_")[0]: kind for kind in found.kinds if "_2-cores_" in kind.kind}


def model_at(path: str) -> OperatorTimes:
    return configured_model({VARIABLE: path})


def test_a_slow_kind_of_cluster_has_higher_prices_and_a_small_one_the_fleets(spark: Any, out: Path) -> None:
    found = learned(spark, out)
    assert not found.skipped
    kinds = by_version(found)
    assert kinds.keys() == {"spark-4.3", "spark-3.5", "spark-4.0"}
    fast, slow, small = (kinds[f"spark-{version}"] for version in ("4.3", "3.5", "4.0"))
    assert fast.queries == slow.queries >= MIN_QUERIES > small.queries > 0
    assert len({fast.path, slow.path, found.path}) == 3 and small.path == found.path
    assert {"prior", "fitted", "hybrid", "wall"} == fast.errors.keys() == slow.errors.keys()
    assert not small.errors

    fast_costs, slow_costs = (model_at(kind.path).costs for kind in (fast, slow))
    for price in ("scan", "task", "shuffle_write", "aggregate"):
        ratio = getattr(slow_costs, price) / getattr(fast_costs, price)
        assert SLOWER / 1.5 < ratio < SLOWER * 1.5, price
    stage = StageWork(0, 8, 0, {"scan": 1e7, "aggregate": 1e6, "shuffle_write": 1e8, "task": 8, "compile": 4})
    on_fast, on_slow = (model_at(kind.path).core_ms(QueryWork((stage,))) for kind in (fast, slow))
    assert SLOWER / 1.5 < on_slow / on_fast < SLOWER * 1.5
    assert sum(kind.stages for kind in found.kinds) == len(written_tables(out)["stage_work"])
    assert model_at(found.path).trained_on.endswith("runs of fleet")
    assert model_at(slow.path).trained_on.endswith(f"runs of {slow.kind}")


def test_training_again_finds_the_same_and_only_when_its_inputs_are_new(
    spark: Any, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = learned(spark, out, "a")
    written = {file: file.read_bytes() for file in (out / "operator_times").rglob("*.json")}
    assert learned(spark, out, "b") == first
    again = {file: file.read_bytes() for file in (out / "operator_times").rglob("*.json")}
    assert again.keys() == written.keys()
    assert [file.name for file in written if written[file] != again[file]] == ["learned.json"]

    monkeypatch.setattr(fleet_model_module, "_train", None)
    assert learned(spark, out, "b") == first
    with pytest.raises(TypeError):
        learned(spark, out, "c")


def test_a_model_that_is_gone_is_trained_again(spark: Any, out: Path) -> None:
    first = learned(spark, out)
    Path(by_version(first)["spark-3.5"].path).unlink()
    assert learned(spark, out) == first
    shutil.rmtree(out / "operator_times")
    (out / "operator_times").mkdir()
    (out / FILE).write_bytes(b"what an earlier version left")
    (out / "operator_times" / "learned_from").write_text("1")
    assert learned(spark, out) == first


def test_the_driver_decodes_no_document(spark: Any, out: Path) -> None:
    """There is none: the tables were harvested without them."""
    assert all(row["document"] is None for row in written_tables(out)["queries"])
    assert not learned(spark, out, "no documents").skipped


def test_a_frequent_query_does_not_crowd_out_the_others(spark: Any, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tuner.pipeline import training_sample as module

    monkeypatch.setattr(module, "MOST_QUERIES", 5)
    kind = by_version(learned(spark, out))["spark-4.3"].kind
    rows = module.training_sample(spark, str(out), [kind]).select("kind", "log", "query_id", "fingerprint").distinct()
    found = [tuple(row) for row in rows.collect()]
    assert sorted({kind for kind, *_ in found}) == ["fleet", kind]
    for group in ("fleet", kind):
        assert len({fingerprint for of, _, _, fingerprint in found if of == group}) == 5
    assert len(found) == 10 < MOST_QUERIES
    # Which query comes first is chosen by a hash of its log's path: bounded by the largest, any may.
    fleet = module.training_sample(spark, str(out), [kind]).where("kind = 'fleet'")
    stages = [row["count"] for row in fleet.groupBy("log", "query_id").count().collect()]
    assert sum(stages) > max(stages)
    monkeypatch.setattr(module, "MOST_STAGES", max(stages))
    assert 0 < module.training_sample(spark, str(out), [kind]).where("kind = 'fleet'").count() <= max(stages)


def test_workers_without_what_training_needs_are_told_of_in_a_line(
    spark: Any, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(spark, out)
    (tmp_path / "scipy").mkdir()
    (tmp_path / "scipy" / "__init__.py").write_text("raise ModuleNotFoundError('no scipy', name='scipy')\n")
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path))
    before = sorted((out / "operator_times").rglob("*"))
    found = learned(spark, out, "without scipy")
    assert found.skipped.startswith("training needs scipy where Spark's workers run: pip install")
    assert not found.path
    assert sorted((out / "operator_times").rglob("*")) == before


def test_workers_that_fail_cost_the_model_and_no_more(
    spark: Any, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("raise ModuleNotFoundError('no pandas', name='pandas')\n")
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path))
    found = learned(spark, out, "without pandas")
    assert found.skipped == "training failed on a worker: ModuleNotFoundError"
    assert "\n" not in found.skipped and len(found.skipped) < 300


def as_an_earlier_version_wrote(out: Path) -> None:
    for table in ("stage_work", "query_work"):
        shutil.rmtree(out / table)
    for manifest in (out / "_batches").glob("*.json"):
        found = json.loads(manifest.read_text())
        for log in (log for logs in found["batches"].values() for log in logs):
            del log["tables"]
        manifest.write_text(json.dumps(found))
        (manifest.parent / f".{manifest.name}.crc").unlink(missing_ok=True)


def test_tables_of_an_earlier_version_are_made_anew_from_logs_that_are_there(
    spark: Any, logs: Path, tmp_path: Path
) -> None:
    mine, out = tmp_path / "logs", tmp_path / "out"
    shutil.copytree(logs, mine, ignore=shutil.ignore_patterns("*-slow"))
    read = partial(harvested, spark, mine, out)
    whole = read()
    expected = learned(spark, out)
    as_an_earlier_version_wrote(out)
    assert learned(spark, out, "old").skipped == "no query was measured"

    (mine / f"{FEW}-few").unlink()
    again = read()
    assert (again.read, again.unchanged) == (whole.read - 1, 0)
    found = learned(spark, out, "new")
    assert by_version(found)["spark-4.3"].queries == by_version(expected)["spark-4.3"].queries
    assert "spark-4.0" not in by_version(found)
    assert (read().read, len(written_tables(out)["applications"])) == (0, whole.read)
