"""A baseline's file: JSON with sorted keys, version 1, or 2 where people said something of the cohort.

`change` says in words what its `parts` do, for who reviews it; what counts are the parts. They are tried together: the others
need the first. `queries` are the names of those that it is for, by fingerprint. `mode`, `objective` and `refused` are what people
said of it, each left out where nobody did. There is no SQL in it and no filter value, nor a digest of one.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tuner.model.action import ActionKind
from tuner.model.change import Risk
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.verdict import Ruling

PROVEN_ALONE, WITH_WORDS = 1, 2
MOST_BYTES = 4 << 20
# As deep as the fields below go.
MOST_DEPTH = 8
MOST_SECONDS = 1e7
MOST_REFUSED = 1000

_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
_Name = Annotated[str, Meta(min_length=1, max_length=500)]
_Note = Annotated[str, Meta(max_length=1000)]
_Moment = Annotated[datetime, Meta(tz=True)]
_Text = Annotated[str, Meta(min_length=1, max_length=4000)]
_Count = Annotated[int, Meta(ge=0, le=10**7)]
_Bytes = Annotated[int, Meta(ge=0, le=10**18)]
_Seconds = Annotated[float, Meta(ge=-MOST_SECONDS, le=MOST_SECONDS)]


class ActionDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    kind: ActionKind
    target: _Text
    value: Annotated[str, Meta(max_length=4000)]
    query: _Digest | None = None
    relations: Annotated[tuple[_Name, ...], Meta(max_length=100)] = ()
    by_agent_alone: bool = False


class PartDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    advisor: Annotated[str, Meta(pattern=r"^[a-z_]{1,40}\Z")]
    actions: Annotated[tuple[ActionDocument, ...], Meta(min_length=1, max_length=50)]
    risk: Risk = Risk.LOW
    secures: bool = False


class GainDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    seconds: _Seconds
    low_seconds: _Seconds | None = None
    high_seconds: _Seconds | None = None
    runs: _Count | None = None


class _SaidDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Who said something, when and why; what was said comes first."""

    by: _Name
    at: _Moment
    reason: _Note = ""


class RuledDocument(_SaidDocument, frozen=True):
    ruling: Ruling


class TrialDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    change: _Text
    standing: Literal["promoted", "pinned"]
    queries: Annotated[dict[_Digest, _Name], Meta(min_length=1, max_length=10_000)]
    parts: Annotated[tuple[PartDocument, ...], Meta(min_length=1, max_length=50)]
    gain: GainDocument | None = None
    ruled: RuledDocument | None = None
    input_bytes: _Bytes = 0


class ClusterDocument(Struct, frozen=True, forbid_unknown_fields=True):
    cores: _Count
    executors: _Count
    cores_per_executor: _Count
    executor_memory_bytes: _Bytes
    driver_memory_bytes: _Bytes
    local: bool


class ModeDocument(_SaidDocument, frozen=True):
    mode: Mode


class ObjectiveDocument(_SaidDocument, frozen=True):
    objective: Objective


class RefusedDocument(Struct, frozen=True, forbid_unknown_fields=True):
    change: _Text
    id: Annotated[str, Meta(min_length=1)]
    ruled: RuledDocument


class BaselineDocument(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    version: int
    cohort: _Name
    as_of: date
    spark_version: Annotated[str, Meta(pattern=r"^[0-9A-Za-z.+_-]{0,100}\Z")]
    cluster: ClusterDocument
    changes: Annotated[tuple[TrialDocument, ...], Meta(max_length=1000)]
    mode: ModeDocument | None = None
    objective: ObjectiveDocument | None = None
    refused: Annotated[tuple[RefusedDocument, ...], Meta(max_length=MOST_REFUSED)] = ()
