"""What a harvest has written: batches of rows that become visible whole, and which logs they hold.

    OUT/<table>/batch=<batch>/month=<month>/part-….parquet
    OUT/_batches/<run>.json        written last: a batch that is in none was never finished
    OUT/_staging/<run>/…           what is being written

Names with an underscore are passed over by readers of Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from tuner.pipeline.schema import LAYOUT, TABLES

MANIFESTS, STAGING = "_batches", "_staging"
# Logs. Files of so many are large, and to write them anew takes minutes.
MOST_MERGED = 20_000


class Directory(Protocol):
    """The output directory, on whatever file system it lies. Paths are relative to it."""

    @property
    def location(self) -> str:
        """Its own path or URL, as Spark understands it."""
        ...

    def names(self, path: str) -> list[str]:
        """What a directory holds; nothing where it is not there."""
        ...

    def read(self, path: str) -> bytes: ...

    def write(self, path: str, content: bytes) -> None:
        """Write a file whole or not at all, where none is."""
        ...

    def put(self, path: str, content: bytes) -> None:
        """Write a file, in place of one that is there. Who reads it meanwhile may see a part of it."""
        ...

    def move(self, source: str, target: str) -> None:
        """Move a directory to a place where nothing is. Does nothing where it is not there."""
        ...

    def delete(self, path: str) -> None: ...


class HarvestedLog(msgspec.Struct, frozen=True):
    """One log of a batch. Not `settled`: reading it again may tell more, though it has not changed.

    `documents` is the version of the documents that its rows hold for replays, 0 where they hold none. `tables` is that of
    the rows themselves (`schema.VERSION`).
    """

    log: str
    version: str
    settled: bool = True
    documents: int = 0
    size_bytes: int = 0
    tables: int = 0


class Manifest(msgspec.Struct, frozen=True):
    """The batches that became visible together; `replaces` names earlier ones whose rows are now in them. `layout` is how their
    files lie (`schema.LAYOUT`)."""

    batches: dict[str, tuple[HarvestedLog, ...]]
    replaces: tuple[str, ...] = ()
    layout: int = 0


def finished(out: Directory) -> dict[str, tuple[HarvestedLog, ...]]:
    """The logs of each finished batch, without the batches that a later one replaces."""
    found = [manifest for _, manifest in _manifests(out)]
    replaced = {batch for manifest in found for batch in manifest.replaces}
    return {batch: logs for manifest in found for batch, logs in manifest.batches.items() if batch not in replaced}


def of_earlier_layout(out: Directory) -> set[str]:
    """The finished batches whose files lie otherwise: readers of Parquet take no table that has both."""
    there = finished(out).keys()
    return {batch for _, manifest in _manifests(out) if manifest.layout != LAYOUT for batch in manifest.batches} & there


def to_merge(logs: int, sizes: Mapping[str, int]) -> list[str]:
    """Which batches a new one of so many logs takes in, by how many they have: the smallest as long as what is taken in so far
    has at least as many. So there are few batches, and a log is rewritten as often as the logarithm of all. What has
    MOST_MERGED stays as it is.
    """
    taken: list[str] = []
    for batch, size in sorted(sizes.items(), key=lambda one: (one[1], one[0])):
        if size > logs or size >= MOST_MERGED:
            break
        taken.append(batch)
        logs += size
    return taken


def _manifests(out: Directory) -> list[tuple[str, Manifest]]:
    names = sorted(name for name in out.names(MANIFESTS) if name.endswith(".json"))
    return [(n, msgspec.json.decode(out.read(f"{MANIFESTS}/{n}"), type=Manifest)) for n in names]


def clean(out: Directory) -> None:
    """Remove what a harvest that was killed has left, and batches that a finished one replaces."""
    kept = finished(out)
    for table in TABLES:
        for name in out.names(table):
            if name.startswith("batch=") and name.removeprefix("batch=") not in kept:
                out.delete(f"{table}/{name}")
    for name, manifest in _manifests(out):
        if not manifest.batches.keys() & kept.keys():
            out.delete(f"{MANIFESTS}/{name}")
    out.delete(STAGING)


def commit(out: Directory, run: str, staged: str, manifest: Manifest) -> None:
    """Make visible the tables under `staged/<batch>`. `clean` then removes the batches they replace."""
    for batch in manifest.batches:
        for table in TABLES:
            out.move(f"{staged}/{batch}/{table}", f"{table}/batch={batch}")
    # A batch that was replaced before is still named where it was made with others, but the manifest that says that it
    # was replaced may go now.
    earlier = [found for _, found in _manifests(out)]
    named = {batch for found in earlier for batch in found.batches}
    replaced = dict.fromkeys(batch for found in (manifest, *earlier) for batch in found.replaces if batch in named)
    whole = msgspec.structs.replace(manifest, replaces=tuple(replaced))
    out.write(f"{MANIFESTS}/{run}.json", msgspec.json.encode(whole))
