"""Where a run's event log goes: where the user has it, else where nothing can keep his job from starting."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from upath import UPath

from tuner.loop import event_log_place as place_module
from tuner.loop.event_log_place import EventLogPlace, event_log_place, own_directory
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission
from tuner.steering.hadoop_scheme import has_file_system
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED

ENABLED = {EVENT_LOG_ENABLED: "true"}
CLUSTER = {"spark.submit.deployMode": "cluster"}


@pytest.fixture
def job(tmp_path: Path) -> JobToRun:
    return JobToRun("etl.load", "etl/1/1", 1, Mode.AUTO, event_log_base=str(tmp_path / "events"))


@pytest.fixture
def spark(tmp_path: Path) -> SparkAtHand:
    """A Spark with Hadoop's client and nothing else among its jars."""
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "hadoop-client-api-3.5.0.jar").touch()
    return SparkAtHand(tmp_path / "spark", "4.3.0", "2.13")


@pytest.fixture
def bucket() -> Iterator[UPath]:
    root = UPath("memory://bucket")
    root.mkdir(parents=True)
    yield root
    root.fs.rm("/bucket", recursive=True)


def place(job: JobToRun, conf: Mapping[str, str], defaults: Mapping[str, str] | None = None) -> EventLogPlace:
    """Of a job whose conf the user set, and whose Spark has such a spark-defaults.conf."""
    return event_log_place(replace(job, user_conf=conf, submission=Submission(conf={**(defaults or {}), **conf})))


# --- The user has his log on ---


@pytest.mark.parametrize("where", ["conf", "defaults", "both"])
def test_it_stays_where_the_user_has_it(job: JobToRun, tmp_path: Path, where: str) -> None:
    own = {**ENABLED, EVENT_LOG_DIR: str(tmp_path)}
    conf, defaults = {
        "conf": (own, {}),
        "defaults": ({}, own),
        "both": ({EVENT_LOG_DIR: str(tmp_path)}, {**own, EVENT_LOG_DIR: "/elsewhere"}),
    }[where]
    assert place(job, conf, defaults) == EventLogPlace(tmp_path.as_uri(), {})


def test_its_directory_is_for_spark_to_miss(job: JobToRun, tmp_path: Path) -> None:
    own = tmp_path / "not made"
    assert place(job, {**ENABLED, EVENT_LOG_DIR: str(own)}) == EventLogPlace(own.as_uri(), {})
    assert not own.exists()


def test_without_a_directory_it_is_where_spark_has_it(job: JobToRun) -> None:
    assert place(job, ENABLED).directory == "file:///tmp/spark-events"


@pytest.mark.parametrize("own", ["nosuch://namenode/logs", "nosuch:/logs", "${env:LOGS}/spark"])
def test_what_cannot_be_read_from_here_is_left_to_him(job: JobToRun, own: str) -> None:
    found = place(job, {**ENABLED, EVENT_LOG_DIR: own})
    assert (found.directory, found.conf) == ("", {})
    assert found.why.startswith(
        f"the event log goes to spark.eventLog.dir={own}, which cannot be read from this machine ("
    )


def test_a_path_that_only_the_drivers_machine_has_cannot_be_read(job: JobToRun, tmp_path: Path) -> None:
    own = {**ENABLED, **CLUSTER, EVENT_LOG_DIR: str(tmp_path / "shared")}
    assert "there is no such directory here" in place(job, own).why
    (tmp_path / "shared").mkdir()
    assert place(job, own) == EventLogPlace((tmp_path / "shared").as_uri(), {})


def test_a_bucket_of_his_is_read(job: JobToRun, bucket: UPath) -> None:
    own = {**ENABLED, EVENT_LOG_DIR: "memory://bucket"}
    assert place(job, own) == EventLogPlace("memory://bucket", {})


def test_a_log_that_he_switched_off_stays_off(job: JobToRun) -> None:
    found = place(job, {EVENT_LOG_ENABLED: " False"}, ENABLED)
    assert found == EventLogPlace(why="the job sets spark.eventLog.enabled=false, nothing can be measured")


