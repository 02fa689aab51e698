"""A pod that runs a Spark program: KubernetesPodOperator, and what is derived from it (`@task.kubernetes`, EksPodOperator, …)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from airflow_plugin.engines.command_environment import added_options, given_to, own_properties, require_no_server
from airflow_plugin.engines.engine import Additions, Call, Engine, LeftAloneError, Request, SparkJob, is_own
from airflow_plugin.engines.kubernetes_refusal import is_kubernetes_refusal
from tuner.eventlog.location import local_path
from tuner.spark.shell_command import spark_program
from tuner.spark.submit_arguments import SubmitArguments, parse
from tuner.spark.submit_opts import VARIABLE, joined
from tuner.steering.agent.submission import Submission
from tuner.steering.submit_conf import EVENT_LOG_DIR


class KubernetesPod(Engine):
    """A variable of the pod's own container, as it is created: what a try goes on with that found it there already is not.

    What the image sets is not seen. Its spark-defaults.conf wins all the same; a SPARK_SUBMIT_OPTS of its own would not.
    """

    title = "the pod"
    ends_as_spark_submit = True

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.cncf.kubernetes.utils.pod_manager import PodManager

        return (Call(PodManager, "create_pod", is_own(operator, "pod_manager")),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        container = _container(operator, request["pod"])
        given = _given(operator, container)
        if given is None:
            return ()
        conf = {**own_properties(_own_options(container)), **given.properties_but_file}
        require_no_server(conf)
        return (SparkJob(conf),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        from kubernetes.client.models import V1EnvVar

        (added,) = additions
        pod = copy.deepcopy(request["pod"])
        container = _container(operator, pod)
        _require_mounted(container, added.conf.get(EVENT_LOG_DIR, ""))
        # Kubernetes substitutes $(NAME) in values.
        ours = added_options(added).replace("$", "$$")
        variable = V1EnvVar(name=VARIABLE, value=joined(ours, _own_options(container)))
        env = container.env or []
        # Where it stands: others may refer to it.
        container.env = [variable if one.name == VARIABLE else one for one in env]
        if all(one.name != VARIABLE for one in env):
            container.env = [*env, variable]
        return {"pod": pod}

    def is_refusal(self, error: Exception) -> bool:
        return is_kubernetes_refusal(error)

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        return Submission(None, job.conf, agent_jar, self.title, by_environment=True)


def _container(operator: Any, pod: Any) -> Any:
    """The container whose program is the task's."""
    containers = pod.spec.containers
    return next((one for one in containers if one.name == operator.base_container_name), containers[0])


def _given(operator: Any, container: Any) -> SubmitArguments | None:
    command, arguments = container.command or [], container.args or []
    programs = spark_program([*command, *arguments])
    given = given_to(operator, programs)
    # Without a command these are the arguments of what the image starts, which may be a spark-submit.
    return parse(arguments) if given and not programs.found and not command else given


def _own_options(container: Any) -> str:
    """The SPARK_SUBMIT_OPTS that the author gave. Raises LeftAloneError where it cannot be seen, and would be lost."""
    own = [env for env in container.env or [] if env.name == VARIABLE]
    if any(env.value_from is not None for env in own) or (container.env_from and not own):
        raise LeftAloneError(
            f"its variables come from elsewhere (env_from, value_from), and a {VARIABLE} among them would be lost; "
            f"set {VARIABLE} in env_vars to what it is, or to an empty text"
        )
    return own[-1].value or "" if own else ""


def _require_mounted(container: Any, event_log_dir: str) -> None:
    """Raises LeftAloneError for a directory that no volume brings into the pod: Spark would not start with it."""
    directory = local_path(event_log_dir) if event_log_dir else None
    if directory is None:
        return
    mounts = [mount.mount_path for mount in container.volume_mounts or [] if not mount.read_only]
    if not any(PurePosixPath(directory).is_relative_to(mount) for mount in mounts):
        raise LeftAloneError(
            f"no volume is mounted where {event_log_dir} is; set event_log_base to a URL or to such a volume"
        )


ENGINE = KubernetesPod()
