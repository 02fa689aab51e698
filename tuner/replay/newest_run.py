"""What there is to see of one run of a replay: its log is read once more, this time with its plans."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from tuner.advice.steering_reach import Reach
from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.log_version import finished_name, log_name
from tuner.eventlog.read import read_application
from tuner.loop.next_decision import facts_now
from tuner.loop.run_details import run_details
from tuner.model.decision import Decision, Mode
from tuner.model.insight import Insight
from tuner.model.run import RunDetails, RunState
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.problems import Problems
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.run_in_effect import run_in_effect

_IN_ZIP = re.compile(r"(.+\.zip)/.", re.IGNORECASE)


def details_of_newest_run(run: LoggedRun, outlook: Decision | None = None, more: Iterable[Insight] = ()) -> RunDetails:
    """Pictures of its plans and insights, with `more` that rest on other runs too.

    Raises EventLogNotFoundError where the log is no longer there, and OSError where it cannot be read.
    """
    for source in _sources(run.log):
        application = read_application(source)
        if application.app_id == run.outcome.app_id:
            return run_details(application, outlook, more)
    raise EventLogNotFoundError(f"{run.log}: no longer holds {run.outcome.app_id}; replay the logs that are there now")


def newest_whole(runs: Iterable[LoggedRun]) -> tuple[LoggedRun, ...]:
    """The newest runs that a decision looks at, up to the last that came to its end with queries; () where none did."""
    found = deque[LoggedRun](maxlen=HISTORY_RUNS)
    whole: tuple[LoggedRun, ...] = ()
    for run in runs:
        found.append(run)
        if run.state is RunState.SUCCEEDED and run.outcome.queries:
            whole = tuple(found)
    return whole


def order_insights(runs: Iterable[LoggedRun], reach: Reach = Reach.AGENT) -> tuple[Insight, ...]:
    """Orders of joins that may be worth a try, by all that the runs measured of them."""
    from tuner.advice.insights.join_order import unsure_orders

    nothing = Decision(Mode.OBSERVE, ())
    facts = facts_now([run_in_effect(nothing, run) for run in runs], reach, Problems())
    return tuple(unsure_orders(facts)) if facts else ()


def _sources(log: str) -> Iterable[LogSource]:
    """A log in a zip file is looked for in the whole of that, and alone is read."""
    in_zip, name = _IN_ZIP.match(log), finished_name(log)
    return (source for source in find_logs(log_path(in_zip[1] if in_zip else log)) if log_name(source) == name)
