"""No secret that a log holds is stored, printed or logged: markers planted wherever a real log may carry one."""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.nightly import PATIENT
from tuner.cli.main import main
from tuner.history.store import Store
from tuner.loop.log_lines import report_details, report_lines, turn_details, turn_lines
from tuner.loop.loop import JobToRun, Report, Turn, complete, prepare
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunDetails
from tuner.model.verdict import Ruling, Verdict

_SQL = "org.apache.spark.sql.execution.ui.SparkListener"


def marker(number: int) -> str:
    """A word of letters that stands nowhere else; the same in every process."""
    digest = hashlib.sha256(f"secret {number}".encode()).hexdigest()[:20]
    return "Zq" + digest.translate(str.maketrans("0123456789", "ghijklmnop"))


class Planted:
    """Hands out one marker after the other, so that a leak tells where it came from."""

    def __init__(self) -> None:
        self.where: dict[str, str] = {}

    def __call__(self, where: str) -> str:
        word = marker(len(self.where))
        self.where[word] = where
        return word


def node(name: str, text: str, *children: Any, location: str = "", **metrics: int) -> dict[str, Any]:
    names = {
        "rows": "number of output rows",
        "size": "size of files read",
        "data": "data size",
        "sort": "sort time",
        "records": "shuffle records written",
        "kept": "number of output rows",
        "times": "number of output rows",
    }
    return {
        "nodeName": name,
        "simpleString": text,
        "children": list(children),
        "metadata": {"Location": f"InMemoryFileIndex(1 paths)[{location}]"} if location else {},
        "metrics": [{"name": names[m], "accumulatorId": a, "metricType": "sum"} for m, a in metrics.items()],
    }


def scans(plant: Planted) -> Iterator[dict[str, Any]]:
    """Relations as Spark prints them, each with a secret in it; the n-th has the accumulators from 100 n."""
    names = [
        f"Scan JDBCRelation((SELECT id FROM users WHERE token = '{plant('jdbc literal')}' AND n = 5) SPARK_GEN_SUBQ_0)",
        f'Scan JDBCRelation((select id from users where token = "{plant("jdbc double quotes")}") AS q)',
        f"Scan JDBCRelation((select id from users /* {plant('jdbc comment')} */ where x = 0x{plant('jdbc hex')}) AS q)",
        f"Scan JDBCRelation((select id from users where t = $${plant('jdbc dollars')}$$ -- {plant('jdbc line')}\n) q)",
        f"Scan JDBCRelation((select id from users where t = 'it\\'s' and u = '{plant('jdbc escaped')}') q)",
        f"Scan jdbc:postgresql://etl:{plant('jdbc url')}@db/sales?user=etl&password={plant('jdbc password')}",
        f"Scan jdbc:sqlserver://db;user=etl;password={plant('jdbc semicolons')}/x",
        f"Scan jdbc:oracle:thin:etl/{plant('jdbc oracle')}@//db:1521/sales",
        f"BatchScan parquet s3a://AKIAKEY:{plant('path')}@bucket/orders",
        f"BatchScan json https://{plant('path token')}@host/orders",
    ]
    locations = [
        f"s3a://AKIAKEY:{plant('location')}@bucket/orders",
        f"s3a://AKIAKEY:ab/{plant('location slash')}@bucket/orders",
        f"s3a://AKIAKEY:{plant('location comma')},b@bucket/orders",
        f"wasbs://c@lake.blob.core.windows.net/o?sv=2022&sig=ab/{plant('sas slash')}%3D&se=1",
        f"https://b.s3.amazonaws.com/o?X-Amz-Credential={plant('credential')}&X-Amz-Signature={plant('signature')}",
        f"/lake/orders/token={plant('partition')}/x",
    ]
    for number, name in enumerate(names, 1):
        yield scan(number, name)
    for number, location in enumerate(locations, len(names) + 1):
        yield scan(number, "Scan parquet", location)


def scan(number: int, name: str, location: str = "") -> dict[str, Any]:
    n = 100 * number
    return node(name, f"{name}[c{n}#{n}] Batched: true", location=location, rows=n + 1, size=n + 2)


