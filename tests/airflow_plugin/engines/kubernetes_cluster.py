"""A Kubernetes API on this machine, by kmock, and a loop that plays the Spark operator: a SparkService runs its applications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import kmock
import requests

from tests.airflow_plugin.engines.spark_service import SparkService, lists_joined

_GROUP = "apis/sparkoperator.k8s.io/v1beta2/namespaces/default/sparkapplications"


class _Api(kmock.KubernetesEmulator):
    """What is created is answered with 201, as clients expect, and a pod waits for its kubelet."""

    async def _handle(self, request: Any) -> Any:
        if request.method == "POST" and isinstance(request.data, dict) and request.data.get("kind") == "Pod":
            request.data.setdefault("status", {"phase": "Pending"})
        response = await super()._handle(request)
        if request.method == "POST" and response.status == 200 and not response.prepared:
            response.set_status(201)
        return response


@contextmanager
def kubernetes_cluster(service: SparkService, directory: Path) -> Iterator[Path]:
    """A kubeconfig of a cluster with the Spark operator."""
    with cluster(directory, lambda url, stop: _operate(url, service, stop)) as file:
        yield file


@contextmanager
def cluster(directory: Path, play: Callable[[str, Event], None]) -> Iterator[Path]:
    """A kubeconfig of a cluster in which `play(url, stop)` goes on beside the API."""
    closes, stop, started, urls = Event(), Event(), Event(), list[str]()

    async def serve() -> None:
        api = _Api()
        api.resources["sparkoperator.k8s.io/v1beta2/sparkapplications"] = {
            "namespaced": True,
            "kind": "SparkApplication",
        }
        for kind in ("Pod", "Event"):
            api.resources[f"v1/{kind.lower()}s"] = {"namespaced": True, "kind": kind}
        async with kmock.Server(api) as server:
            urls.append(str(server.url).rstrip("/"))
            started.set()
            while not closes.is_set():
                await asyncio.sleep(0.05)

    server = Thread(target=lambda: asyncio.run(serve()), daemon=True)
    server.start()
    assert started.wait(30)
    player = Thread(target=play, args=(urls[0], stop), daemon=True)
    player.start()
    file = directory / "kubeconfig"
    names = {"clusters": [{"name": "c", "cluster": {"server": urls[0]}}], "users": [{"name": "u", "user": {}}]}
    context = {"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}], "current-context": "x"}
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **names, **context}))
    try:
        yield file
    finally:
        for event, thread in ((stop, player), (closes, server)):
            event.set()
            thread.join(10)


def forget_pods(kubeconfig: Path) -> None:
    """Delete the pods of jobs that are over: kmock gives out all of them, whatever labels are asked for."""
    url = json.loads(kubeconfig.read_text())["clusters"][0]["cluster"]["server"] + "/api/v1/namespaces/default/pods"
    for pod in requests.get(url, timeout=10).json().get("items", []):
        requests.delete(f"{url}/{pod['metadata']['name']}", timeout=10)


def _operate(url: str, service: SparkService, stop: Event) -> None:
    """What the Spark operator does: runs each application, and makes its driver's pod."""
    done: set[str] = set()
    while not stop.wait(0.05):
        for application in requests.get(f"{url}/{_GROUP}", timeout=10).json().get("items", []):
            name, spec = application["metadata"]["name"], application["spec"]
            if name in done:
                continue
            done.add(name)
            deps = spec.get("deps", {})
            succeeded = service.run(lists_joined(spec.get("sparkConf", {}), deps.get("jars"), deps.get("files")))
            code, phase = (0, "Succeeded") if succeeded else (1, "Failed")
            state = {"terminated": {"exitCode": code}}
            container = "spark-kubernetes-driver"
            status = {"name": container, "ready": False, "restartCount": 0, "image": "x", "imageID": "", "state": state}
            pod = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{name}-driver",
                    "namespace": "default",
                    "labels": {**spec["driver"].get("labels", {}), "spark-role": "driver"},
                },
                "spec": {"containers": [{"name": container, "image": "x"}]},
                "status": {"phase": phase, "containerStatuses": [status]},
            }
            requests.post(f"{url}/api/v1/namespaces/default/pods", json=pod, timeout=10)
            requests.patch(
                f"{url}/{_GROUP}/{name}",
                json={"status": {"applicationState": {"state": "COMPLETED" if succeeded else "FAILED"}}},
                headers={"Content-Type": "application/merge-patch+json"},
                timeout=10,
            )
