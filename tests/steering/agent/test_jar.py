"""The agent's jar: what is in it, and that it is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import wait_until
from tuner.errors import RequirementError
from tuner.steering.agent import jar as jar_module
from tuner.steering.agent import sources, spark_environment
from tuner.steering.agent.build_ahead import build_ahead, log_of
from tuner.steering.agent.jar import AgentJarError, agent_jar, build, jar_of
from tuner.steering.agent.route import Route
from tuner.steering.agent.spark_home import require_spark_in
from tuner.steering.agent.submission import Submission

from .conftest import other_sparks, pip_spark

pytestmark = pytest.mark.processes

Environment = Callable[[str], dict[str, str]]

# What Build does: classes below the directory that follows its name.
COMPILES = """
while [ "$1" != tuner.steering.agent.build.Build ]; do shift; done
mkdir -p "$2/tuner/steering/agent"
echo classes > "$2/tuner/steering/agent/Extensions.class"
echo built >> "$JAVA_HOME/../builds"
"""


def test_classes_and_resources(spark_home: Path, environment: Environment) -> None:
    jar = agent_jar(require_spark_in(spark_home), environ := environment(COMPILES))
    assert jar.parent == Path(environ["XDG_DATA_HOME"], "spark-tuner", "agent")
    with zipfile.ZipFile(jar) as archive:
        assert archive.namelist()[0] == "META-INF/MANIFEST.MF"
        assert archive.read("tuner/steering/agent/Extensions.class") == b"classes\n"
        provider = archive.read("META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider")
        assert provider.decode().strip() == sources.EXTENSIONS_CLASS
        rules = json.loads(archive.read("tuner/steering/agent/path_rules.json"))
        assert set(rules) == {"at", "jdbc", "rules", "tables"}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_it_is_built_once(spark_home: Path, environment: Environment, tmp_path: Path) -> None:
    environ = environment(COMPILES)
    assert agent_jar(require_spark_in(spark_home), environ) == agent_jar(require_spark_in(spark_home), environ)
    assert (tmp_path / "builds").read_text() == "built\n"


def test_it_is_built_beside_a_job_that_does_not_wait_for_it(
    spark_home: Path, environment: Environment, tmp_path: Path
) -> None:
    environ, spark = environment(COMPILES), require_spark_in(spark_home)
    for _ in range(3):
        build_ahead(Route(Submission(spark)), environ)
    wait_until(jar_of(spark, environ).is_file)
    wait_until(lambda: "sha256" in log_of(jar_of(spark, environ)).read_text())
    build_ahead(Route(Submission(spark)), environ)
    assert (tmp_path / "builds").read_text() == "built\n"


def test_why_it_could_not_be_built_is_kept(spark_home: Path, environment: Environment) -> None:
    environ, spark = environment("echo no compiler here >&2; exit 1"), require_spark_in(spark_home)
    build_ahead(Route(Submission(spark)), environ)
    wait_until(lambda: "no compiler here" in log_of(jar_of(spark, environ)).read_text())


def test_what_is_deployed_is_not_built(spark_home: Path, environment: Environment) -> None:
    environ, spark = environment(COMPILES), require_spark_in(spark_home)
    build_ahead(Route(Submission(spark, agent_jar="hdfs:///agent.jar")), environ)
    assert not log_of(jar_of(spark, environ)).exists()


def test_anew_for_another_spark_and_for_other_sources(
    spark_home: Path, environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, spark = environment(COMPILES), require_spark_in(spark_home)
    first = agent_jar(spark, environ)
    (spark_home / "jars" / "spark-core_2.13-4.3.0.jar").rename(spark_home / "jars" / "spark-core_2.13-4.3.1.jar")
    second = agent_jar(require_spark_in(spark_home), environ)
    monkeypatch.setattr(sources, "path_rules_json", lambda: "{}")
    third = agent_jar(spark, environ)
    assert len({first, second, third}) == 3


def test_the_same_bytes_every_time(spark_home: Path, environment: Environment, tmp_path: Path) -> None:
    environ, spark = environment(COMPILES), require_spark_in(spark_home)
    for name in ("one.jar", "two.jar"):
        build(spark, tmp_path / name, environ)
    assert (tmp_path / "one.jar").read_bytes() == (tmp_path / "two.jar").read_bytes()


def test_several_may_build_it_at_once(spark_home: Path, environment: Environment) -> None:
    environ, spark = environment(COMPILES), require_spark_in(spark_home)
    with ThreadPoolExecutor(4) as pool:
        jars = set(pool.map(lambda _: agent_jar(spark, environ), range(4)))
    (jar,) = jars
    assert zipfile.ZipFile(jar).testzip() is None
    assert list(jar.parent.iterdir()) == [jar]


@pytest.mark.parametrize(
    ("java", "said"),
    [
        ("echo 'File Hints.java, Line 7: no such method' >&2; exit 2", "File Hints.java, Line 7: no such method"),
        ("exit 3", "exit code 3"),
        ("sleep 5", "not done after 0.2 s"),
    ],
)
def test_what_cannot_be_compiled_is_said_and_leaves_nothing(
    spark_home: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch, java: str, said: str
) -> None:
    monkeypatch.setattr(jar_module, "BUILD_SECONDS", 0.2 if "sleep" in java else 60)
    environ = environment(java)
    with pytest.raises(AgentJarError) as caught:
        agent_jar(require_spark_in(spark_home), environ)
    assert said in str(caught.value) and str(spark_home) in str(caught.value)
    assert not list(Path(environ["XDG_DATA_HOME"]).rglob("*.jar"))


def test_no_place_for_it(spark_home: Path, environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(AgentJarError, match="make that place writable"):
        agent_jar(require_spark_in(spark_home), environment(COMPILES))


@pytest.mark.parametrize(
    ("environ", "said"),
    [({"JAVA_HOME": "/nowhere"}, "JAVA_HOME=/nowhere: no bin/java"), ({"PATH": "/nowhere"}, "no java on PATH")],
)
def test_no_java(spark_home: Path, tmp_path: Path, environ: Mapping[str, str], said: str) -> None:
    with pytest.raises(RequirementError, match=said):
        agent_jar(require_spark_in(spark_home), {**environ, "XDG_DATA_HOME": str(tmp_path)})


def test_spark_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.2.4.jar").touch()
    with pytest.raises(AgentJarError, match=r"Spark 3\.2\.4; the agent needs 3\.3 or newer"):
        agent_jar(require_spark_in(tmp_path), {"XDG_DATA_HOME": str(tmp_path)})


@pytest.mark.parametrize("by_file", [False, True])
def test_java_and_hadoop_are_those_that_spark_starts_with(
    spark_home: Path, environment: Environment, tmp_path: Path, by_file: bool
) -> None:
    environ = environment(f'echo "$@" > {tmp_path}/told\n{COMPILES}')
    own = {"JAVA_HOME": environ["JAVA_HOME"], "SPARK_DIST_CLASSPATH": "/opt/hadoop/etc:/opt/hadoop/lib/*"}
    if by_file:
        shutil.copytree(pip_spark() / "bin", spark_home / "bin")
        (spark_home / "conf").mkdir()
        said = [f"{name}='{value}'" for name, value in own.items()]
        (spark_home / "conf" / "spark-env.sh").write_text("\n".join(["echo hello", *said]))
        del environ["JAVA_HOME"]
    else:
        environ |= own
    agent_jar(require_spark_in(spark_home), environ)
    assert f"-cp {spark_home}/jars/*:/opt/hadoop/etc:/opt/hadoop/lib/* org" in (tmp_path / "told").read_text()


@pytest.mark.parametrize("said", ["exit 0", "exit 1", "exec sleep 9", "SPARK_HOME=/nowhere"])
def test_a_file_for_sparks_environment_that_fails_changes_nothing(
    spark_home: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(spark_environment, "_SECONDS", 1)
    shutil.copytree(pip_spark() / "bin", spark_home / "bin")
    (spark_home / "conf").mkdir()
    (spark_home / "conf" / "spark-env.sh").write_text(said)
    assert agent_jar(require_spark_in(spark_home), environment(COMPILES)).is_file()


@pytest.mark.spark
def test_a_spark_without_hadoop_compiles_it(tmp_path: Path) -> None:
    spark, hadoop = tmp_path / "jars", tmp_path / "hadoop"
    for directory in (spark, hadoop):
        directory.mkdir()
    for jar in pip_spark().glob("jars/*.jar"):
        is_hadoops = jar.name.startswith(("hadoop-client-", "slf4j-api"))
        ((hadoop if is_hadoops else spark) / jar.name).symlink_to(jar)
    build(require_spark_in(tmp_path), tmp_path / "agent.jar", {**os.environ, "SPARK_DIST_CLASSPATH": f"{hadoop}/*"})
    assert zipfile.ZipFile(tmp_path / "agent.jar").testzip() is None


@pytest.mark.spark
@pytest.mark.parametrize("home", [pip_spark(), *other_sparks()], ids=lambda home: home.name)
def test_spark_compiles_it(home: Path, tmp_path: Path, jar_for: Callable[[Path], Path]) -> None:
    jar = jar_for(home)
    with zipfile.ZipFile(jar) as archive:
        compiled = {
            name.removeprefix("tuner/steering/agent/") for name in archive.namelist() if name.endswith(".class")
        }
    assert {f"{name}.class" for name in sources.SOURCES} <= compiled
    again = tmp_path / "again.jar"
    build(require_spark_in(home), again)
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(jar.read_bytes()).digest()


def test_every_source_is_in_the_order_of_compilation() -> None:
    files = {file.stem for file in sources.DIRECTORY.glob("*.java")}
    assert files == {sources.BUILD, *sources.SOURCES}


@pytest.mark.skipif(shutil.which("uv") is None, reason="builds a wheel with uv")
def test_the_wheel_has_the_sources(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    subprocess.run(
        ["uv", "build", "--wheel", "--out-dir", str(tmp_path), str(root)], check=True, capture_output=True, timeout=300
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"tuner/steering/agent/java/{name}.java" for name in (sources.BUILD, *sources.SOURCES)} <= names