def joined(left: dict[str, Any], right: dict[str, Any], keys: tuple[str, str], number: int) -> dict[str, Any]:
    """A sort merge join that advice would turn into a broadcast."""
    n = 10_000 + 100 * number
    sides = [
        node(
            "Sort",
            "Sort",
            node("Exchange", f"Exchange hashpartitioning({key}, 200)", side, data=a, records=a + 1),
            sort=a + 2,
        )
        for side, key, a in ((left, keys[0], n), (right, keys[1], n + 10))
    ]
    return node("SortMergeJoin", f"SortMergeJoin [{keys[0]}], [{keys[1]}], Inner", *sides, rows=n + 20)


def plans(plant: Planted) -> Iterator[dict[str, Any]]:
    """Queries over those relations, with literals in their operators."""
    found = list(scans(plant))
    for number, (left, right) in enumerate(zip(found[::2], found[1::2], strict=True)):
        a, b = 200 * number + 100, 200 * number + 200
        key = f"concat(c{a}#{a}, {plant('key')})"
        join = joined(left, right, (key, f"c{b}#{b}"), number)
        encrypted = f"aes_encrypt(c{a}#{a}, {plant('aes key')}, GCM, DEFAULT, , ) AS enc#{a + 50}"
        project = node("Project", f"Project [{encrypted}, from_utc_timestamp(t#3, {plant('utc')}) AS t#4]", join)
        condition = f"Filter (isnotnull(token#5) AND (token#5 = {plant('filter')}))"
        yield node("Filter", f"{condition} PushedFilters: [EqualTo(token,{plant('pushed')})]", project)
    yield from insightful(plant)
    write = f"Execute InsertIntoHadoopFsRelationCommand s3a://k:{plant('target')}@b/out, [password={plant('option')}]"
    yield node("Execute InsertIntoHadoopFsRelationCommand", write, scan(90, "Scan parquet db.orders"))


INSIGHTFUL = (5100, 5200, 5300, 5400)  # the columns that their insights name


def insightful(plant: Planted) -> Iterator[dict[str, Any]]:
    """Queries that insights have something to tell of, with literals wherever they look."""
    left, right, filtered, sorted_, expanded = (scan(n, f"Scan parquet db.t{n}") for n in range(51, 56))
    condition = f"((c5100#5100 > concat(c5200#5200, {plant('nested')})) AND (x#7 = {plant('nested literal')}))"
    yield node(
        "BroadcastNestedLoopJoin", f"BroadcastNestedLoopJoin BuildRight, Inner, {condition}", left, right, rows=5110
    )
    filtered["simpleString"] += f" DataFilters: [(c5300#5300 = {plant('data filter')})]"
    filtered["metadata"] = {"PushedFilters": "[IsNotNull(c5300)]", "Format": "Parquet", "X": plant("metadata")}
    condition = f"(isnotnull(c5300#5300) AND (cast(c5300#5300 as string) = {plant('cast')}))"
    kept = node("Filter", f"Filter {condition}", filtered, kept=5310)
    yield node("Project", f"Project [c5300#5300, {plant('alias')} AS {plant('alias name')}#5311]", kept)
    keys = f"concat(c5400#5400, {plant('key of a sort')})#5401"
    sort = node("Sort", f"Sort [{keys} ASC NULLS FIRST], false, 0", sorted_, sort=5410)
    functions = f"[max(concat(note#9, {plant('aggregate')}))]"
    yield node("SortAggregate", f"SortAggregate(key=[{keys}], functions={functions})", sort, rows=5411)
    groups = f"[[c5500#5500, {plant('group')}, 1], [c5500#5500, null, 2]], [c5500#5500, {plant('name')}#6, gid#5501]"
    yield node("Expand", f"Expand {groups}", expanded, times=5510)


