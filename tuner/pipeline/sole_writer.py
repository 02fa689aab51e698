"""One writer at a time in an output directory, on any file system: each shows that it lives, and gives way to another that does.

    OUT/_writers/<writer>.json     written anew while its writer lives

No clock is compared with another, and nothing is asked of the file system but that it shows what was written. A writer that was
killed is known at once on its own machine, elsewhere by its silence.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from tuner.errors import HarvestError
from tuner.pipeline.batches import Directory
from tuner.pipeline.process_identity import ProcessIdentity, has_ended, this_process

WRITERS = "_writers"
# Of two that begin at the same moment both give way, and try again.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. `silence` is longer than a JVM collects garbage or a store of objects does not answer; `settling` than it takes
    one that gives way to do so."""

    renewal: float = 5.0
    silence: float = 60.0
    settling: float = 3.0


class _Sign(msgspec.Struct, frozen=True):
    """What a writer's file says; `renewed` counts on."""

    process: ProcessIdentity
    since: str
    renewed: int = 0


@dataclass(slots=True)
class SoleWriter:
    """The right to write to `directory`, for as long as the context that gave it."""

    directory: Directory
    _pace: Pace = field(default_factory=Pace)
    _name: str = field(default_factory=lambda: f"{uuid.uuid4().hex}.json")
    _since: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
    _renewed: int = 0

    def require(self) -> None:
        """To be called before anything counts. Raises HarvestError where another has taken this one for dead."""
        if self._is_alone():
            return
        # One that gives way is there for a moment.
        time.sleep(self._pace.settling)
        if not self._is_alone():
            raise HarvestError(
                f"{self.directory.location}: this run was silent for {self._pace.silence:g} s or longer, and another one "
                "writes there now; what this one had finished stays. Run it again when the other one is through"
            )

    def enter(self) -> None:
        """Raises HarvestError while another one lives."""
        for _ in range(_TRIES):
            for name in self._others():
                self._await_end(name)
            self.renew()
            others = self._others()
            if not others:
                return
            self.leave()
            time.sleep(self._pace.settling * (1 + random.random()))  # noqa: S311
        raise self._refusal(others[0])

    def renew(self) -> None:
        self._renewed += 1
        sign = _Sign(this_process(), self._since, self._renewed)
        self.directory.put(self._path(self._name), msgspec.json.encode(sign))

    def leave(self) -> None:
        self.directory.delete(self._path(self._name))

    def renew_until(self, end: threading.Event) -> None:
        while not end.wait(self._pace.renewal):
            # What the file system cannot do now it may do next time; `require` tells whether that came too late.
            with suppress(Exception):
                self.renew()

    def _await_end(self, name: str) -> None:
        """Return when a writer's file is gone: by itself, or removed after a writer that has ended.

        Raises HarvestError where it shows that it lives.
        """
        before = self._content(name)
        until = time.monotonic() + self._pace.silence
        while name in self._signs():
            if self._content(name) != before:
                raise self._refusal(name)
            if _has_ended(before) or time.monotonic() >= until:
                self.directory.delete(self._path(name))
                return
            time.sleep(self._pace.renewal / 2)

    def _content(self, name: str) -> bytes:
        """Empty where it cannot be read: the file is gone, or is being written."""
        with suppress(Exception):
            return self.directory.read(self._path(name))
        return b""

    def _refusal(self, name: str) -> HarvestError:
        sign = _sign(self._content(name))
        who = f", process {sign.process.number} of {sign.process.host}, since {sign.since}" if sign else ""
        return HarvestError(
            f"{self.directory.location}: another harvest or replay writes there{who}; run this one when it is through"
        )

    def _is_alone(self) -> bool:
        return self._signs() == [self._name]

    def _others(self) -> list[str]:
        return [name for name in self._signs() if name != self._name]

    def _signs(self) -> list[str]:
        return [name for name in self.directory.names(WRITERS) if name.endswith(".json") and not name.startswith(".")]

    def _path(self, name: str) -> str:
        return f"{WRITERS}/{name}"


def _has_ended(content: bytes) -> bool:
    sign = _sign(content)
    return sign is not None and has_ended(sign.process)


def _sign(content: bytes) -> _Sign | None:
    try:
        return msgspec.json.decode(content, type=_Sign)
    except msgspec.MsgspecError:
        return None


@contextmanager
def sole_writer(directory: Directory, pace: Pace | None = None) -> Iterator[SoleWriter]:
    """The right to write to a directory, waited for as long as another writer is silent.

    Raises HarvestError where another one lives.
    """
    writer = SoleWriter(directory, pace or Pace())
    writer.enter()
    end = threading.Event()
    renewing = threading.Thread(target=writer.renew_until, args=(end,), daemon=True)
    renewing.start()
    try:
        yield writer
    finally:
        end.set()
        renewing.join()
        # Left where it is, it is known for one that has ended.
        with suppress(Exception):
            writer.leave()
