"""What a replay on Spark says of the models it has trained."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.cli.as_text.fleet_model import MOST_KINDS, fleet_model_lines
from tuner.cost.learned.operator_times import Errors
from tuner.pipeline.fleet_model import FleetModel, KindModel


def errors(median: float, p90: float) -> Errors:
    return Errors(queries=40, median=median, p90=p90, within_2=0.9, low=0.5, high=2.0)


ERRORS = {"prior": errors(3.1, 6.04), "fitted": errors(1.4, 2.2), "hybrid": errors(1.3, 2.0), "wall": errors(1.5, 3)}
LARGE = KindModel("spark-4.0_4-cores_16-GiB", "/out/operator_times/kinds/x.json", 40, 900, ERRORS)
SMALL = KindModel("spark-3.5_2-cores_1-GiB", "/out/operator_times/model.json", 9, 30)


def test_each_kind_of_cluster_has_a_line() -> None:
    model = FleetModel("/out/operator_times/model.json", 49, 930, ERRORS, kinds=(LARGE, SMALL))
    assert list(fleet_model_lines(model)) == [
        "operator times of this fleet, of 49 queries; of queries left out, the median is off by a factor 1.5: "
        "SPARK_TUNER_MODEL=/out/operator_times/model.json prices by them",
        "  spark-4.0_4-cores_16-GiB: 40 queries, 900 stages, core time off by (median, 90 %) prior 3.1 and 6.0, "
        "fitted 1.4 and 2.2, hybrid 1.3 and 2.0: /out/operator_times/kinds/x.json",
        "  spark-3.5_2-cores_1-GiB: 9 queries, 30 stages: too few (fewer than 10 queries), the fleet's model serves: "
        "/out/operator_times/model.json",
    ]


@pytest.mark.parametrize(
    ("path", "do"),
    [
        ("file:/out/operator_times/model.json", "SPARK_TUNER_MODEL=/out/operator_times/model.json"),
        (
            "s3a://b/operator_times/model.json",
            "copy s3a://b/operator_times/model.json to a file of this machine, and SPARK_TUNER_MODEL=FILE",
        ),
    ],
)
def test_what_is_to_be_set_names_a_file_of_this_machine(path: str, do: str) -> None:
    (line,) = fleet_model_lines(FleetModel(path, 49, 930))
    assert line == f"operator times of this fleet, of 49 queries: {do} prices by them"


def test_of_many_kinds_the_last_are_counted() -> None:
    model = FleetModel("/m.json", 49, 930, ERRORS, kinds=(LARGE, *[SMALL] * (MOST_KINDS + 1)))
    *_, last = fleet_model_lines(model)
    assert last == "  and 2 more kinds of clusters, with fewer stages"


def test_logs_that_taught_nothing_are_counted() -> None:
    first, second = fleet_model_lines(FleetModel(skipped="no query was measured", outdated=3))
    assert first.startswith("3 logs teach no prices: an earlier version harvested them, and they are gone")
    assert second == "no model of this fleet's operator times: no query was measured"
