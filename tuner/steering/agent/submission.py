"""How an application is submitted, as far as it matters to what is to reach its driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.spark.master import in_cluster_mode, is_kubernetes, master_of
from tuner.spark.properties import DEPLOY_MODE, MASTER, YARN_SPARK
from tuner.spark.properties_file import spark_defaults
from tuner.spark.submit_opts import VARIABLE, properties_of
from tuner.steering.agent.spark_home import SparkAtHand, spark_at_hand

_K8S_UPLOAD_PATH = "spark.kubernetes.file.upload.path"
# Arguments of a process are limited (Linux: 128 KiB each), and so is what a person scrolls through in Spark's UI.
MAX_CONF_CHARACTERS = 30_000
# Spark sends all properties along with each task, and writes them into the event log with each job and each stage
# (SQLExecution.withSQLConfPropagated): what is longer goes by file where one gets to the driver.
MOST_CARRIED_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Submission:
    """`conf` holds the properties as spark-submit will put them together, those that flags and defaults amount to
    as well; `agent_jar` is where a jar of the agent is deployed ("" for none).

    `platform` is the service that starts the driver, as people call it, "" for a spark-submit of this machine; `schemes` are
    those of the file systems that it has (None: not known); `most_characters` is how long a property may be there,
    `most_in_lists` how long a list of the user's with the agent's entry at its end, by the list's name, where that is limited;
    `brings_files` whether jars and files at URLs get to a driver there before Spark starts.

    `by_environment`: what is added comes by SPARK_SUBMIT_OPTS, and takes the place of nothing that the user sets;
    `takes_class_path`: a jar gets to its driver by SPARK_DIST_CLASSPATH, elsewhere it must lie among Spark's own.
    `makes_pod`: its driver is a pod of its own, which the platform makes of an image. `tells_deploy_mode`: what is seen here says
    whether the deploy mode is cluster; else it may be. `told_runtime` is what a request says that its service runs it by: a
    release, types of machines ("" where it tells none).
    """

    spark: SparkAtHand | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    agent_jar: str = ""
    platform: str = ""
    schemes: frozenset[str] | None = None
    most_characters: int = MAX_CONF_CHARACTERS
    most_in_lists: Mapping[str, int] = field(default_factory=dict)
    brings_files: bool = True
    by_environment: bool = False
    takes_class_path: bool = False
    makes_pod: bool = False
    tells_deploy_mode: bool = True
    told_runtime: str = ""

    @property
    def sees_defaults(self) -> bool:
        """Whether `conf` holds all that the driver will have: what spark-defaults.conf says of a service, or of a Spark that was
        not found, only these know. (Where Spark starts before jars are brought, its cluster is made by what is asked for.)"""
        return self.by_environment or not self.brings_files or (self.spark is not None and not self.platform)

    @property
    def in_cluster_mode(self) -> bool:
        """Whether the driver runs elsewhere than what submits it."""
        return bool(self.platform) or in_cluster_mode(self.conf)

    @property
    def why_away(self) -> str:
        """Why the driver may not run on the disk of what submits it; "" where it does."""
        if self.in_cluster_mode:
            return "deploy mode is cluster"
        return "" if self.tells_deploy_mode else "the words of the command do not tell its deploy mode"

    @property
    def spark_version(self) -> str:
        """The Spark of the run; "" where it is not known: in cluster mode the one at hand may be another than the cluster's."""
        return self.spark.version if self.spark and not self.in_cluster_mode else ""

    @property
    def runtime(self) -> str:
        """What tells, where the version of Spark is not known, that a run is by another than the last one was: what the request
        says, else the Spark at hand, which YARN's client takes along where it is given no other. It may be off, always alike."""
        if self.told_runtime or self.spark is None or not self.in_cluster_mode:
            return self.told_runtime
        is_taken_along = (
            not self.platform and master_of(self.conf).startswith("yarn") and YARN_SPARK.isdisjoint(self.conf)
        )
        return "Spark {}.{}".format(*self.spark.number) if is_taken_along else ""

    @property
    def is_in_own_pod(self) -> bool:
        """Whether the driver is in a pod of its own: of this machine it has what volumes bring there, and nothing else."""
        return self.makes_pod or (in_cluster_mode(self.conf) and is_kubernetes(master_of(self.conf)))

    @property
    def uploads(self) -> bool:
        """Whether files of this machine are brought to the driver.

        In cluster mode YARN's client does so (spark.yarn.dist.*), Kubernetes' only with a place to upload to
        (KubernetesUtils.uploadFileUri fails the submission without one), standalone never: the driver fails there.
        """
        if self.platform:
            return False
        if not self.in_cluster_mode:
            return True
        if self.by_environment:
            return False
        master = master_of(self.conf)
        return master.startswith("yarn") or (master.startswith("k8s") and bool(self.conf.get(_K8S_UPLOAD_PATH)))

    @property
    def cluster(self) -> str:
        """The platform or cluster manager, in words."""
        if self.platform:
            return self.platform
        master = master_of(self.conf)
        names = {"k8s": "Kubernetes", "spark": "a standalone cluster", "yarn": "YARN", "mesos": "Mesos"}
        return next((name for scheme, name in names.items() if master.startswith(scheme)), master or "this machine")


def submission(
    spark_submit: str,
    given: Mapping[str, str],
    *,
    environ: Mapping[str, str],
    with_defaults: bool = True,
    agent_jar: str = "",
) -> Submission:
    """The submission by a spark-submit of what the user gave it: flags (as properties) over --conf over a properties file.

    `with_defaults` says that spark-submit reads spark-defaults.conf, too (SparkSubmitArguments): a properties file of
    the user's takes its place. Lowest are those of SPARK_SUBMIT_OPTS, but where to run, which only MASTER and DEPLOY_MODE tell.
    """
    spark = spark_at_hand(spark_submit, environ)
    defaults = spark_defaults(spark.home, environ) if spark and with_defaults else {}
    options = properties_of(environ.get(VARIABLE, ""))
    variables = {name: environ.get(variable) for name, variable in ((MASTER, "MASTER"), (DEPLOY_MODE, "DEPLOY_MODE"))}
    found = {**options, **variables, **defaults, **given}
    return Submission(spark, {k: v for k, v in found.items() if v is not None}, agent_jar)
