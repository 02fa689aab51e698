"""The walks that are done: rounds of cohorts, each there whole or not at all.

    OUT/_replay/walks/<round>/part-….parquet
    OUT/_replay/rounds/<round>.json          written last: a round without one was never finished
    OUT/_replay/staging/…                    what is being written

A cohort that is walked again is in a later round, and what the earlier one holds of it no longer counts.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from tuner.pipeline.batches import Directory

REPLAY = "_replay"
STAGING = f"{REPLAY}/staging"
_WALKS, _ROUNDS = f"{REPLAY}/walks", f"{REPLAY}/rounds"
_STAMP = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True, slots=True)
class Walked:
    """The round that holds a cohort's walk, and the digest of all that the walk came of."""

    round: str
    digest: str


def name_of_next(out: Directory, now: datetime) -> str:
    """A name for a round that is made now: after all that there are, also where the clock that named these was ahead."""
    newest = max(_rounds(out), default="").partition("-")[0]
    if newest >= f"{now:{_STAMP}}":
        now = datetime.strptime(newest, _STAMP).replace(tzinfo=UTC) + timedelta(microseconds=1)
    return f"{now:{_STAMP}}-{uuid.uuid4().hex[:8]}"


def place_of(round_: str) -> str:
    """Where the rows of a round are."""
    return f"{_WALKS}/{round_}"


def walked(out: Directory) -> dict[str, Walked]:
    """The walk of each cohort that counts: its newest."""
    found: dict[str, Walked] = {}
    for round_ in _rounds(out):
        digests = msgspec.json.decode(out.read(f"{_ROUNDS}/{round_}.json"), type=dict[str, str])
        found |= {cohort: Walked(round_, digest) for cohort, digest in digests.items()}
    return found


def commit(out: Directory, round_: str, staged: str, digests: Mapping[str, str]) -> None:
    """Make a round count, which lies under `staged`. `digests` are those of its cohorts."""
    out.move(staged, place_of(round_))
    out.write(f"{_ROUNDS}/{round_}.json", msgspec.json.encode(digests))


def clean(out: Directory, cohorts: Collection[str]) -> None:
    """Remove what a replay that was killed has left, and rounds whose cohorts are all gone or in later ones."""
    kept = {walk.round for cohort, walk in walked(out).items() if cohort in cohorts}
    for round_ in _rounds(out):
        if round_ not in kept:
            out.delete(f"{_ROUNDS}/{round_}.json")
    for round_ in out.names(_WALKS):
        if round_ not in kept:
            out.delete(place_of(round_))
    out.delete(STAGING)


def _rounds(out: Directory) -> list[str]:
    """Oldest first: so their names begin (`name_of_next`)."""
    return sorted(name.removesuffix(".json") for name in out.names(_ROUNDS) if name.endswith(".json"))
