"""Whether the agent can steer a run, and by which way its jar gets there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tuner.eventlog.location import local_path, scheme_of
from tuner.eventlog.properties import names_secret, redact
from tuner.spark.properties import JARS, REMOTE
from tuner.steering.agent.jar import OLDEST_SPARK
from tuner.steering.agent.jar_template import filled
from tuner.steering.agent.spark_home import version_number
from tuner.steering.agent.submission import Submission

# The scheme of what every node has already (Spark's "Advanced Dependency Management").
ON_EACH_NODE = "local"


@dataclass(frozen=True, slots=True)
class NoRoute:
    """Why the agent cannot steer the run."""

    why: str


@dataclass(frozen=True, slots=True)
class Route:
    """The agent's jar is the deployed one, or is to be built for the Spark at hand.

    `share` puts a text into a file where the driver reads it, and gives its URL; None where there is no such place. `beside` are
    the extensions that a service sets for its jobs, which the agent's is named beside; None where the jar names it.
    """

    submission: Submission
    share: Callable[[str], str] | None = None
    beside: str | None = None

    @property
    def fetched_jar(self) -> str:
        """The deployed jar, without credentials, where Spark does not start before it has that; "" where it does."""
        submission = self.submission
        jar = submission.agent_jar
        is_passed_over = scheme_of(jar) == ON_EACH_NODE or (not submission.in_cluster_mode and local_path(jar))
        if submission.by_environment or not submission.brings_files or is_passed_over:
            return ""
        return redact(jar)


def fetched_jar(submission: Submission, ran_version: str = "") -> str:
    """As `Route` has it, of the way that there would be; "" where there is none."""
    found = agent_route(submission, ran_version)
    return found.fetched_jar if isinstance(found, Route) else ""


def agent_route(submission: Submission, ran_version: str = "", beside: str | None = None) -> Route | NoRoute:
    """How the agent gets to the driver; `ran_version` is the Spark that the cohort's latest run had ("" if unknown), `beside` as
    `Route` has it."""
    spark = submission.spark
    version = ran_version if spark is None or (submission.in_cluster_mode and ran_version) else spark.version
    jar = filled(submission.agent_jar, version)
    if submission.agent_jar and (not jar or (submission.platform and not version)):
        return NoRoute("no run of this job has told yet which Spark it has")
    submission = replace(submission, agent_jar=jar)
    why = _obstacle(submission, version)
    return NoRoute(why) if why else Route(submission, beside=beside)


def _obstacle(submission: Submission, version: str) -> str:
    """Why the agent does not get to a driver of this Spark version ("" if unknown)."""
    if submission.conf.get(REMOTE):
        return f"{REMOTE} is set: plans are made by a Spark Connect server"
    spark = submission.spark
    if version and version_number(version) < OLDEST_SPARK:
        return f"Spark {version} is older than {'.'.join(map(str, OLDEST_SPARK))}, the first that the agent is made for"
    if submission.by_environment and (why := _obstacle_by_environment(submission)):
        return why
    is_listed = submission.brings_files and not submission.by_environment
    if is_listed and (why := why_not_repeated(JARS, submission.conf)):
        return why
    if submission.agent_jar:
        return _obstacle_of_deployed(submission)
    if submission.platform:
        return (
            f"no jar of this machine is brought to a driver on {submission.platform}; deploy one (`spark-tuner agent-jar`) and "
            "set agent_jar to its URL"
        )
    if spark is None:
        return "no Spark was found for this spark-submit; set SPARK_HOME, or deploy the agent's jar and set agent_jar"
    if not submission.uploads:
        return (
            f"deploy mode is cluster on {submission.cluster}, and no jar of this machine is brought to the driver there; "
            "deploy one (`spark-tuner agent-jar`) and set agent_jar to its URL"
        )
    if version != spark.version:
        return (
            f"the latest run had Spark {version}, the one at hand is {spark.version}; build the agent's jar with the "
            "cluster's (`spark-tuner agent-jar --spark-home`) and set agent_jar to its URL"
        )
    return ""


def why_not_repeated(name: str, conf: Mapping[str, str]) -> str:
    """Why a list of the user's cannot be sent with an entry of the agent's ("" if it can): it may stand in a file of his, and
    would come to a command line, which others read."""
    if not names_secret(conf.get(name, "")):
        return ""
    return (
        f"{name} names credentials, and would come to the command line with what is the agent's; let it name a URL without any, "
        "and have them where the client of that server looks for them"
    )


def _obstacle_by_environment(submission: Submission) -> str:
    by_class_path = submission.takes_class_path and not submission.in_cluster_mode
    if by_class_path or scheme_of(submission.agent_jar) == ON_EACH_NODE:
        return ""
    return (
        f"no jar gets to the driver on {submission.cluster} by a command's environment; put one into the jars/ directory of "
        "that Spark (`spark-tuner agent-jar`) and set agent_jar to its place there, local:///…"
    )


def _obstacle_of_deployed(submission: Submission) -> str:
    jar = submission.agent_jar
    if not submission.brings_files and scheme_of(jar) != ON_EACH_NODE:
        return (
            f"{submission.platform} loads jars after Spark has started; have an init script put the agent's where Spark finds "
            "its own, and set agent_jar to that place: local:///…"
        )
    if submission.uploads or local_path(jar) is None:
        return ""
    if submission.platform:
        return f"agent_jar={jar} is a path of this machine, which {submission.platform} does not have; give a URL"
    if submission.cluster == "Kubernetes":
        # The client would look for somewhere to upload it to, and fail the submission.
        return (
            f"agent_jar={jar} is a path of this machine, which Kubernetes does not have; give a URL, such as local:///…"
        )
    return ""
