"""The loop on a real Spark: run 1 is observed, run 2 is steered by it, and returns the same rows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.nightly import PATIENT
from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.history.store import Store
from tuner.model.action import ActionKind
from tuner.model.decision import DecidedChange, Decision, Standing
from tuner.model.run import Run, RunState
from tuner.model.strategy import Strategy
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.replay.local import LocalReplay
from tuner.replay.run_in_effect import run_in_effect
from tuner.replay.walk import Walker

pytestmark = [pytest.mark.spark]

JOB = Path(__file__).with_name("join_job.py")
SUBMIT = ["--master", "local[2]", "--driver-memory", "3g", "--conf", "spark.ui.enabled=false"]


class Cohort:
    """`spark-tuner submit` for one cohort, with a store of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.store = f"sqlite:///{directory}/history.db"

    def submit(self, *arguments: object, options: tuple[object, ...] = ()) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tuner.cli", "submit", "--cohort", "nightly", "--db", self.store]
        # On a machine with other work a decision may take longer than a job waits: another test's matter.
        command += ["--most-seconds-before", str(PATIENT.before), "--most-seconds-after", str(PATIENT.after)]
        command += ["--event-log-base", str(self.directory / "events"), *map(str, options), "--", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ.copy())

    @property
    def runs(self) -> list[Run]:
        with Store.open(self.store) as store:
            return store.runs("nightly")

    def pin(self, change_id: str) -> None:
        with Store.open(self.store) as store:
            store.record(Verdict("nightly", change_id, Ruling.PIN, "ada", datetime.now(UTC)))

    def replayed(self, walker: Walker) -> list[Decision]:
        """The decisions that a replay of the runs' logs finds, as the runs had them."""
        replay = LocalReplay(walker)
        replay.read(find_logs(self.directory / "events"))
        assert [cohort.cohort for cohort in replay.walk()] == ["nightly"]
        pairs = zip(replay.logged("nightly"), replay.runs("nightly"), strict=True)
        return [run_in_effect(found.decision, logged).decision for logged, found in pairs]


def as_logged(*runs: Run) -> list[Decision]:
    """Their decisions, but for what they were submitted with: no log tells that."""
    return [replace(run.decision, submitted=(), runtime="", fetched_jar="") for run in runs]


def joins(run: Run) -> list[Strategy]:
    assert run.outcome is not None
    return [join.strategy for query in run.outcome.queries for join in query.joins]


def events(run: Run) -> Iterator[dict[str, Any]]:
    """What Spark wrote into the run's event log, a rolling one since 4.0."""
    for file in sorted(Path(unquote(urlsplit(run.event_log_dir).path)).rglob("events_*")):
        with file.open("rb") as raw, open_plain(raw, file.name) as lines:
            yield from map(json.loads, lines)


def agent_events(run: Run) -> list[dict[str, Any]]:
    return [event for event in events(run) if event["Event"].startswith("tuner.steering.agent.")]


def spark_properties(run: Run) -> dict[str, str]:
    (environment,) = (e for e in events(run) if e["Event"] == "SparkListenerEnvironmentUpdate")
    properties: dict[str, str] = environment["Spark Properties"]
    return properties


