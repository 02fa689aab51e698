"""A service that does not answer."""

from __future__ import annotations

import threading


class Hanging:
    """Who asks is held until its test is over (`let_go`), or for 30 s: `kept` has those that were waited for so long."""

    def __init__(self) -> None:
        self.asked = 0
        self.kept: list[int] = []
        self._gone_on = threading.Event()

    def hang(self) -> None:
        self.asked += 1
        if not self._gone_on.wait(30):
            self.kept.append(self.asked)

    def let_go(self) -> None:
        """Returns once what was left behind has ended: it may hold connections to services of the test's."""
        self._gone_on.set()
        for thread in threading.enumerate():
            if thread.name == "spark-tuner":
                thread.join(30)
