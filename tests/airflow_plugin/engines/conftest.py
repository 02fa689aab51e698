"""A service, and the history that jobs leave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.airflow_plugin.conftest import PATIENCE
from tests.airflow_plugin.engines.aws_account import BUCKET, CREDENTIALS, AwsAccount
from tests.airflow_plugin.engines.hanging import Hanging
from tests.airflow_plugin.engines.spark_service import SparkService
from tuner.history.store import Store
from tuner.model.run import Run


@pytest.fixture
def service() -> SparkService:
    return SparkService()


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """What hangs for as long as the test lasts, where tasks may wait for a second."""
    for option in PATIENCE:
        monkeypatch.setenv(option, "1")
    found = Hanging()
    yield found
    found.let_go()


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[], list[Run]]:
    """The runs of the task's cohort."""

    def read() -> list[Run]:
        with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
            return store.runs("sales.nightly")

    return read


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    """Where moto answers: it takes seconds to set up its services, and forgets all that it was told in less."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def read_once() -> Callable[[str], object]:
    """A loader of botocore's models that keeps what it read: a session keeps it for itself, and each hook has a session."""
    from botocore.loaders import JSONFileLoader

    return cache(JSONFileLoader().load_file)


@pytest.fixture
def quick_clients(read_once: Callable[[str], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients of AWS that cost little: a hook names its caller after a look at all modules of a process, and tests have many."""
    monkeypatch.setattr("botocore.loaders.JSONFileLoader.load_file", lambda _, path: read_once(path))
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.base_aws.AwsGenericHook._get_caller", lambda *_: "a test")


@pytest.fixture
def aws(
    moto_url: str, service: SparkService, quick_clients: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AwsAccount]:
    """An account known to the task by its connection alone."""
    account = AwsAccount(moto_url, service)
    extra = {"region_name": "us-east-1", "endpoint_url": account.url}
    login, password = CREDENTIALS["aws_access_key_id"], CREDENTIALS["aws_secret_access_key"]
    connection = {"conn_type": "aws", "login": login, "password": password, "extra": extra}
    monkeypatch.setenv("AIRFLOW_CONN_AWS_DEFAULT", json.dumps(connection))
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", f"s3://{BUCKET}/tuner")
    account.client("s3").create_bucket(Bucket=BUCKET)
    try:
        with account.answered():
            yield account
    finally:
        urlopen(f"{account.url}/moto-api/reset", data=b"", timeout=10).close()
