"""Many processes that use a store at once: `crowd.py URL PROCESSES RUNS`, on a database that may still be empty.

Each migrates the schema, opens the store, and begins and finishes its own runs; then all race to finish the run called
`shared`, if there is one. Prints the names of those that did. Forks before anything is opened: importing what a process
needs takes longer than all that it does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier

import alembic.command  # noqa: F401  (these two are imported late: here once, not by each process)

from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.model.cluster import Cluster
from tuner.model.decision import Decision, Mode
from tuner.model.run import Outcome, Run, RunState

with contextlib.suppress(ImportError):
    import psycopg  # noqa: F401


def take_part(url: str, name: str, runs: int, start: Barrier) -> None:
    """What one process does."""
    start.wait()
    upgrade(url)
    with Store.open(url) as store:
        for number in range(runs):
            write(store, f"{name}/{number}")
        if store.run("shared") and store.finish("shared", RunState.SUCCEEDED, datetime.now(UTC), outcome(name)):
            print(name, flush=True)


def write(store: Store, key: str) -> None:
    """Begins and finishes a run of the cohort `crowd`."""
    now = datetime.now(UTC)
    store.begin(Run(key, "crowd", 1, now, RunState.RUNNING, Decision(Mode.AUTO, ()), "/logs"))
    assert store.finish(key, RunState.SUCCEEDED, now, outcome(key))


def outcome(app_id: str) -> Outcome:
    return Outcome(app_id, "4.0.1", 1, Cluster(), queries=())


def main(url: str, count: int, runs: int) -> int:
    """How many processes failed."""
    fork = multiprocessing.get_context("fork")
    start = fork.Barrier(count)
    processes = [fork.Process(target=take_part, args=(url, f"p{number}", runs, start)) for number in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return sum(process.exitcode != 0 for process in processes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