# --- The user named a directory, and has no log ---


def test_a_directory_of_his_that_will_do_is_used(job: JobToRun, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    for own in (tmp_path, tmp_path / "link"):
        assert place(job, {EVENT_LOG_DIR: str(own)}) == EventLogPlace(own.as_uri(), ENABLED)
    assert [entry.name for entry in tmp_path.iterdir()] == ["link"]


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ("missing", "No such file or directory"),
        ("file", "Not a directory"),
        ("link", "No such file or directory"),
        ("/proc", "No such file or directory"),
        ("nosuch://bucket/logs", "install the fsspec package for nosuch"),
        ("memory://bucket/missing", "no such directory"),
        ("memory:/", "the URL names no bucket or host"),
    ],
)
def test_one_that_will_not_do_is_not_turned_on(
    job: JobToRun, tmp_path: Path, bucket: UPath, own: str, why: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    given = own if ":" in own else str(tmp_path / own)
    found = place(job, {EVENT_LOG_DIR: given})
    assert (found.directory, found.conf) == ("", {})
    assert found.why.startswith(f"no event log can be had in spark.eventLog.dir={given} (")
    assert why in found.why
    assert not (tmp_path / "missing").exists()


def test_an_empty_one_is_where_spark_is_started(job: JobToRun) -> None:
    """As Spark resolves it (Utils.resolveURI)."""
    assert place(job, {EVENT_LOG_DIR: ""}) == EventLogPlace(Path.cwd().as_uri(), ENABLED)
    assert place(job, {**ENABLED, EVENT_LOG_DIR: ""}) == EventLogPlace(Path.cwd().as_uri(), {})


def test_one_of_the_drivers_machine_is_not_turned_on(job: JobToRun, tmp_path: Path) -> None:
    found = place(job, {**CLUSTER, EVENT_LOG_DIR: str(tmp_path)})
    assert "deploy mode is cluster, and the driver may run on another machine" in found.why


def test_one_in_spark_defaults_gives_way_to_the_tuners_own(job: JobToRun) -> None:
    found = place(job, {}, {EVENT_LOG_DIR: "/nowhere"})
    assert found.conf == {**ENABLED, EVENT_LOG_DIR: found.directory}
    assert found.directory.startswith(Path(job.event_log_base).as_uri())


# --- Credentials in a URL ---

WITH_CREDENTIALS = ["memory://ann:hunter2@bucket", "memory://AKIA:hun/ter2@bucket", "memory://bucket?sig=hunter2"]


@pytest.mark.parametrize("url", WITH_CREDENTIALS)
@pytest.mark.parametrize(
    "of_user", [ENABLED, {}, None], ids=["his log is on", "he names a directory", "the tuner's own"]
)
def test_a_url_with_credentials_is_none_for_it_is_stored_with_the_run(
    job: JobToRun, bucket: UPath, url: str, of_user: Mapping[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "_remote", lambda _url, _job: bucket)
    conf = {} if of_user is None else {**of_user, EVENT_LOG_DIR: url}
    found = place(replace(job, event_log_base=url), conf)
    assert (found.directory, found.conf) == ("", {})
    assert "has credentials in it, which would be stored with the run; leave them out" in found.why
    assert "hunter2" not in found.why and "ter2" not in found.why
    assert not list(bucket.iterdir()), "it was not used, either"


@pytest.mark.parametrize("url", WITH_CREDENTIALS)
def test_nor_is_it_used_for_anything_else_that_a_try_has(
    job: JobToRun, bucket: UPath, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "_remote", lambda _url, _job: bucket)
    assert own_directory(replace(job, event_log_base=url))[1] == "its URL has credentials in it"
    assert not list(bucket.iterdir())


@pytest.mark.parametrize(
    "url",
    [
        "abfss://secrets@account.dfs.core.windows.net/logs",
        "hdfs://token-nn:8020/logs",
        "webhdfs://ann@nn:9870/user@EXAMPLE.ORG/logs",
        "s3a://password=reset/logs",
    ],
)
def test_a_container_or_a_user_is_no_secret(
    job: JobToRun, bucket: UPath, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "_remote", lambda _url, _job: bucket)
    assert place(job, {**ENABLED, EVENT_LOG_DIR: url}) == EventLogPlace(url)


# --- The tuner's own ---


@pytest.mark.parametrize("base", ["no/such/bucket", "bucket/made/on/the/way"])
def test_a_directory_is_made_where_the_base_is_a_url(job: JobToRun, bucket: UPath, base: str) -> None:
    found = event_log_place(replace(job, event_log_base=f"memory://{base}/"))
    assert found.conf == {**ENABLED, EVENT_LOG_DIR: found.directory}
    assert found.directory.startswith(f"memory://{base}/etl.load/etl/1/1-")
    assert UPath(found.directory).is_dir()


def test_in_cluster_mode_a_path_is_used_where_someone_said_that_it_is_shared(job: JobToRun) -> None:
    away = replace(job, submission=Submission(conf=CLUSTER))
    found = event_log_place(away)
    assert "deploy mode is cluster, and the driver may run on another machine" in found.why
    assert not Path(job.event_log_base).exists()
    assert event_log_place(replace(away, base_is_shared=True)).conf.keys() == {EVENT_LOG_ENABLED, EVENT_LOG_DIR}


def test_a_path_is_used_so_too_where_nobody_tells_the_deploy_mode(job: JobToRun, tmp_path: Path) -> None:
    open_ = replace(job, submission=Submission(tells_deploy_mode=False))
    why = "the words of the command do not tell its deploy mode, and the driver may run on another machine"
    assert why in event_log_place(open_).why
    assert why in event_log_place(replace(open_, user_conf={EVENT_LOG_DIR: str(tmp_path)})).why
    found = event_log_place(replace(open_, base_is_shared=True))
    directory = Path(found.directory.removeprefix("file://"))
    assert stat.S_IMODE(directory.stat().st_mode) == 0o1777, "its driver may be another user"


def test_what_spark_has_no_file_system_for_is_not_used(job: JobToRun, spark: SparkAtHand, bucket: UPath) -> None:
    here = replace(job, event_log_base="memory://bucket", submission=Submission(spark))
    assert "the Spark at hand has no file system for memory" in event_log_place(here).why
    given = {"spark.jars.packages": "org.example:memory:1"}
    assert event_log_place(replace(here, submission=Submission(spark, given))).directory
    (spark.jars / "hadoop-aws-3.5.0.jar").touch()
    assert "no file system for memory" in event_log_place(here).why


def test_a_job_that_runs_as_another_user_has_none_where_files_have_owners(
    job: JobToRun, tmp_path: Path, bucket: UPath
) -> None:
    """A directory that is made from here is this user's: HDFS lets no other write there."""
    other = replace(job, runs_as="etl", event_log_base="memory://bucket/tuner")
    found = event_log_place(other)
    assert (found.directory, found.conf) == ("", {})
    assert "the job runs as etl, who may not write in what is made here" in found.why
    assert not (bucket / "tuner").exists()
    shared = replace(job, runs_as="etl", base_is_shared=True, submission=Submission(conf=CLUSTER))
    assert event_log_place(shared).directory, "a shared disk knows users of its own, and lets all of them write there"
    assert event_log_place(replace(job, runs_as="etl")).directory, (
        "a driver on this machine is a process of this user's"
    )
    assert event_log_place(replace(other, runs_as="")).directory


def test_a_job_that_somebody_says_is_another_users_has_none_there(
    job: JobToRun, bucket: UPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HADOOP_USER_NAME", "me")
    away = replace(job, event_log_base="memory://bucket/tuner")
    his = replace(away, user_conf={"spark.kerberos.principal": "etl/host.example@EXAMPLE.ORG"})
    assert "the job runs as etl, who may not write in what is made here" in event_log_place(his).why
    own = replace(away, user_conf={"spark.kerberos.principal": "me@EXAMPLE.ORG"})
    assert event_log_place(own).directory
    assert event_log_place(replace(away, runs_as="me")).directory
    assert event_log_place(replace(his, event_log_base=job.event_log_base)).directory, (
        "a driver on this machine is a process of this user's"
    )


@pytest.mark.parametrize("after_another", [False, True])
@pytest.mark.parametrize("conf", [CLUSTER, {**CLUSTER, "spark.master": "yarn"}])
@pytest.mark.processes
def test_a_driver_elsewhere_may_be_another_user_of_the_shared_disk(
    job: JobToRun, conf: Mapping[str, str], after_another: bool
) -> None:
    """YARN's own, or that of an image: he writes his log, whatever this machine's umask is, and takes no other's away."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become someone else")
    with TemporaryDirectory() as shared:
        Path(shared).chmod(0o755)
        away = replace(job, event_log_base=f"{shared}/base", base_is_shared=True, submission=Submission(conf=conf))
        own = os.umask(0o077)
        try:
            if after_another:  # A driver of this machine needs nobody let through.
                event_log_place(replace(away, key="etl/0/1", submission=Submission()))
                Path(shared, "base").chmod(0o711)
            found = event_log_place(away)
        finally:
            os.umask(own)
        directory = Path(found.directory.removeprefix("file://"))
        (directory / "mine").touch()
        nobody = pwd.getpwnam("nobody").pw_uid
        as_nobody = partial(subprocess.run, user=nobody, group=nobody, extra_groups=[], capture_output=True)
        assert as_nobody(["touch", str(directory / "log")]).returncode == 0
        assert as_nobody(["rm", "-f", str(directory / "mine")]).returncode != 0
        assert stat.S_IMODE(directory.stat().st_mode) == 0o1777
        assert {stat.S_IMODE(one.stat().st_mode) for one in (directory.parent, Path(shared, "base"))} == {0o711}


def test_a_directory_for_a_driver_of_this_machine_is_as_the_umask_says(job: JobToRun) -> None:
    directory = Path(event_log_place(job).directory.removeprefix("file://"))
    assert directory.stat().st_mode == Path(job.event_log_base).stat().st_mode


@pytest.mark.parametrize("can", [True, False])
def test_what_a_service_starts_may_write_on_hdfs_or_is_given_no_place_there(
    job: JobToRun, bucket: UPath, monkeypatch: pytest.MonkeyPatch, can: bool
) -> None:
    """Livy submits as a user of its own: HDFS (here: its scheme) lets him write only where somebody said so."""
    said: list[tuple[str, str]] = []
    if can:
        monkeypatch.setattr(type(bucket.fs), "chmod", lambda _fs, path, mode: said.append((path, mode)), raising=False)
    monkeypatch.setattr(place_module, "_remote", lambda url, _job: UPath(url.replace("hdfs://", "memory://")))
    away = replace(job, event_log_base="hdfs://bucket/tuner", submission=Submission(platform="Livy"))
    found = event_log_place(away)
    if can:
        assert said == [(UPath(found.directory.replace("hdfs://", "memory://")).path, "1777")]
    else:
        assert found.directory == ""
        assert "the driver may be another user, whom this client cannot let write there" in found.why
    yarn = Submission(conf={**CLUSTER, "spark.master": "yarn"})
    assert event_log_place(replace(away, submission=yarn)).directory, "what is submitted to YARN is this user's"
    assert len(said) == can
    pod = replace(away, submission=Submission(conf={**CLUSTER, "spark.master": "k8s://https://api:443"}))
    assert bool(event_log_place(pod).directory) is can, "an image has a user of its own"
    monkeypatch.setenv("HADOOP_USER_NAME", "me")
    named = {"spark.kubernetes.driverEnv.HADOOP_USER_NAME": "me"}
    assert event_log_place(replace(pod, user_conf=named)).directory, "and may be told another"


def test_what_is_made_behind_webhdfs_is_its_servers_own(
    job: JobToRun, bucket: UPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Kerberos fsspec's client says no name, and a spark-submit beside it does."""
    said: list[str] = []
    monkeypatch.setattr(type(bucket.fs), "chmod", lambda _fs, _path, mode: said.append(mode), raising=False)
    monkeypatch.setattr(place_module, "_remote", lambda url, _job: UPath(url.replace("webhdfs://", "memory://")))
    assert event_log_place(replace(job, event_log_base="webhdfs://bucket/tuner")).directory
    assert said == ["1777"]


@pytest.mark.processes
def test_who_may_not_write_there_runs_without() -> None:
    """As another user than root, where the tests run as root: that may write anywhere."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become someone else")
    script = (
        "import os, sys\nfrom tuner.loop.event_log_place import _writing_obstacle\n"
        "from tuner.loop.turn import JobToRun\nfrom tuner.model.decision import Mode\n"
        "os.setuid(int(sys.argv[1]))\nprint(_writing_obstacle(sys.argv[2], JobToRun('etl', 'etl/1', 1, Mode.AUTO)))"
    )
    nobody = str(pwd.getpwnam("nobody").pw_uid)
    done = subprocess.run([sys.executable, "-c", script, nobody, "/"], capture_output=True, text=True, check=True)
    assert done.stdout == "Permission denied\n"


@pytest.mark.parametrize("base", ["/shared/events", "file:///shared/events"])
def test_a_platform_that_has_no_paths_of_this_machine_is_given_none(job: JobToRun, base: str) -> None:
    platform = Submission(platform="Cloud", schemes=frozenset({"s3"}))
    place = event_log_place(replace(job, submission=platform, event_log_base=base, base_is_shared=True))
    assert (place.directory, place.conf) == ("", {})
    assert "a path of this machine is none of Cloud's" in place.why


# --- Drivers on Kubernetes ---

K8S = {**CLUSTER, "spark.master": "k8s://https://api:443"}
NO_VOLUME = "no volume is mounted there for the driver to write to"


def in_pod(job: JobToRun, conf: Mapping[str, str]) -> EventLogPlace:
    """Of a job that someone gave a base which he says is shared."""
    return event_log_place(replace(job, base_is_shared=True, submission=Submission(conf={**K8S, **conf})))


@pytest.mark.parametrize("kind", ["persistentVolumeClaim", "nfs"])
def test_a_driver_on_kubernetes_is_given_a_path_that_a_volume_brings(job: JobToRun, tmp_path: Path, kind: str) -> None:
    volume = f"spark.kubernetes.driver.volumes.{kind}.events.mount"
    assert in_pod(job, {f"{volume}.path": str(tmp_path)}).directory.startswith(tmp_path.as_uri())
    for conf in (
        {},
        {f"{volume}.path": str(tmp_path / "elsewhere")},
        {f"{volume}.path": str(tmp_path), f"{volume}.readOnly": "true"},
        {f"spark.kubernetes.executor.volumes.{kind}.events.mount.path": str(tmp_path)},
    ):
        found = in_pod(job, conf)
        assert (found.directory, found.conf) == ("", {})
        assert NO_VOLUME in found.why


def test_a_pod_that_a_platform_makes_needs_a_volume_too(job: JobToRun) -> None:
    away = Submission(platform="the Spark operator", makes_pod=True)
    found = event_log_place(replace(job, base_is_shared=True, submission=away))
    assert NO_VOLUME in found.why
    assert not Path(job.event_log_base).exists(), "nothing is made here for a driver that has it not"


def test_a_driver_of_this_machine_needs_none_though_its_executors_are_pods(job: JobToRun) -> None:
    client = Submission(conf={"spark.master": "k8s://https://api:443"})
    assert event_log_place(replace(job, submission=client)).directory


def test_s3_is_emrs_scheme_and_no_driver_in_a_pod_has_it_by_itself() -> None:
    for pod in (Submission(conf=K8S), Submission(platform="the Spark operator", makes_pod=True)):
        assert not has_file_system("s3", pod)
        assert has_file_system("s3a", pod)
        given = {**pod.conf, "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem"}
        assert has_file_system("s3", replace(pod, conf=given))
    assert has_file_system("s3", Submission(conf={**CLUSTER, "spark.master": "yarn"}))
