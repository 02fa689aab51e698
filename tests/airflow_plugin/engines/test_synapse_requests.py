"""What Synapse's engine reads of payloads that are dicts, and what it makes of them: without its provider."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from airflow_plugin.engines.engine import Additions
from airflow_plugin.engines.synapse import ENGINE

ADDED = Additions({"spark.tuner.x": '{"a": "b, c=d"}'}, {"spark.jars": "own.jar,abfss://j@a/agent.jar"})


@pytest.mark.parametrize(
    "payload",
    [
        {"conf": {"spark.x": True}, "executorMemory": "4g", "numExecutors": 2, "jars": ["own.jar"]},
        {"configuration": {"spark.x": True}, "executor_memory": "4g", "executor_count": 2, "jars": ["own.jar"]},
    ],
    ids=["service", "client"],
)
def test_a_dict_may_have_the_services_names_or_the_clients(payload: dict[str, Any]) -> None:
    as_written = copy.deepcopy(payload)
    (job,) = ENGINE.read(None, {"payload": payload})
    assert job.conf == {
        "spark.x": "true",
        "spark.executor.memory": "4g",
        "spark.executor.instances": "2",
        "spark.jars": "own.jar",
    }
    changed = ENGINE.changed(None, {"payload": payload}, [ADDED])["payload"]
    assert payload == as_written and set(changed) == set(payload)
    assert (changed.get("conf") or changed["configuration"]) == {"spark.x": True, "spark.tuner.x": '{"a": "b, c=d"}'}
    assert changed["jars"] == ["own.jar", "abfss://j@a/agent.jar"]


def test_a_payload_without_properties_gets_some() -> None:
    payload: dict[str, Any] = {"name": "nightly", "conf": None}
    changed = ENGINE.changed(None, {"payload": payload}, [Additions({"spark.x": "y"})])["payload"]
    assert changed == {"name": "nightly", "conf": {"spark.x": "y"}}


def test_what_was_answered_with_400_is_a_refusal() -> None:
    def error(status: int) -> Exception:
        made = Exception()
        made.status_code = status  # type: ignore[attr-defined]
        return made

    assert ENGINE.is_refusal(error(400))
    # An answer that cannot be read is of a batch that was started.
    assert not ENGINE.is_refusal(error(429)) and not ENGINE.is_refusal(ValueError("no JSON"))
