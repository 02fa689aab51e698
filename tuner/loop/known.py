"""What the decision on a job's next run rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.history.store import Store
from tuner.loop.earlier_tries import earlier_tries
from tuner.loop.next_decision import LEARN_RUNS, advised_on, facts_now
from tuner.loop.stamps import advice_stamp
from tuner.loop.turn import JobToRun
from tuner.model.change import Change
from tuner.model.imported_change import ImportedChange
from tuner.model.run import Elsewhere, Run
from tuner.model.verdict import Verdict
from tuner.policy.extensions_beside import extensions_beside
from tuner.policy.usable import usable
from tuner.policy.why_no_agent import DOES_WITHOUT, why_no_agent
from tuner.problems import Problems
from tuner.steering.agent.route import fetched_jar
from tuner.steering.steering_method import SteeringMethod, choose_method

# With so many measured runs of its own a cohort needs no others to know what operators take.
TAUGHT_BY_OWN_RUNS = 3
# Of so many other cohorts it is looked at what came of their changes.
MOST_COHORTS_ELSEWHERE = 20


@dataclass(frozen=True, slots=True)
class Known:
    """What the decision on a job's next run rests on, as it was `now`; `advice_stamp` tells what was advised from what would be
    on other runs."""

    job: JobToRun
    runs: Sequence[Run]
    verdicts: Sequence[Verdict]
    earlier_tries: Sequence[Run]
    elsewhere: Elsewhere
    way: SteeringMethod
    facts: Facts | None
    advised: Sequence[Change]
    advice_stamp: str
    no_agent: str
    beside: str | None
    imported: Sequence[ImportedChange]
    now: datetime

    @property
    def own_runs(self) -> int:
        return sum(map(usable, self.runs))


def what_is_known(store: Store, job: JobToRun, runs: Sequence[Run], spark_version: str, problems: Problems) -> Known:
    """Reads what the store holds of a job; StoreError as `Store` raises it. What was advised on the same runs is taken up."""
    elsewhere = problems.guard("look at other cohorts", lambda: _elsewhere(store, job, runs), Elsewhere())
    sees_defaults = job.submission.sees_defaults
    jar = fetched_jar(job.submission, spark_version)
    now = datetime.now(UTC)
    no_agent = why_no_agent(runs, now, sees_defaults=sees_defaults, jar=jar)
    beside = None if sees_defaults else extensions_beside(runs, DOES_WITHOUT)
    way = choose_method(job.steering, job.submission, spark_version, no_agent, beside)
    reach = reach_of(job, way)
    stamp = "" if _is_new(runs) else advice_stamp([run.mark for run in runs], reach)
    ahead = store.look_ahead(job.cohort) if stamp else None
    if ahead is not None and ahead.advice_stamp != stamp:
        ahead = None
    facts = facts_now(runs, reach, problems, elsewhere, ahead.prices if ahead else None, job.instance)
    advised = ahead.advised if ahead and ahead.is_for(job.instance) else advised_on(facts, problems)
    verdicts, tries = store.verdicts(job.cohort), earlier_tries(store, job)
    imported = problems.guard("look at what was imported", lambda: store.imports(job.cohort), list[ImportedChange]())
    return Known(job, runs, verdicts, tries, elsewhere, way, facts, advised, stamp, no_agent, beside, imported, now)


def _elsewhere(store: Store, job: JobToRun, runs: Sequence[Run]) -> Elsewhere:
    """What other cohorts teach; their runs only for as long as this one has few of its own."""
    return store.elsewhere(job.cohort, MOST_COHORTS_ELSEWHERE, LEARN_RUNS if _is_new(runs) else 0)


def _is_new(runs: Sequence[Run]) -> bool:
    return sum(usable(run) for run in runs) < TAUGHT_BY_OWN_RUNS


def reach_of(job: JobToRun, way: SteeringMethod) -> Reach:
    """How far a change can reach the job: its plans by the agent, its SQL texts, or its properties alone."""
    return Reach.AGENT if way.route is not None else Reach.TEXT if job.statements else Reach.CONF