SUM = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.range(1000).selectExpr("sum(id)").collect()
spark.stop()
"""


@pytest.mark.nightly
def test_the_users_own_event_log_stays_where_it_is_and_runs_at_once_find_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, settings, job = tmp_path / "history server", tmp_path / "conf", tmp_path / "job.py"
    golden = Path(__file__).with_name("golden") / "logs"
    for version in ("3.5.9", "4.3.0"):
        shutil.copytree(golden / version / "rolling-lz4", history, dirs_exist_ok=True)
    others = {entry.name for entry in history.iterdir()}
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir {history.as_uri()}\n"
        "spark.eventLog.compress false\nspark.eventLog.rolling.enabled false\n"
    )
    job.write_text(SUM)
    monkeypatch.setenv("SPARK_CONF_DIR", str(settings))
    cohorts = [Cohort(tmp_path / name) for name in ("one", "two")]
    for cohort in cohorts:
        cohort.directory.mkdir()
    with ThreadPoolExecutor() as both:
        ended = list(both.map(lambda cohort: cohort.submit(*SUBMIT, job), cohorts))
    assert [done.returncode for done in ended] == [0, 0], ended[0].stderr + ended[1].stderr
    runs = [run for cohort in cohorts for run in cohort.runs]
    assert [run.state for run in runs] == [RunState.SUCCEEDED] * 2
    assert {entry.name for entry in history.iterdir()} == others | {run.outcome.app_id for run in runs if run.outcome}
    assert not any((cohort.directory / "events").exists() for cohort in cohorts)


@pytest.mark.nightly
def test_a_directory_that_spark_would_not_start_with_is_not_turned_on(tmp_path: Path) -> None:
    """Spark passes it over while its event log is off."""
    cohort, job, missing = Cohort(tmp_path), tmp_path / "job.py", tmp_path / "missing"
    job.write_text(SUM)
    done = cohort.submit(*SUBMIT, "--conf", f"spark.eventLog.dir={missing}", job)
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("spark-tuner: "))
    assert f"no event log can be had in spark.eventLog.dir={missing} (No such file or directory)" in line
    assert not missing.exists()


def by_property(run: Run) -> dict[str, DecidedChange]:
    return {action.target: decided for decided in run.decision.changes for action in decided.change.actions}


@pytest.mark.nightly
def test_an_application_is_steered_by_conf_from_its_second_run_on(join_tables: Path, tmp_path: Path) -> None:
    cohort, results = Cohort(tmp_path), []
    for number in (1, 2, 3):
        output = tmp_path / f"{number}.json"
        done = cohort.submit(*SUBMIT, JOB, join_tables, output, options=("--steering", "conf"))
        assert done.returncode == 0, done.stderr
        results.append(json.loads(output.read_text()))
    first, second, third = cohort.runs
    assert results[0] == results[1] == results[2]
    assert [run.state for run in cohort.runs] == [RunState.SUCCEEDED] * 3
    assert (first.decision.actions, joins(first)) == ((), [Strategy.SORT_MERGE])
    assert by_property(second)["spark.sql.autoBroadcastJoinThreshold"].standing is Standing.TRIAL
    assert joins(second) == [Strategy.BROADCAST_HASH]
    assert all(d.change.evidence and d.change.prediction for d in second.decision.changes)
    # Whatever the clock said, the third decision judged the trial by the second run's measurements.
    tried, judged = (by_property(run)["spark.sql.autoBroadcastJoinThreshold"] for run in (second, third))
    assert judged.standing in (Standing.PROMOTED, Standing.TRIAL, Standing.ROLLED_BACK)
    assert judged.why != tried.why
    assert cohort.replayed(Walker(agent=False)) == [run.decision for run in cohort.runs]


@dataclass(frozen=True, slots=True)
class SteeredByAgent:
    """A cohort whose second run the agent steers, and what a run of it takes."""

    cohort: Cohort
    tables: Path
    said: str

    def submit(self, number: int) -> subprocess.CompletedProcess[str]:
        own = self.cohort.directory / "own.jar"
        mine = ("--jars", own, "--conf", "spark.sql.extensions=", "--conf", "spark.eventLog.rolling.enabled=true")
        done = self.cohort.submit(*SUBMIT, *mine, JOB, self.tables, self.output(number))
        assert done.returncode == 0, done.stderr
        return done

    def output(self, number: int) -> Path:
        return self.cohort.directory / f"{number}.json"


@pytest.fixture(scope="module")
def steered(join_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> SteeredByAgent:
    """After two runs."""
    directory = tmp_path_factory.mktemp("agent")
    shutil.copytree(join_tables, directory / "tables")
    zipfile.ZipFile(directory / "own.jar", "w").close()
    begun = SteeredByAgent(Cohort(directory), directory / "tables", "")
    begun.submit(1)
    return replace(begun, said=begun.submit(2).stderr)


@pytest.mark.nightly  # The demo is steered so by day.
def test_an_application_is_steered_by_the_agent_and_keeps_its_own_jars_and_extensions(steered: SteeredByAgent) -> None:
    first, second = steered.cohort.runs[:2]
    assert steered.output(1).read_text() == steered.output(2).read_text()
    assert (joins(first), joins(second)) == ([Strategy.SORT_MERGE], [Strategy.BROADCAST_HASH])
    (hint,) = [action for action in second.decision.actions if action.kind is ActionKind.HINT_JOIN]
    assert hint.value == "BROADCAST"
    assert "the agent applies changes to single joins" in steered.said
    loaded, outcomes = agent_events(second)
    assert (loaded["source"], loaded["problem"]) == ("conf", "")
    assert outcomes["outcomes"] == [{"id": hint.id, "status": "applied", "reason": ""}]
    conf = spark_properties(second)
    assert [Path(jar).name.split("-4")[0] for jar in conf["spark.jars"].split(",")] == ["own.jar", "spark-tuner-agent"]
    assert conf["spark.sql.extensions"] == "tuner.steering.agent.Extensions"
    assert agent_events(first) == []
    assert steered.cohort.replayed(Walker())[:2] == as_logged(first, second)


@pytest.mark.nightly
def test_a_back_fill_does_not_broadcast_what_yesterdays_run_could(steered: SteeredByAgent) -> None:
    """Run 3 reads ten times the dims: the agent sees that before it hints; run 4 is as run 2 was.

    The hint is pinned: what the clock of a busy machine says of it is not asked here.
    """
    cohort, dims = steered.cohort, steered.tables / "dims" / "part-0.parquet"
    (hint,) = [action for action in cohort.runs[1].decision.actions if action.kind is ActionKind.HINT_JOIN]
    cohort.pin(hint.id)
    more = [dims.with_name(f"more-{n}.parquet") for n in range(9)]
    for file in more:
        shutil.copyfile(dims, file)
    steered.submit(3)
    for file in more:
        file.unlink()
    steered.submit(4)
    assert [joins(run)[0] for run in cohort.runs[1:]] == [
        Strategy.BROADCAST_HASH,
        Strategy.SORT_MERGE,
        Strategy.BROADCAST_HASH,
    ]
    backfill = cohort.runs[2]
    (hint,) = [action for action in backfill.decision.actions if action.kind is ActionKind.HINT_JOIN]
    (outcome,) = agent_events(backfill)[-1]["outcomes"]
    assert (outcome["id"], outcome["status"]) == (hint.id, "held")
    assert "have grown to" in outcome["reason"]
    assert hint.id not in [decided.id for decided in changes_in_effect(backfill)]


@pytest.mark.nightly
def test_sql_is_steered_by_a_hint_in_its_text(join_tables: Path, tmp_path: Path) -> None:
    cohort = Cohort(tmp_path)
    file = tmp_path / "job.sql"
    views = [f"CREATE TEMP VIEW {t} USING parquet OPTIONS (path '{join_tables}/{t}')" for t in ("facts", "dims")]
    file.write_text(
        ";\n".join([*views, "SELECT max(d.note), sum(f.amount) FROM facts f JOIN dims d ON f.dim_id = d.id"])
    )
    for _ in range(2):
        done = cohort.submit(*SUBMIT, options=("--steering", "conf", "--sql", file))
        assert done.returncode == 0, done.stderr + done.stdout
    first, second = cohort.runs
    assert joins(first) == [Strategy.SORT_MERGE]
    on_trial = second.decision.actions
    # How long a loaded machine took may bring other advice along.
    (hint,) = [action for action in on_trial if action.kind is ActionKind.HINT_JOIN]
    assert (hint.value, [r.rsplit("/", 1)[-1] for r in hint.relations]) == ("BROADCAST", ["dims"])
    assert joins(second) == [Strategy.BROADCAST_HASH]
    assert first.outcome is not None
    assert second.outcome is not None
    fingerprints: list[Any] = [[q.fingerprint for q in run.outcome.queries] for run in (first, second) if run.outcome]
    assert fingerprints[0] == fingerprints[1]
    assert cohort.replayed(Walker(agent=False, text=True)) == as_logged(first, second)


@pytest.mark.nightly
def test_a_branch_that_a_filter_rules_out_does_not_hide_its_query_from_the_agent(
    join_tables: Path, tmp_path: Path
) -> None:
    """Before it plans Spark has a relation without rows there; the plan that runs has none: TPC-DS 4, 11 and 74."""
    cohort, file = Cohort(tmp_path), tmp_path / "job.sql"
    views = [f"CREATE TEMP VIEW {t} USING parquet OPTIONS (path '{join_tables}/{t}')" for t in ("facts", "dims")]
    branches = [
        f"SELECT '{kind}' AS kind, d.grp, d.note FROM facts f JOIN dims d ON f.{key} = d.id"
        for kind, key in (("wanted", "dim_id"), ("other", "product"))
    ]
    query = f"SELECT grp, max(note) FROM ({' UNION ALL '.join(branches)}) WHERE kind = 'wanted' GROUP BY grp"
    file.write_text(";\n".join([*views, query]))
    for _ in range(2):
        done = cohort.submit(*SUBMIT, options=("--sql", file))
        assert done.returncode == 0, done.stderr + done.stdout
    first, second = cohort.runs
    assert (joins(first), joins(second)) == ([Strategy.SORT_MERGE], [Strategy.BROADCAST_HASH])
    assert [outcome["status"] for outcome in agent_events(second)[-1]["outcomes"]] == ["applied"]


@pytest.mark.nightly  # The demo does it by day.
def test_an_order_is_tried_with_the_broadcasts_that_it_calls_for(join_tables: Path, tmp_path: Path) -> None:
    """Facts of ten products in five thousand are few: Spark does not see that, and would sort them to meet the returns."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[demo]")
    facts = f"{join_tables}/facts"
    made = {
        "returns": f"SELECT dim_id, amount AS back FROM '{facts}/*.parquet' WHERE product < 1250",
        "products": "SELECT i AS id, i % 500 AS line FROM range(5000) t(i)",
    }
    for name, rows in made.items():
        (tmp_path / name).mkdir()
        duckdb.sql(f"COPY ({rows}) TO '{tmp_path / name}/part-0.parquet' (FORMAT parquet)")
    paths = {"facts": facts, **{name: f"{tmp_path}/{name}" for name in made}}
    views = [f"CREATE TEMP VIEW {name} USING parquet OPTIONS (path '{path}')" for name, path in paths.items()]
    query = (
        "SELECT p.id, count(*), sum(f.amount), sum(r.back) FROM facts f JOIN returns r ON f.dim_id = r.dim_id "
        "JOIN products p ON f.product = p.id WHERE p.line = 7 GROUP BY p.id ORDER BY p.id"
    )
    cohort, file = Cohort(tmp_path), tmp_path / "job.sql"
    file.write_text(";\n".join([*views, query]))
    # Smaller than facts and returns, larger than products and what is left of the facts.
    threshold = ("--conf", "spark.sql.autoBroadcastJoinThreshold=1m")
    printed = []
    for _ in range(2):
        done = cohort.submit(*SUBMIT, *threshold, options=("--sql", file))
        assert done.returncode == 0, done.stderr + done.stdout
        printed.append(done.stdout)
    first, second = cohort.runs
    assert printed[0] == printed[1]
    order, *broadcasts = second.decision.actions
    assert order.kind is ActionKind.ORDER_JOINS
    assert [[Path(table).name for table in hint.relations] for hint in broadcasts] == [["facts", "products"]]
    outcomes = {o["id"]: o["status"] for o in agent_events(second)[-1]["outcomes"]}
    assert outcomes == {order.id: "applied", broadcasts[0].id: "applied"}
    assert joins(first)[-1:] == [Strategy.SORT_MERGE]
    assert joins(second) == [Strategy.BROADCAST_HASH] * 2
    assert cohort.replayed(Walker()) == [first.decision, second.decision]


def test_a_wrong_application_path_fails_as_it_would_and_is_recorded(tmp_path: Path) -> None:
    cohort = Cohort(tmp_path)
    done = cohort.submit(*SUBMIT, tmp_path / "no_such_app.py")
    assert done.returncode != 0
    assert "no_such_app.py" in done.stderr + done.stdout
    (run,) = cohort.runs
    assert (run.state, run.outcome) == (RunState.FAILED, None)