def texts(plant: Planted, where: str) -> str:
    """What a person or a library writes of secrets, in the forms that can be told."""
    return "; ".join(
        (
            f"SELECT * FROM t WHERE token = '{plant(where + ' literal')}' AND u LIKE'{plant(where + ' like')}'",
            f'x = "{plant(where + " double quotes")}"',
            f"jdbc:postgresql://etl:{plant(where + ' url')}@db/sales?password={plant(where + ' password')}",
            f"--api-token {plant(where + ' argument')}",
        )
    )


def events(plant: Planted, conf: Mapping[str, str]) -> list[dict[str, Any]]:
    """The log of an application that was careless with its secrets everywhere."""
    start = 1_700_000_000_000
    properties = {
        **conf,
        "spark.master": f"spark://etl:{plant('master')}@host:7077",
        "spark.driver.memory": "8g",
        "spark.app.name": "etl",
        "spark.hadoop.fs.s3a.access.key": plant("access key"),
        "spark.hadoop.fs.s3a.secret.key": plant("secret key"),
        "spark.executorEnv.DB_PASSWORD": plant("executorEnv"),
        "spark.my.url": f"jdbc:mysql://u:{plant('conf url')}@db/x",
        "spark.app.submitArgs": f"--token {plant('submitArgs')}",
        "spark.driver.extraJavaOptions": f"-Dtoken={plant('java options')}",
    }
    environment = {
        "JVM Information": {"Java Home": plant("jvm")},
        "Spark Properties": properties,
        "System Properties": {"sun.java.command": f"SparkSubmit --conf spark.x={plant('command')} {plant('argument')}"},
        "Hadoop Properties": {"fs.s3a.secret.key": plant("hadoop")},
        "Metrics Properties": {"*.sink.password": plant("metrics")},
        "Classpath Entries": {f"https://u:{plant('classpath')}@host/a.jar": "Added By User"},
    }
    found: list[dict[str, Any]] = [
        {"Event": "SparkListenerLogStart", "Spark Version": "4.0.1"},
        {
            "Event": "SparkListenerApplicationStart",
            "App Name": f"etl --token {plant('app name')}",
            "App ID": "local-1",
            "Timestamp": start,
            "User": plant("user"),
        },
        {
            "Event": "SparkListenerExecutorAdded",
            "Executor ID": "driver",
            "Executor Info": {"Total Cores": 2, "Log Urls": {"stdout": f"http://u:{plant('log url')}@host/"}},
        },
        {"Event": "SparkListenerEnvironmentUpdate", **environment},
    ]
    for number, plan in enumerate(plans(plant)):
        began = start + 10_000 * number
        found += [
            {
                "Event": _SQL + "SQLExecutionStart",
                "executionId": number,
                "rootExecutionId": number,
                "description": texts(plant, "description") if number == 0 else f"select {number} from t",
                "details": plant("details"),
                "physicalPlanDescription": f"== Optimized Logical Plan ==\nFilter (x#1 = {plant('logical plan')})\n"
                f"== Physical Plan ==\n{plant('physical plan')}",
                "sparkPlanInfo": plan,
                "time": began,
                "modifiedConfigs": {"spark.hadoop.x.password": plant("modifiedConfigs")},
            },
            {"Event": _SQL + "SQLAdaptiveExecutionUpdate", "executionId": number, "sparkPlanInfo": plan},
            {"Event": _SQL + "DriverAccumUpdates", "executionId": number, "accumUpdates": measured(plan)},
            {
                "Event": "SparkListenerJobStart",
                "Job ID": number,
                "Stage IDs": [number],
                "Properties": {
                    "spark.sql.execution.id": str(number),
                    "spark.job.description": plant("job description"),
                    "spark.hadoop.x.secret": plant("job property"),
                },
            },
            *(tasks(plant, number) if number == 0 else ran(number, began, plan)),
            {
                "Event": _SQL + "SQLExecutionEnd",
                "executionId": number,
                "time": began + 9000,
                "errorMessage": f"java.sql.SQLException: login with {plant('error')}; {texts(plant, 'error')}"
                if number == 1
                else "",
            },
        ]
    return [*found, {"Event": "SparkListenerApplicationEnd", "Timestamp": start + 100_000}]


