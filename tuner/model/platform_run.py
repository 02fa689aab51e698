"""What a platform tells of an application that it started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlatformRun:
    """`job` is the name of its job, or else of its cluster, `cluster_id` whose ids of applications are told apart. "" where it
    does not tell."""

    job: str = ""
    cluster_id: str = ""


UNTOLD_PLATFORM = PlatformRun()
