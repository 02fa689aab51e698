"""What is added to a submit: nothing of the user's is lost, and the directives arrive."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tuner.steering.agent import handover
from tuner.steering.agent.handover import HandoverError, hand_over
from tuner.steering.agent.jar import jar_of
from tuner.steering.agent.route import Route
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import MAX_CONF_CHARACTERS, MOST_CARRIED_CHARACTERS, Submission

TEXT = '{"version":3,"queries":[]}'
AGENT = "tuner.steering.agent.Extensions"
CLUSTER = {"spark.submit.deployMode": "cluster"}
K8S = {"spark.master": "k8s://https://k", **CLUSTER}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(tmp_path)}


def route(conf: dict[str, str] | None = None, agent_jar: str = "hdfs:///agent.jar") -> Route:
    return Route(Submission(SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13"), conf or {}, agent_jar))


def test_a_submit_without_anything_of_its_own(environ: dict[str, str]) -> None:
    found = hand_over(route(), TEXT, environ)
    assert found.conf == {"spark.tuner.directives": TEXT}
    assert found.merged == {"spark.jars": "hdfs:///agent.jar", "spark.sql.extensions": AGENT}


@pytest.mark.parametrize(
    ("own", "merged"),
    [
        ("", "hdfs:///agent.jar"),
        ("/a.jar", "/a.jar,hdfs:///agent.jar"),
        ("/a.jar, s3a://b/b.jar ,", "/a.jar,s3a://b/b.jar,hdfs:///agent.jar"),
        ("/lib/*.jar", "/lib/*.jar,hdfs:///agent.jar"),
        ("hdfs:///agent.jar,/a.jar", "hdfs:///agent.jar,/a.jar"),
    ],
)
def test_the_users_jars_stay(environ: dict[str, str], own: str, merged: str) -> None:
    assert hand_over(route({"spark.jars": own}), TEXT, environ).merged["spark.jars"] == merged


@pytest.mark.parametrize(
    ("own", "merged"),
    [
        ("io.delta.sql.DeltaSparkSessionExtension", f"io.delta.sql.DeltaSparkSessionExtension,{AGENT}"),
        ("a.A, b.B", f"a.A,b.B,{AGENT}"),
        (AGENT, AGENT),
    ],
)
def test_the_users_extensions_stay_and_come_first(environ: dict[str, str], own: str, merged: str) -> None:
    assert hand_over(route({"spark.sql.extensions": own}), TEXT, environ).merged["spark.sql.extensions"] == merged


@pytest.mark.parametrize("platform", ["Livy", ""])
def test_extensions_of_a_service_that_nobody_sees_are_not_replaced(platform: str, environ: dict[str, str]) -> None:
    there = Submission(None, {}, "hdfs:///agent.jar", platform)
    assert hand_over(Route(there), TEXT, environ).merged == {"spark.jars": "hdfs:///agent.jar"}
    named = replace(there, conf={"spark.sql.extensions": "a.A"})
    assert hand_over(Route(named), TEXT, environ).merged["spark.sql.extensions"] == f"a.A,{AGENT}"


def test_where_a_session_is_made_past_the_jar_the_extension_is_named_beside_the_services_own(
    environ: dict[str, str],
) -> None:
    there = Submission(None, {}, "hdfs:///agent.jar", "Livy")
    assert hand_over(Route(there, beside="a.A,b.B"), TEXT, environ).merged["spark.sql.extensions"] == f"a.A,b.B,{AGENT}"
    assert hand_over(Route(there, beside=""), TEXT, environ).merged["spark.sql.extensions"] == AGENT
    own = replace(there, conf={"spark.sql.extensions": "c.C"})
    assert hand_over(Route(own, beside="a.A"), TEXT, environ).merged["spark.sql.extensions"] == f"c.C,{AGENT}"


def test_credentials_among_files_of_a_properties_file_do_not_come_to_the_command_line(environ: dict[str, str]) -> None:
    value = "/a.ini,https://svc:hunter2@nexus.internal/b.ini"
    conf = {"spark.submit.deployMode": "cluster", "spark.master": "yarn", "spark.files": value}
    with pytest.raises(HandoverError, match=r"spark\.files names credentials") as refused:
        hand_over(route(conf), LONG, environ)
    assert "hunter2" not in str(refused.value)
    assert "spark.files" not in hand_over(route(conf), TEXT, environ).merged


def test_the_jar_at_hand_is_shipped_where_none_is_deployed(environ: dict[str, str]) -> None:
    without = route({"spark.jars": "/a.jar"}, agent_jar="")
    with pytest.raises(
        handover.HandoverError, match=r"jar for Spark 4.0.1 is not built yet: .*-4.0.1_2.13-\w+\.log"
    ) as why:
        hand_over(without, TEXT, environ)
    assert "has a disk of its own (a pod, a container), build it into the image (`spark-tuner agent-jar -o" in str(
        why.value
    )
    jar = jar_of(SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13"), environ)
    jar.parent.mkdir(parents=True)
    jar.touch()
    assert hand_over(without, TEXT, environ).merged["spark.jars"] == f"/a.jar,{jar}"


LONG = '{"version":3,"queries":"' + "x" * MAX_CONF_CHARACTERS + '"}'
# Short enough for a property, and too long to go with every task.
CARRIED = '{"version":3,"queries":"' + "x" * MOST_CARRIED_CHARACTERS + '"}'
SECRET = '{"relations":["db.access_tokens"]}'


@pytest.mark.parametrize("text", [LONG, SECRET, '{"relations":["db.credentials"]}', '{"relations":["/vault/Secret"]}'])
def test_what_is_long_or_would_be_blotted_out_goes_by_file(environ: dict[str, str], text: str) -> None:
    found = hand_over(route(), text, environ)
    (file,) = found.conf.values()
    assert list(found.conf) == ["spark.tuner.directives.file"]
    assert Path(file).read_text() == text
    assert "spark.files" not in found.merged


def test_what_each_task_would_carry_goes_by_file_where_one_gets_there(environ: dict[str, str]) -> None:
    assert list(hand_over(route(), CARRIED, environ).conf) == ["spark.tuner.directives.file"]
    assert list(hand_over(route({"spark.master": "yarn", **CLUSTER}), CARRIED, environ).conf) == [
        "spark.tuner.directives.file"
    ]
    assert hand_over(route(K8S), CARRIED, environ).conf == {"spark.tuner.directives": CARRIED}


def test_what_a_property_takes_goes_by_it_where_there_is_no_place_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "spark-tuner").write_text("a file")
    assert hand_over(route(), CARRIED, {"XDG_DATA_HOME": str(tmp_path)}).conf == {"spark.tuner.directives": CARRIED}


def test_the_users_own_pattern_of_secrets_counts(environ: dict[str, str]) -> None:
    conf = {"spark.redaction.regex": "(?i)patients"}
    assert "spark.tuner.directives" in hand_over(route(conf), '["db.dates"]', environ).conf
    assert "spark.tuner.directives.file" in hand_over(route(conf), '["db.patients"]', environ).conf
    unreadable = {"spark.redaction.regex": r"\p{Alpha}++"}
    assert "spark.tuner.directives.file" in hand_over(route(unreadable), '["db.dates"]', environ).conf


@pytest.mark.parametrize(
    "conf", [{"spark.master": "yarn", **CLUSTER}, {**K8S, "spark.kubernetes.file.upload.path": "s3a://uploads"}]
)
def test_in_cluster_mode_the_file_is_shipped_beside_the_users(environ: dict[str, str], conf: dict[str, str]) -> None:
    found = hand_over(route({**conf, "spark.files": "/etc/app.ini, /etc/log.ini"}), LONG, environ)
    name = found.conf["spark.tuner.directives.file"]
    assert "/" not in name
    *own, shipped = found.merged["spark.files"].split(",")
    assert own == ["/etc/app.ini", "/etc/log.ini"]
    assert Path(shipped).name == name and Path(shipped).read_text() == LONG


@pytest.mark.parametrize(("text", "why"), [(LONG, "are 300"), (SECRET, "name something that Spark blots out")])
def test_where_no_file_reaches_the_driver(environ: dict[str, str], text: str, why: str) -> None:
    with pytest.raises(
        HandoverError, match=f"the directives {why}.* no file of this machine reaches a driver on Kubernetes"
    ):
        hand_over(route(K8S), text, environ)
    assert "spark.tuner.directives" in hand_over(route(K8S), TEXT, environ).conf


def test_where_driver_and_this_machine_share_a_place_the_file_is_put_there(environ: dict[str, str]) -> None:
    shared: list[str] = []

    def share(text: str) -> str:
        shared.append(text)
        return "s3a://logs/e/1/.directives.json"

    platform = Submission(None, {"spark.files": "s3a://b/app.ini"}, "s3a://agent.jar", "EMR", None, most_characters=10)
    found = hand_over(Route(platform, share), TEXT, environ)
    assert shared == [TEXT]
    assert found.conf == {"spark.tuner.directives.file": ".directives.json"}
    assert found.merged["spark.files"] == "s3a://b/app.ini,s3a://logs/e/1/.directives.json"


def test_a_list_that_would_be_too_long_is_not_sent(environ: dict[str, str]) -> None:
    platform = Submission(None, {"spark.jars": "s3a://b/own.jar"}, "s3a://agent.jar", "EMR")
    most = {"spark.jars": len("s3a://b/own.jar,s3a://agent.jar")}
    assert hand_over(Route(replace(platform, most_in_lists=most)), TEXT, environ).merged["spark.jars"]
    with pytest.raises(HandoverError, match="spark.jars would have 31 characters, and takes 30 at most"):
        hand_over(Route(replace(platform, most_in_lists={"spark.jars": 30})), TEXT, environ)


def test_files_of_long_ago_are_removed(environ: dict[str, str]) -> None:
    (first,) = hand_over(route(), LONG, environ).conf.values()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(first, (long_ago, long_ago))
    (second,) = hand_over(route(), SECRET, environ).conf.values()
    assert list(Path(second).parent.iterdir()) == [Path(second)]


def test_the_same_directives_are_one_file(environ: dict[str, str]) -> None:
    assert hand_over(route(), LONG, environ) == hand_over(route(), LONG, environ)


def test_no_place_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "spark-tuner").write_text("a file")
    with pytest.raises(HandoverError, match="make that place writable"):
        hand_over(route(), LONG, {"XDG_DATA_HOME": str(tmp_path)})


def test_where_no_files_are_brought_there_are_none_in_the_submit(environ: dict[str, str]) -> None:
    there = Submission(None, {}, "local:///agent.jar", "Databricks", brings_files=False)
    found = hand_over(Route(there), TEXT, environ)
    assert (found.conf, found.merged) == ({"spark.tuner.directives": TEXT}, {"spark.sql.extensions": AGENT})
    with pytest.raises(HandoverError, match="no file of this machine reaches a driver on Databricks"):
        hand_over(Route(there, lambda _: pytest.fail("a file is shared")), LONG, environ)


def test_by_a_commands_environment_nothing_of_the_users_is_merged(environ: dict[str, str]) -> None:
    by = Submission(None, {"spark.jars": "/a.jar"}, "local:///agent.jar", "SSH", by_environment=True)
    found = hand_over(Route(by), TEXT, environ)
    assert found.merged == {"spark.jars": "local:///agent.jar", "spark.sql.extensions": AGENT}
    with pytest.raises(HandoverError, match="no file of this machine reaches a driver on SSH"):
        hand_over(Route(replace(by, most_characters=10), lambda _: "s3a://b/file"), TEXT, environ)
