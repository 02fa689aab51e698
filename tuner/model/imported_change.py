"""What another cohort has proven, as it was brought in from the file of its baseline."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tuner.model.change import Change
from tuner.model.cluster import Cluster


@dataclass(frozen=True, slots=True)
class ImportedChange:
    """A change that `cohort` may try; its reason says where it was proven, and what it gained there.

    `spark_version`, `cluster` and `input_bytes` of its queries (0: not known) are those that it was proven with. `by` is who
    imported it.
    """

    cohort: str
    change: Change
    by: str
    at: datetime
    spark_version: str = ""
    cluster: Cluster = Cluster()  # noqa: RUF009 (frozen)
    input_bytes: int = 0
