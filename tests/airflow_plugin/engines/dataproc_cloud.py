"""As much of Dataproc as its operators call, by gRPC and with the types of its own client; a SparkService runs the jobs of Spark.

Event logs lie in a bucket of an emulator of Cloud Storage.
"""

from __future__ import annotations

import copy
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from gcp_storage_emulator.server import create_server
from google.auth.credentials import AnonymousCredentials
from google.cloud import dataproc_v1
from google.longrunning.operations_pb2 import Operation
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status
from upath import UPath

from tests.airflow_plugin.engines.spark_service import SparkService

BUCKET = "logs"
SPARK = ("pyspark", "spark", "spark_sql", "spark_r")
_PACKAGE = "google.cloud.dataproc.v1"


@dataclass
class Dataproc:
    """`received` holds jobs, batches and templates as they arrived, `refused` those that were not let in.

    `ends`: jobs run at once; else jobs and batches run on, until they are asked for when it is set again. `unavailable` answers
    so to what submits. `not_ready` is how many batches there are no resources for, `others_fail`: so do steps without Spark.
    """

    service: SparkService
    received: list[Any] = field(default_factory=list)
    refused: list[Any] = field(default_factory=list)
    ends: bool = True
    unavailable: bool = False
    not_ready: int = 0
    others_fail: bool = False
    _jobs: dict[str, Any] = field(default_factory=dict)
    _batches: dict[str, Any] = field(default_factory=dict)
    _by_request: dict[str, Any] = field(default_factory=dict)
    _running: list[Callable[[], None]] = field(default_factory=list)

    def finish(self) -> None:
        """What runs on ends now."""
        while self._running:
            self._running.pop()()

    def submit_job(self, request: Any, context: grpc.ServicerContext) -> Any:
        if request.request_id in self._by_request:
            return self._by_request[request.request_id]
        job = request.job
        name = job.reference.job_id or f"job-{len(self._jobs)}"
        if name in self._jobs:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, f"Already exists: Failed to submit job: Job {name}")
        confs = self._taken(job, [conf_of(job, "job")], context)
        job.reference.job_id, job.status.state = name, job.status.State.RUNNING
        self._jobs[name] = self._by_request[request.request_id or name] = job

        def end() -> None:
            job.status.state = job.status.State.DONE if self._run(confs) else job.status.State.ERROR

        self._start(end)
        return job

    def get_job(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._go_on()
        return self._jobs[request.job_id]

    def create_batch(self, request: Any, context: grpc.ServicerContext) -> Operation:
        batch, name = request.batch, request.batch_id or f"batch-{len(self._batches)}"
        if name in self._batches:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, f"Already exists: Failed to create batch: Batch {name}")
        confs = self._taken(batch, [conf_of(batch, "batch")], context)
        batch.name, batch.state = f"{request.parent}/batches/{name}", batch.State.RUNNING
        self._batches[name] = batch

        def end() -> None:
            if self.not_ready:
                self.not_ready -= 1
                batch.state, batch.state_message = batch.State.FAILED, "The resource x is not ready"
                return
            batch.state = batch.State.SUCCEEDED if self._run(confs) else batch.State.FAILED

        self._start(end)
        about = dataproc_v1.BatchOperationMetadata(batch=batch.name)
        return Operation(name=f"operations/{name}", metadata=_any(about), done=True, response=_any(batch))

    def get_batch(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._go_on()
        return self._batches[request.name.rpartition("/")[2]]

    def delete_batch(self, request: Any, context: grpc.ServicerContext) -> Empty:
        del self._batches[request.name.rpartition("/")[2]]
        return Empty()

    def instantiate(self, request: Any, context: grpc.ServicerContext) -> Operation:
        template = request.template
        succeeded = self._run(self._taken(template, [conf_of(step, "job") for step in template.jobs], context))
        answer = Operation(name="operations/workflow", metadata=_any(dataproc_v1.WorkflowMetadata()), done=True)
        if succeeded and not self.others_fail:
            answer.response.Pack(Empty())
        else:
            answer.error.CopyFrom(Status(code=9, message="a step failed"))
        return answer

    def _taken(
        self, resource: Any, jobs: list[dict[str, str] | None], context: grpc.ServicerContext
    ) -> list[dict[str, str]]:
        """The jobs of Spark that a resource holds, where they are let in."""
        confs = [conf for conf in jobs if conf is not None]
        if self.unavailable:
            self.refused.append(resource)
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "Quota exceeded")
        if not all(self.service.takes(conf) for conf in confs):
            self.refused.append(resource)
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "Unsupported property")
        self.received.append(copy.deepcopy(resource))
        return confs

    def _start(self, end: Callable[[], None]) -> None:
        self._running.append(end)
        self._go_on()

    def _go_on(self) -> None:
        if self.ends:
            self.finish()

    def _run(self, confs: list[dict[str, str]]) -> bool:
        """Run jobs; whether all succeeded."""
        ended = [self._run_job(conf) for conf in confs]
        return all(ended)

    def _run_job(self, conf: Mapping[str, str]) -> bool:
        directory = conf.get("spark.eventLog.dir", "")
        if not directory.startswith("gs://"):
            return self.service.run(conf)
        with tempfile.TemporaryDirectory() as here:
            succeeded = self.service.run({**conf, "spark.eventLog.dir": here})
            self.service.submitted[-1] = dict(conf)
            for file in Path(here).iterdir():
                UPath(f"{directory}/{file.name}", token=AnonymousCredentials()).write_bytes(file.read_bytes())
        return succeeded