def tasks(plant: Planted, stage_id: int) -> list[dict[str, Any]]:
    stage = {
        "Stage ID": stage_id,
        "Number of Tasks": 1,
        "Stage Name": plant("stage name"),
        "Details": plant("stage details"),
        "Failure Reason": f"Job aborted: {plant('failure')}",
        "RDD Info": [{"Name": plant("rdd"), "Scope": plant("scope")}],
        "Accumulables": [{"ID": 7, "Name": plant("accumulable"), "Value": plant("value")}],
    }
    reason = {
        "Reason": "ExceptionFailure",
        "Class Name": "java.sql.SQLException",
        "Description": plant("task failure"),
        "Full Stack Trace": plant("stack trace"),
        "Loss Reason": plant("loss reason"),
    }
    return [
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage, "Properties": {"x": plant("stage property")}},
        {
            "Event": "SparkListenerTaskEnd",
            "Stage ID": stage_id,
            "Task End Reason": reason,
            "Task Info": {"Failed": True},
        },
        {"Event": "SparkListenerStageCompleted", "Stage Info": stage},
    ]


def ran(stage_id: int, began: int, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The stage that took a query's time, of all its operators."""
    waiting, accumulators = [plan], []
    while waiting:
        below = waiting.pop()
        accumulators += [{"ID": m["accumulatorId"], "Metadata": "sql"} for m in below["metrics"]]
        waiting += below["children"]
    stage = {
        "Stage ID": stage_id,
        "Number of Tasks": 1,
        "Submission Time": began,
        "Completion Time": began + 8000,
        "Accumulables": accumulators,
    }
    return [
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage},
        {
            "Event": "SparkListenerTaskEnd",
            "Stage ID": stage_id,
            "Task End Reason": {"Reason": "Success"},
            "Task Metrics": {"Executor Run Time": 8000},
        },
        {"Event": "SparkListenerStageCompleted", "Stage Info": stage},
    ]


def measured(plan: dict[str, Any]) -> list[list[int]]:
    """Rows and bytes that make broadcasting worth while."""
    values = {"number of output rows": 200_000, "size of files read": 10**8, "data size": 15_000_000}
    values |= {"sort time": 1500, "shuffle records written": 200_000}
    few_or_many = {5310: 5, 5510: 900_000}  # by accumulator: what the filter keeps, what the Expand makes
    own = [[a, few_or_many.get(a, values[m["name"]])] for m in plan["metrics"] for a in (m["accumulatorId"],)]
    return [*own, *(update for child in plan["children"] for update in measured(child))]


def lines(plant: Planted, conf: Mapping[str, str]) -> list[bytes]:
    return [json.dumps(event, separators=(",", ":")).encode() + b"\n" for event in events(plant, conf)]


def damaged(plant: Planted) -> list[bytes]:
    """Lines that cannot be read, for a reason that a message might quote."""
    secret = plant("damaged line")
    return [
        f'{{"Event":"SparkListenerJobStart","Job ID":"{secret}"}}\n'.encode(),
        f'{{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":"{secret}"}}\n'.encode(),
        f'{{"Event":"SparkListenerTaskEnd","Stage ID":{secret}}}\n'.encode(),
        f'{{"Event":"{secret}","x":\n{secret}\n'.encode(),
        b'{"Event":"SparkListenerTaskEnd","Task Info":{"'
        + secret.encode()
        + b'":1,"Index":"'
        + secret.encode()
        + b'"}}\n',
        f'{{"Event":"{_SQL}DriverAccumUpdates","executionId":0,"accumUpdates":[["{secret}",1]]}}\n'.encode(),
        b"\xff" + secret.encode() + b"\n",
        f'{{"Event":"SparkListenerApplicationEnd","Timestamp":"{secret}'.encode(),
    ]


def write(file: Path, content: list[bytes]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(content))
    return file


def write_run(conf: Mapping[str, str]) -> None:
    """The event log that a Spark job submitted with this conf leaves behind."""
    write(Path(urlsplit(conf["spark.eventLog.dir"]).path, "local-1"), lines(Planted(), conf))


