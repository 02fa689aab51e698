"""`spark-tuner explain`: prices, their errors, and what a query's seconds are made of."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.cli.logs import write_log
from tests.history.samples import MIDNIGHT, running
from tuner.cost.learned.operator_times import load_model, shipped_model
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.history.outcome import outcome_of
from tuner.history.store import Store
from tuner.model.run import RunState
from tuner.plan.queries import queries

Call = Callable[..., Result]
LOGS = sorted((Path(__file__).parents[2] / "golden" / "logs").glob("4.*"))
LOG = sorted(LOGS[0].iterdir())[0]


def test_what_a_query_is_made_of(spark_tuner: Call) -> None:
    found = json.loads(spark_tuner("explain", *LOGS, "--json").out)["queries"]
    assert len(found) > 10
    seconds = [q["measured_seconds"] for q in found]
    assert seconds == sorted(seconds, reverse=True)
    for q in found:
        assert sum(q["terms_core_seconds"].values()) == pytest.approx(q["predicted_core_seconds"])
        assert 0 < q["overhead_seconds"] < q["predicted_seconds"]
    shown = spark_tuner("explain", *LOGS, "--query", found[0]["query"]).out
    assert f"query {found[0]['query']} of" in shown and "by the model" in shown and "compile" in shown


def test_the_model_trained_on_logs_is_saved_and_put_to_use(
    spark_tuner: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    told = json.loads(spark_tuner("explain", "--model", *LOGS, "--save", path, "--json").out)
    assert len(LOGS) < int(told["trained_on"].removesuffix(" runs")) and told["queries"] >= 10
    assert 0 <= told["errors"]["wall"]["within_2"] <= 1
    assert load_model(path).costs.sort == pytest.approx(told["unit_costs_ns"]["sort"])
    monkeypatch.setenv("SPARK_TUNER_MODEL", str(path))
    before = json.loads(spark_tuner("explain", "--model", "--json").out)
    assert before["unit_costs_ns"] == pytest.approx(told["unit_costs_ns"])


def test_the_shipped_model_where_there_is_no_history(spark_tuner: Call) -> None:
    result = spark_tuner("explain", "--model")
    assert result.code == 0
    assert "TPC-DS" in result.out and "time on the clock" in result.out
    assert f"{shipped_model().errors['wall'].median:.2f} x" in result.out


def test_the_runs_of_the_store(spark_tuner: Call, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/history.db"
    (source,) = find_logs(LOG)
    application = read_application(source)
    with Store.open(url) as store:
        for number in range(2):
            run = replace(running(f"run/{number}"), cohort="nightly")
            store.begin(run)
            outcome = outcome_of(application, queries(application))
            assert outcome.cluster == cluster_of(application)
            store.finish(run.key, RunState.SUCCEEDED, MIDNIGHT, outcome)
    told = json.loads(spark_tuner("explain", "--model", "--json", "--db", url, "--cohort", "nightly").out)
    assert told["trained_on"] == "2 runs"
    runs = {q["run"] for q in json.loads(spark_tuner("explain", "--json", "--db", url).out)["queries"]}
    assert runs == {"run/0", "run/1"}
    assert "no run of cohort 'other' in the store" in spark_tuner("explain", "--db", url, "--cohort", "other").err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("explain", LOG, "--save", "model.json"), 2, "--model"),
        (("explain", LOG, "--cohort", "nightly"), 2, "leave out the paths"),
        (("explain", LOG, "--query", "999999"), 1, "no query 999999 that succeeded"),
        (("explain", "nowhere"), 1, "no such file"),
    ],
)
def test_what_cannot_be_explained(spark_tuner: Call, arguments: tuple[object, ...], code: int, said: str) -> None:
    result = spark_tuner(*arguments)
    assert (result.code, said in result.err) == (code, True)


def test_what_can_be_read_is_explained_beside_what_cannot(spark_tuner: Call) -> None:
    alone = spark_tuner("explain", LOG, "--json")
    beside = spark_tuner("explain", LOG, "nowhere", "--json")
    assert (alone.code, beside.code, beside.out) == (0, 1, alone.out)
    assert beside.err.splitlines() == ["spark-tuner: nowhere: no such file or directory"]
    model = spark_tuner("explain", LOG, "nowhere", "--model")
    assert (model.code, model.out) == (1, "")
    assert "1 log cannot be read: no model is trained without" in model.err


def test_a_log_without_queries(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("explain", write_log(tmp_path / "app-1"))
    assert (result.code, "no query to explain" in result.err) == (1, True)


def test_training_without_scikit_learn(spark_tuner: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    result = spark_tuner("explain", "--model", LOG)
    assert (result.code, "airflow-spark-tuner[learn]" in result.err) == (1, True)
    assert spark_tuner("explain", LOG).code == 0


def test_no_store_is_made(spark_tuner: Call, tmp_path: Path) -> None:
    missing = spark_tuner("explain", "--db", f"sqlite:///{tmp_path}/none.db")
    assert (missing.code, "there is no history store" in missing.err) == (1, True)
    assert not (tmp_path / "none.db").exists()