def conf_of(resource: Any, suffix: str) -> dict[str, str] | None:
    """The properties that a job of Spark is started with; None for other jobs. Its lists are flags, which beat properties."""
    kind = next((f"{kind}_{suffix}" for kind in SPARK if f"{kind}_{suffix}" in resource), None)
    if kind is None:
        return None
    part = getattr(resource, kind)
    conf = dict((part if suffix == "job" else resource.runtime_config).properties)
    lists = {"spark.jars": "jar_file_uris", "spark.files": "file_uris"}
    return conf | {key: ",".join(uris) for key, name in lists.items() if (uris := getattr(part, name, None))}


@contextmanager
def dataproc(service: SparkService, monkeypatch: Any) -> Iterator[Dataproc]:
    """A Dataproc to which DataprocHook's clients go."""
    from airflow.providers.google.cloud.hooks.dataproc import DataprocHook

    cloud = Dataproc(service)
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers(_handlers(cloud))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    for method, name in {
        "get_job_client": "JobController",
        "get_batch_client": "BatchController",
        "get_template_client": "WorkflowTemplateService",
    }.items():
        client = getattr(dataproc_v1, f"{name}Client")
        made = client(transport=client.get_transport_class("grpc")(channel=channel))
        monkeypatch.setattr(DataprocHook, method, lambda *_, made=made, **__: made)
    try:
        yield cloud
    finally:
        channel.close()
        server.stop(None)


@contextmanager
def cloud_storage() -> Iterator[str]:
    """The URL of a Cloud Storage that has a bucket."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket=BUCKET)
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


def _handlers(cloud: Dataproc) -> list[grpc.GenericRpcHandler]:
    def method(call: Callable[..., Any], request: Any, answer: Any) -> grpc.RpcMethodHandler:
        to_bytes = answer.SerializeToString if issubclass(answer, Message) else answer.serialize
        return grpc.unary_unary_rpc_method_handler(call, request.deserialize, to_bytes)

    services = {
        "JobController": {
            "SubmitJob": method(cloud.submit_job, dataproc_v1.SubmitJobRequest, dataproc_v1.Job),
            "GetJob": method(cloud.get_job, dataproc_v1.GetJobRequest, dataproc_v1.Job),
        },
        "BatchController": {
            "CreateBatch": method(cloud.create_batch, dataproc_v1.CreateBatchRequest, Operation),
            "GetBatch": method(cloud.get_batch, dataproc_v1.GetBatchRequest, dataproc_v1.Batch),
            "DeleteBatch": method(cloud.delete_batch, dataproc_v1.DeleteBatchRequest, Empty),
        },
        "WorkflowTemplateService": {
            "InstantiateInlineWorkflowTemplate": method(
                cloud.instantiate, dataproc_v1.InstantiateInlineWorkflowTemplateRequest, Operation
            ),
        },
    }
    return [grpc.method_handlers_generic_handler(f"{_PACKAGE}.{name}", methods) for name, methods in services.items()]


def _any(message: Any) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(type(message).pb(message))
    return packed
