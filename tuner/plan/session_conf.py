"""What an application set in its sessions while it ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_OF_SQL = "spark.sql."


@dataclass(slots=True)
class SessionConf:
    """The properties of Spark SQL that all queries of an application had with one value, which is not that of its environment:
    `spark.conf.set` after the session was made, or what a stream's checkpoint holds. Others are no session's to set."""

    properties: Mapping[str, str] = field(default_factory=dict)
    _is_first: bool = True

    def take(self, modified_conf: Mapping[str, str]) -> None:
        """Of one more query, what its session has otherwise."""
        own = {name: value for name, value in modified_conf.items() if name.startswith(_OF_SQL)}
        self.properties = own if self._is_first else dict(self.properties.items() & own.items())
        self._is_first = False