def leaks(output: str | bytes) -> list[str]:
    """Where the secrets in an output came from, in capitals or not."""
    plant = Planted()
    lines(plant, {})
    damaged(plant)
    text = (output if isinstance(output, str) else output.decode("utf-8", "replace")).lower()
    return [where for word, where in plant.where.items() if word.lower() in text]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A whole log and a damaged one."""
    plant = Planted()
    whole = lines(plant, {"spark.tuner.cohort": "nightly"})
    write(tmp_path / "logs" / "local-1", whole)
    write(tmp_path / "logs" / "local-2", [*whole[:-1], *damaged(plant)])
    return tmp_path / "logs"


@pytest.fixture
def spark_tuner(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., str]:
    """`spark-tuner` in this process: what it prints on both streams."""
    monkeypatch.setenv("SPARK_TUNER_DB", f"sqlite:///{tmp_path}/history.db")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def call(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["spark-tuner", *map(str, arguments)])
        try:
            main()
        except SystemExit as exit_:
            if isinstance(exit_.code, str):
                print(exit_.code, file=sys.stderr)
        return "".join(capfd.readouterr())

    return call


def test_markers_are_planted_and_found() -> None:
    plant = Planted()
    text = b"".join([*lines(plant, {}), *damaged(plant)])
    assert len(plant.where) > 100
    assert leaks(text.upper()) == list(plant.where.values())
    assert leaks("nothing") == []


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_harvest(spark_tuner: Callable[..., str], logs: Path, form: list[str]) -> None:
    printed = spark_tuner("harvest", logs, *form)
    assert leaks(printed) == []
    assert "bad_line" in printed and "partial" in printed
    assert "password=?" in printed or not form
    if form:
        whole, _ = (json.loads(line) for line in printed.splitlines())
        assert whole["status"] == "complete"
        relations = {name for q in whole["queries"] for j in q["joins"] for name in j["left"]["relations"]}
        assert {"jdbc:select_id_from_users_where_token_and_n", "s3a://bucket/orders"} <= relations


@pytest.mark.parametrize("steering", [[], ["--steering", "conf"], ["--steering", "conf", "--sql"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_advise(spark_tuner: Callable[..., str], logs: Path, steering: list[str], form: list[str]) -> None:
    printed = spark_tuner("advise", logs, *steering, *form)
    assert leaks(printed) == []
    # Properties alone reach no single join.
    assert ("broadcast" in printed) is (steering != ["--steering", "conf"])
    assert "local-1" in printed
    assert ("insights" in printed) and all(f"c{n}" in printed for n in INSIGHTFUL)


def test_runs_and_what_is_stored_of_them(
    spark_tuner: Callable[..., str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = f"sqlite:///{tmp_path}/history.db"
    told = ""
    for night in range(3):
        job = JobToRun(
            "nightly", f"nightly/{night}/1", 1, Mode.AUTO, {}, str(tmp_path / "events"), most_seconds=PATIENT
        )
        turn: Turn = prepare(job, url)
        write_run(turn.conf)
        report: Report = complete(turn, url, failed=night == 1)
        assert report.run is not None
        told += "\n".join([*turn_lines(turn), *turn_details(turn), *report_lines(report), *report_details(report)])
        told += json.dumps(report.as_json())
    assert leaks(told + caplog.text) == []
    assert "measured" in told
    with Store.open(url) as store:
        assert [len(run.outcome.queries) for run in store.runs("nightly") if run.outcome] == [13, 13, 13]
    for form in ([], ["--json"], ["nightly"], ["nightly", "--json"]):
        assert leaks(spark_tuner("status", *form)) == []
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("history.db*"))
    assert b"SortMergeJoin" in stored
    assert leaks(stored) == []


def test_an_exported_baseline(spark_tuner: Callable[..., str], tmp_path: Path) -> None:
    """Of hints on all joins there are, which a person has pinned."""
    url = f"sqlite:///{tmp_path}/history.db"
    turn = prepare(
        JobToRun("nightly", "nightly/0/1", 1, Mode.AUTO, {}, str(tmp_path / "events"), most_seconds=PATIENT), url
    )
    write_run(turn.conf)
    ran = complete(turn, url, failed=False).run
    assert ran is not None and ran.outcome is not None
    # A join takes one strategy, by one of its sides: the other is named by its keys.
    sides = [
        (q.fingerprint, join.signature, hint, s.relations)
        for q in ran.outcome.queries
        for join in q.joins
        for hint, s in zip((Hint.BROADCAST, Hint.FILTER_BY_KEY), join.sides, strict=True)
    ]
    hints = {Action(ActionKind.HINT_JOIN, join, hint, query, names) for query, join, hint, names in sides if names}
    why = Reason(ReasonCode.RECORDED, {"said": "said"})
    changes = [Change.of("test", (hint,), (str(hint.query),), why, (), None) for hint in hints]
    proposed = tuple(DecidedChange(change, Standing.PROPOSED, why) for change in changes)
    with Store.open(url) as store:
        store.add_details(ran.key, RunDetails(outlook=Decision(Mode.AUTO, proposed)))
        for change in changes:
            store.record(Verdict("nightly", change.id, Ruling.PIN, "ana", datetime.now(UTC)))
    exported = spark_tuner("baseline", "export", "nightly")
    assert exported.count('"standing": "pinned"') > 10
    assert leaks(exported) == []


@pytest.fixture
def spark_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Spark whose jobs leave such a log."""
    program = tmp_path / "spark" / "bin" / "spark-submit"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)

    start = subprocess.Popen

    def run(command: list[str], **_: Any) -> subprocess.Popen[bytes]:
        pairs = itertools.pairwise(command)
        write_run(dict(value.split("=", 1) for flag, value in pairs if flag == "--conf"))
        return start([sys.executable, "-c", ""])

    monkeypatch.setattr("tuner.cli.commands.submit.subprocess.Popen", run)
    return program.parents[1]


