"""What one change gained in one run."""

from __future__ import annotations

from dataclasses import dataclass

# What other sizes of executors came to has no change of its own.
OF_SIZES = ""


@dataclass(frozen=True, slots=True)
class Saving:
    """Seconds of queries, core-hours and GiB-hours of executors that a change (by its id, or OF_SIZES) and those that need it
    gained in a run, as all runs of its cohort tell; less than 0: lost.

    `deviation` is the standard deviation of the seconds; `variance_of_run` its part of the variance of what all changes of the
    run gained together, which may be much surer than what each did. Hours are None where the run's log does not tell what its
    executors held. A run that a change made fail `failed`: it lost all that it took.
    """

    run_key: str
    change_id: str
    seconds: float
    deviation: float = 0.0
    core_hours: float | None = None
    gib_hours: float | None = None
    failed: bool = False
    variance_of_run: float = 0.0
