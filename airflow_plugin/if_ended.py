"""What is done where a task is ended while something lasts: by a timeout of Airflow's, or by whoever kills it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def if_ended(call: Callable[[], None]) -> Iterator[None]:
    """Calls where anything is raised, also what is no Exception (AirflowTaskTimeout), and raises it on."""
    try:
        yield
    except BaseException:
        call()
        raise
