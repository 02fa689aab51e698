"""An account of AWS on this machine, by moto: its services take requests, and a SparkService runs the Spark jobs in them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.airflow_plugin.engines.spark_service import SparkService

Request = Mapping[str, Any]
Send = Callable[[Request], Any]
Answer = Callable[[Request, Send], Any]
CREDENTIALS = {"aws_access_key_id": "job", "aws_secret_access_key": "hunter2", "region_name": "us-east-1"}
BUCKET = "logs"


@dataclass
class AwsAccount:
    """Its event logs lie in s3://logs."""

    url: str
    service: SparkService
    # What answers requests of a client by an operation, in place of its service: the last is asked first.
    answers: list[tuple[Any, str, Answer]] = field(default_factory=list)

    def client(self, name: str) -> Any:
        import boto3

        return boto3.client(name, endpoint_url=self.url, **CREDENTIALS)

    def run(self, conf: Mapping[str, str]) -> bool:
        """Run a job; its files are brought to it, and its event log is uploaded where it says."""
        directory = conf.get("spark.eventLog.dir", "")
        if not directory.startswith("s3"):
            return self.service.run(conf)
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as files:
            brought = {"spark.files": self._brought(conf["spark.files"], files)} if "spark.files" in conf else {}
            succeeded = self.service.run({**conf, **brought, "spark.eventLog.dir": here})
            self.service.submitted[-1] = dict(conf)
            prefix = directory.partition(f"//{BUCKET}/")[2].rstrip("/")
            for file in Path(here).rglob("*"):
                if file.is_file():
                    self.client("s3").upload_file(str(file), BUCKET, f"{prefix}/{file.relative_to(here)}")
        return succeeded

    def _brought(self, urls: str, directory: str) -> str:
        """Files of the bucket, in a directory of this machine."""
        found = []
        for url in urls.split(","):
            key = url.partition(f"//{BUCKET}/")[2]
            found.append(str(Path(directory, Path(key).name)))
            self.client("s3").download_file(BUCKET, key, found[-1])
        return ",".join(found)

    def submitting(
        self, client: Any, method: str, conf_of: Callable[[Mapping[str, Any]], list[dict[str, str]]]
    ) -> None:
        """Have requests by a client's method run the jobs that `conf_of` finds in them."""
        from botocore.exceptions import ClientError

        def submit(request: Request, send: Send) -> Any:
            jobs = conf_of(request)
            if not all(self.service.takes(job) for job in jobs):
                raise ClientError({"Error": {"Code": "ValidationException", "Message": "no such property"}}, method)
            answer = send(request)
            for job in jobs:
                self.run(job)
            return answer

        self.answering(client, method, submit)

    def answering(self, client: Any, method: str, answer: Answer) -> None:
        """Have `answer(request, send)` answer requests by a client's method."""
        self.answers.append((client, client.meta.method_to_api_mapping[method], answer))

    @contextmanager
    def answered(self) -> Iterator[None]:
        """While it lasts, requests are answered so: below all that is wrapped around a client."""
        from botocore.client import BaseClient

        with pytest.MonkeyPatch.context() as patch:
            own, answers = BaseClient._make_api_call, self.answers

            def made(self: Any, operation_name: str, api_params: Request) -> Any:
                send: Send = partial(own, self, operation_name)
                for client, operation, answer in answers:
                    if client is self and operation == operation_name:
                        send = partial(_asked, answer, send)
                return send(api_params)

            patch.setattr(BaseClient, "_make_api_call", made)
            yield


def _asked(answer: Answer, send: Send, request: Request) -> Any:
    return answer(request, send)
