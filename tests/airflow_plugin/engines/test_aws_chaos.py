"""What goes wrong at a service of AWS: the task's outcome is what it would have been."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
pytest.importorskip("moto.server", reason="moto is not installed: it is of the dev group")
pytest.importorskip("airflow.providers.amazon", reason="it is of the dev group")

from botocore.exceptions import ClientError

from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.aws_account import AwsAccount
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.test_emr_request import Eks, Serverless
from tests.airflow_plugin.engines.test_emr_steps import Emr, step
from tests.airflow_plugin.engines.test_glue import Glue
from tuner.model.run import Run, RunState

pytestmark = [pytest.mark.sockets, pytest.mark.nightly]

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]


class Steps(Emr):
    def operator(self, *steps: dict[str, Any], **arguments: Any) -> Any:
        return super().operator(*(steps or (step("load"),)), **arguments)


# The method that submits, and the state of a run of which nobody knows how it ended.
METHOD_AND_STATE = {
    Serverless: ("start_job_run", RunState.LOST),
    Eks: ("start_job_run", RunState.LOST),
    Steps: ("add_job_flow_steps", RunState.RUNNING),
    Glue: ("start_job_run", RunState.RUNNING),
}


@pytest.fixture(params=METHOD_AND_STATE, ids=lambda engine: engine.__name__)
def engine(request: pytest.FixtureRequest) -> Any:
    return request.param


def run(op: Any, run_id: str) -> None:
    ti: Any = TaskInstance(run_id=run_id)
    op.execute({"ti": ti, "task_instance": ti, "dag": SimpleNamespace(dag_id="sales")})


@pytest.mark.parametrize("code", ["ThrottlingException", "AccessDeniedException", "InternalServerException"])
def test_a_service_that_takes_nothing_is_asked_once(
    engine: Any, code: str, aws: AwsAccount, service: SparkService, stored: Stored
) -> None:
    op, asked, (method, _) = engine(aws).operator(), list[Any](), METHOD_AND_STATE[engine]

    def answer(request: Any, _: Any) -> Any:
        asked.append(request)
        raise ClientError({"Error": {"Code": code, "Message": "not now"}}, method)

    aws.answering(op.hook.conn, method, answer)
    with pytest.raises(ClientError, match="not now"):
        run(op, "r1")
    assert (len(asked), service.submitted) == (1, [])
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_log_that_is_lost_costs_the_job_nothing(
    engine: Any, aws: AwsAccount, service: SparkService, stored: Stored
) -> None:
    of_engine, (_, unknown) = engine(aws), METHOD_AND_STATE[engine]
    service.how = None
    run(of_engine.operator(), "r1")
    service.how = "ok"
    run(of_engine.operator(), "r2")
    assert [THRESHOLD in conf for conf in service.submitted] == [False, False]
    assert stored()[0].state is unknown and stored()[0].outcome is None


def test_a_bucket_that_nobody_may_write_leaves_the_job_as_it_was(
    engine: Any, aws: AwsAccount, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", "s3://nobodys/tuner")
    run(engine(aws).operator(), "r1")
    assert "spark.eventLog.dir" not in service.last
