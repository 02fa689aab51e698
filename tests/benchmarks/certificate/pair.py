"""One night of a job, steered and not, as a line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Executed:
    """One query of one run; `cpu_seconds` are those of the driver's process, in local mode all there are.

    `changes` are the ids of those that reached it: properties in force, and what the agent says that it applied.
    """

    query: str
    values: str
    seconds: float
    cpu_seconds: float
    rows: int
    digest: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a job. `changes` are the ids of those in force; `seconds` those of the whole command."""

    succeeded: bool
    changes: tuple[str, ...]
    seconds: float
    executed: tuple[Executed, ...] = ()
    failure: str = ""

    @classmethod
    def of(cls, read: dict[str, Any]) -> Self:
        executed = tuple(Executed(**{**one, "changes": tuple(one["changes"])}) for one in read["executed"])
        return cls(**{**read, "changes": tuple(read["changes"]), "executed": executed})


@dataclass(frozen=True, slots=True)
class Pair:
    """A night's runs, and where one was in doubt, more of both. `missed`: its input was not there, so it ran once more.

    `data` counts the changes of the data so far; `source` is a digest of the tuner's own source ("": not recorded).
    """

    seed: int
    trap: str
    night: int
    missed: bool
    data: int
    steered: tuple[Ran, ...]
    twin: tuple[Ran, ...]
    source: str = ""

    def as_line(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of_line(cls, line: str) -> Self:
        read: dict[str, Any] = json.loads(line)
        both = {which: tuple(map(Ran.of, read[which])) for which in ("steered", "twin")}
        return cls(**{**read, **both})
