"""What a kubelet does with pods, as far as a task sees it: it runs their first container's program, on this machine."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import requests

_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")


@dataclass
class Kubelet:
    """`image` is what its images set and start; `pods` those that were created; it stands still while it is `paused`."""

    image: dict[str, str]
    entrypoint: list[str] = field(default_factory=list)
    pods: list[dict[str, Any]] = field(default_factory=list)
    paused: Event = field(default_factory=Event)

    def play(self, url: str, stop: Event) -> None:
        pods = f"{url}/api/v1/namespaces/default/pods"
        done: set[str] = set()
        while not stop.wait(0.05):
            for pod in requests.get(pods, timeout=10).json().get("items", []):
                name = pod["metadata"]["name"]
                if name in done or self.paused.is_set():
                    continue
                done.add(name)
                self.pods.append(pod)
                code = self._run(pod["spec"]["containers"][0])
                requests.patch(
                    f"{pods}/{name}",
                    json={"status": _status(pod["spec"]["containers"][0]["name"], code)},
                    headers={"Content-Type": "application/merge-patch+json"},
                    timeout=10,
                )

    def _run(self, container: Mapping[str, Any]) -> int:
        environment = dict(self.image)
        for variable in container.get("env") or []:
            environment[variable["name"]] = _substituted(variable.get("value", ""), environment)
        command = [*(container.get("command") or self.entrypoint), *(container.get("args") or [])]
        return subprocess.run(command, env=environment, check=False).returncode


def _substituted(value: str, environment: Mapping[str, str]) -> str:
    """As Kubernetes has it: $(NAME) is a variable that came before, $$ a dollar sign."""
    return _REFERENCE.sub(lambda found: "$" if found[1] is None else environment.get(found[1], found[0]), value)


def _status(container: str, code: int) -> dict[str, Any]:
    state = {
        "terminated": {"exitCode": code, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z"}
    }
    named = {"name": container, "ready": False, "restartCount": 0, "image": "x", "imageID": "", "state": state}
    return {"phase": "Failed" if code else "Succeeded", "containerStatuses": [named]}
