"""Whether the agent can steer a run: which jar reaches which driver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.steering.agent.handover import hand_over
from tuner.steering.agent.jar_template import filled
from tuner.steering.agent.route import NoRoute, Route, agent_route, fetched_jar
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission, submission

SPARK = SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13")
CLUSTER = {"spark.submit.deployMode": "cluster"}
UPLOAD = {"spark.kubernetes.file.upload.path": "s3a://uploads"}


def submitted(
    master: str = "local[2]", conf: dict[str, str] | None = None, spark: SparkAtHand | None = SPARK, agent_jar: str = ""
) -> Submission:
    return Submission(spark, {"spark.master": master, **(conf or {})}, agent_jar)


def why_not(found: Submission, ran: str = "4.0.1") -> str:
    route = agent_route(found, ran)
    return route.why if isinstance(route, NoRoute) else ""


@pytest.mark.parametrize(
    ("master", "conf", "deployed", "reaches"),
    [
        ("local[2]", {}, "", True),
        ("yarn", {}, "", True),
        ("yarn", {"spark.submit.deployMode": "client"}, "", True),
        ("spark://m:7077", {}, "", True),
        ("k8s://https://k", {}, "", True),
        ("yarn", CLUSTER, "", True),
        ("spark://m:7077", CLUSTER, "", False),
        ("mesos://m:5050", CLUSTER, "", False),
        ("k8s://https://k", CLUSTER, "", False),
        ("k8s://https://k", CLUSTER | UPLOAD, "", True),
        ("spark://m:7077", CLUSTER, "hdfs:///agent.jar", True),
        ("spark://m:7077", CLUSTER, "/opt/agent.jar", True),  # on every worker, says who set it
        ("k8s://https://k", CLUSTER, "local:///opt/agent.jar", True),
        ("k8s://https://k", CLUSTER, "/opt/agent.jar", False),
        ("k8s://https://k", CLUSTER, "file:///opt/agent.jar", False),
        ("k8s://https://k", CLUSTER | UPLOAD, "/opt/agent.jar", True),
    ],
)
def test_where_a_jar_reaches_the_driver(master: str, conf: dict[str, str], deployed: str, reaches: bool) -> None:
    assert bool(why_not(submitted(master, conf, agent_jar=deployed))) is not reaches


@pytest.mark.parametrize(
    "jars", ["https://svc:hunter2@nexus.internal/udf.jar", "/a.jar,https://n.internal/b.jar?token=hunter2"]
)
def test_a_list_of_jars_with_credentials_does_not_come_to_the_command_line(jars: str) -> None:
    why = why_not(submitted("yarn", {"spark.jars": jars}))
    assert why.startswith("spark.jars names credentials") and "hunter2" not in why
    assert not why_not(submitted("yarn", {"spark.jars": "https://nexus.internal/udf.jar,s3a://b/c.jar,/lib/*.jar"}))


def test_what_to_do_where_it_does_not() -> None:
    why = why_not(submitted("spark://m:7077", CLUSTER))
    assert why.startswith("deploy mode is cluster on a standalone cluster, and no jar of this machine is brought")
    assert "`spark-tuner agent-jar`" in why and "set agent_jar" in why
    assert "on Kubernetes" in why_not(submitted("k8s://https://k", CLUSTER))


@pytest.mark.parametrize("version", ["3.2.4", "3.0.3", "2.4.8"])
def test_spark_is_too_old(version: str) -> None:
    old = SparkAtHand(Path("/opt/spark"), version, "2.12")
    assert "is older than 3.3" in why_not(submitted(spark=old), "")
    assert "is older than 3.3" in why_not(submitted(spark=old, agent_jar="hdfs:///agent.jar"), "")


def test_no_spark_at_hand() -> None:
    assert "no Spark was found" in why_not(submitted(spark=None))
    deployed = submitted(spark=None, agent_jar="hdfs:///agent.jar")
    assert isinstance(agent_route(deployed, ""), Route)
    assert "is older than 3.3" in why_not(deployed, "3.2.4")


def test_the_clusters_spark_may_be_another() -> None:
    assert "latest run had Spark 3.5.1, the one at hand is 4.0.1" in why_not(submitted("yarn", CLUSTER), "3.5.1")
    assert not why_not(submitted("yarn", CLUSTER, agent_jar="hdfs:///agent.jar"), "3.5.1")
    assert not why_not(submitted("yarn", CLUSTER), "")
    assert not why_not(submitted("yarn"), "3.5.1")  # Spark was upgraded: the driver is the one at hand


def test_spark_connect_plans_elsewhere() -> None:
    assert "Spark Connect" in why_not(submitted(conf={"spark.remote": "sc://host"}))


def home(root: Path) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "spark-submit").touch()
    (root / "bin" / "spark-submit").chmod(0o755)
    (root / "jars").mkdir()
    (root / "jars" / "spark-core_2.13-4.0.1.jar").touch()
    return root


@pytest.mark.parametrize(
    ("given", "defaults", "environ", "with_defaults", "jars"),
    [
        ({}, "", {}, True, None),
        ({}, "spark.jars /d.jar", {}, True, "/d.jar"),
        ({}, "spark.jars /d.jar", {}, False, None),
        ({"spark.jars": "/c.jar"}, "spark.jars /d.jar", {}, True, "/c.jar"),
    ],
)
def test_properties_over_defaults(
    tmp_path: Path,
    given: dict[str, str],
    defaults: str,
    environ: dict[str, str],
    with_defaults: bool,
    jars: str | None,
) -> None:
    spark = home(tmp_path)
    (spark / "conf").mkdir()
    (spark / "conf" / "spark-defaults.conf").write_text(defaults)
    program = str(spark / "bin" / "spark-submit")
    found = submission(program, given, environ=environ, with_defaults=with_defaults)
    assert found.spark is not None and found.spark.version == "4.0.1"
    assert found.conf.get("spark.jars") == jars


def test_variables_are_the_least(tmp_path: Path) -> None:
    program = str(home(tmp_path) / "bin" / "spark-submit")
    environ = {"MASTER": "yarn", "DEPLOY_MODE": "cluster"}
    assert submission(program, {}, environ=environ).in_cluster_mode
    assert not submission(program, {"spark.submit.deployMode": "client"}, environ=environ).in_cluster_mode


def test_properties_of_the_environment_are_below_the_defaults(tmp_path: Path) -> None:
    spark = home(tmp_path)
    (spark / "conf").mkdir()
    (spark / "conf" / "spark-defaults.conf").write_text("spark.jars /d.jar")
    options = "-Dspark.sql.extensions=delta.Ext -Dspark.jars=/o.jar -Dspark.files=/o.txt -Dspark.master=yarn -Xmx1g"
    environ = {"SPARK_SUBMIT_OPTS": options}
    found = submission(str(spark / "bin" / "spark-submit"), {"spark.files": "/c.txt"}, environ=environ)
    assert found.conf == {"spark.sql.extensions": "delta.Ext", "spark.jars": "/d.jar", "spark.files": "/c.txt"}


def test_extensions_of_the_environment_stay_beside_the_agents(tmp_path: Path) -> None:
    environ = {"SPARK_SUBMIT_OPTS": "-Dspark.sql.extensions=delta.Ext"}
    found = submission(str(home(tmp_path) / "bin" / "spark-submit"), {}, environ=environ, agent_jar="hdfs:///agent.jar")
    route = agent_route(found)
    assert isinstance(route, Route)
    assert hand_over(route, "{}").merged["spark.sql.extensions"] == f"delta.Ext,{EXTENSIONS_CLASS}"


def on_a_platform(agent_jar: str) -> Submission:
    return Submission(None, {}, agent_jar, "EMR Serverless", frozenset({"s3"}))


def test_a_platform_takes_a_deployed_jar_once_a_run_has_told_its_spark() -> None:
    assert why_not(on_a_platform("s3://jars/agent.jar"), "3.5.1-amzn-1") == ""
    assert why_not(on_a_platform("s3://jars/agent.jar"), "") == "no run of this job has told yet which Spark it has"
    assert "is brought to a driver on EMR Serverless" in why_not(on_a_platform(""), "3.5.1")
    assert "which EMR Serverless does not have" in why_not(on_a_platform("/opt/agent.jar"), "3.5.1")


@pytest.mark.parametrize(
    ("ran", "expected"),
    [
        ("3.5.1-amzn-1", "s3://jars/agent-3.5-2.12.jar"),
        ("4.0.1", "s3://jars/agent-4.0-2.13.jar"),
        ("4.1.0-preview2", "s3://jars/agent-4.1-2.13.jar"),
    ],
)
def test_a_template_is_filled_with_the_spark_of_the_last_run(ran: str, expected: str) -> None:
    route = agent_route(on_a_platform("s3://jars/agent-{spark_minor}-{scala}.jar"), ran)
    assert isinstance(route, Route)
    assert route.submission.agent_jar == expected


def test_a_template_is_filled_with_the_spark_at_hand_in_client_mode() -> None:
    route = agent_route(submitted(agent_jar="hdfs:///agent-{spark}.jar"), "3.5.1")
    assert isinstance(route, Route)
    assert route.submission.agent_jar == "hdfs:///agent-4.0.1.jar"


@pytest.mark.parametrize("ran", ["", "unknown"])
def test_a_template_waits_for_a_run_that_tells_its_spark(ran: str) -> None:
    assert why_not(submitted("yarn", CLUSTER, spark=None, agent_jar="hdfs:///agent-{spark_minor}.jar"), ran)


@pytest.mark.parametrize(
    ("found", "jar"),
    [
        (submitted("yarn", CLUSTER, agent_jar="s3://jars/agent.jar"), "s3://jars/agent.jar"),
        (submitted(agent_jar="https://user:pass@jars/agent-{spark}.jar"), "https://jars/agent-4.0.1.jar"),
        (submitted("yarn", CLUSTER, agent_jar="/jars/agent.jar"), "/jars/agent.jar"),
        (submitted(agent_jar="/jars/agent.jar"), ""),
        (submitted("yarn", CLUSTER, agent_jar="local:///jars/agent.jar"), ""),
        (submitted(), ""),
        (replace(submitted(agent_jar="s3://jars/agent.jar"), by_environment=True, takes_class_path=True), ""),
    ],
)
def test_without_which_jar_spark_does_not_start(found: Submission, jar: str) -> None:
    """In client mode spark-submit passes over a path that is not there."""
    assert fetched_jar(found, "4.0.1") == jar


def test_braces_of_others_are_left_alone() -> None:
    assert filled("s3://jars/{team}/agent.jar", "") == "s3://jars/{team}/agent.jar"
    assert filled("s3://jars/{team}/agent-{spark}.jar", "4.0.1") == "s3://jars/{team}/agent-4.0.1.jar"


@pytest.mark.parametrize(
    ("agent_jar", "why"),
    [
        ("dbfs:/jars/agent.jar", "Databricks loads jars after Spark has started"),
        ("/jars/agent.jar", "Databricks loads jars after Spark has started"),
        ("", "no jar of this machine is brought to a driver on Databricks"),
        ("local:///databricks/jars/agent.jar", ""),
    ],
)
def test_where_jars_come_too_late_it_is_there_before_or_not_at_all(agent_jar: str, why: str) -> None:
    found = why_not(Submission(None, {}, agent_jar, "Databricks", brings_files=False))
    assert found.startswith(why) and bool(found) is bool(why)


@pytest.mark.parametrize(
    ("platform", "by_class_path", "conf", "deployed", "why"),
    [
        ("", True, {}, "", ""),
        ("", True, {}, "/opt/agent.jar", ""),
        ("", True, {"spark.sql.extensions": "a.A"}, "", ""),
        ("", True, {"spark.remote": "sc://h"}, "", "spark.remote is set"),
        ("", True, CLUSTER, "", "no jar gets to the driver on YARN by a command's environment"),
        ("", False, {}, "/opt/agent.jar", "no jar gets to the driver on YARN"),
        ("", False, {}, "local:///opt/agent.jar", ""),
        ("the pod", False, {}, "local:///opt/agent.jar", ""),
        ("the pod", False, {}, "s3a://b/agent.jar", "no jar gets to the driver on the pod"),
    ],
)
def test_where_a_jar_gets_by_a_commands_environment(
    platform: str, by_class_path: bool, conf: dict[str, str], deployed: str, why: str
) -> None:
    found = Submission(
        None if platform else SPARK,
        {"spark.master": "yarn", **conf},
        deployed,
        platform,
        by_environment=True,
        takes_class_path=by_class_path,
    )
    assert why in why_not(found) and bool(why) is bool(why_not(found))