@pytest.mark.processes
def test_submit(
    spark_tuner: Callable[..., str], spark_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home))
    sql = tmp_path / "job.sql"
    sql.write_text(f"SELECT * FROM t WHERE token = '{marker(0)}'; SELECT ( FROM '{marker(1)}' x;")
    printed = "".join(spark_tuner("submit", "--cohort", "nightly", "--", "app.py") for _ in range(2))
    printed += "".join(spark_tuner("submit", "--cohort", "sql", "--sql", sql) for _ in range(2))
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("history.db*"))
    assert printed.count("measured 13 queries") == 4
    assert leaks(printed) == [] and leaks(stored) == []


OPERATOR = """
import json, logging, os, runpy, sys, types
here = runpy.run_path(sys.argv[1])
logging.basicConfig(level=logging.DEBUG)
from airflow.providers.apache.spark.hooks import spark_submit
from airflow_plugin.operator import SparkTunedOperator

def popen(command, **kwargs):
    pairs = zip(command, command[1:])
    here["write_run"](dict(value.split("=", 1) for flag, value in pairs if flag == "--conf"))
    return types.SimpleNamespace(stdout=[], wait=lambda: 0, poll=lambda: 0)

spark_submit.subprocess.Popen = popen
for night in range(2):
    ti = types.SimpleNamespace(
        dag_id="sales", run_id=f"night-{night}", task_id="nightly", map_index=-1, try_number=1, stats_tags={},
        xcom_push=lambda key, value: print(key, json.dumps(value)),
    )
    SparkTunedOperator(task_id="nightly", application="/jobs/etl.py").execute({"ti": ti})
"""


@pytest.mark.airflow
def test_the_operators_log_and_xcom(tmp_path: Path) -> None:
    pytest.importorskip("airflow", reason="airflow is not installed: pip install airflow-spark-tuner[airflow]")
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE": str(tmp_path / "events"),
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"}),
        "SPARK_TUNER_DB": f"sqlite:///{tmp_path}/history.db",
    }
    command = [sys.executable, "-c", OPERATOR, str(Path(__file__))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("spark_tuner {") == 2
    assert leaks(done.stdout + done.stderr) == []
    assert leaks((tmp_path / "history.db").read_bytes()) == []
