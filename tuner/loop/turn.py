"""A turn of the loop as its driver sees it: the job before it, the decision for it, the report after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tuner.loop.catching_up import CatchingUp
from tuner.loop.time_limits import MostSeconds
from tuner.model.cohort_figures import Gained
from tuner.model.decision import Decision, Mode
from tuner.model.failure import Failure
from tuner.model.objective import Objective
from tuner.model.run import Origin, Run, RunState
from tuner.model.size_change import MemoryLimits, Resources, SizeChange
from tuner.policy.changes_in_effect import held_in, not_followed
from tuner.policy.context import shape_in
from tuner.policy.judgement import Judgement
from tuner.printable import printable
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Directives, Steering
from tuner.steering.order_sensitive import OrderSensitive
from tuner.words.changes import change_words
from tuner.words.decisions import decision_summary
from tuner.words.failures import failure_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words, why_words

# Characters.
_MOST_RUNTIME = 100


@dataclass(frozen=True, slots=True)
class JobToRun:
    """What a driver knows of the run to come.

    `key` is unique for each try of each run, `<run's own parts>/<try>`; `try_number` counts from 1; `user_conf` is what
    the user set (it wins); `event_log_base` a directory under which each try gets its own, and `base_is_shared` whether
    someone said that a driver on another machine has it, too; `statements` the SQL of a `sql=` job. `steering` is how
    changes are to reach the run; `submission` is what tells if the agent can. `origin` is the Airflow task instance.
    `order_sensitive` says what becomes of joins below operators to which the order of rows matters, `most_seconds` how long
    the job may be kept waiting, `borrows` whether its first run has what other jobs have proven, `objective` what changes are
    judged by. A mode that a person gave the cohort beats `mode`. `access` are options of the file system that its event logs lie
    in (`tuner.eventlog.location.log_path`), secrets among them; `log_lands_late` says that a log may get there, or be whole,
    later than its driver sees its run end, `may_go_on` that it does so because the driver sees only the submission succeed: the
    application may still run; `is_waited_for` that this driver sees it end at all, `shares_task` that the task has other Spark
    jobs, too: it may end before this one, or for another.
    `resources` is what becomes of the sizes that it asks for, within `memory_limits`: a driver says so that can set them.
    `tags` are those of its DAG (None: not known). `runs_as` is the user whom its Spark impersonates or says it is ("": nobody
    named one). `tries_left` is how many more tries follow if this one fails (None: not known).
    """

    cohort: str
    key: str
    try_number: int
    mode: Mode
    user_conf: Mapping[str, str] = field(default_factory=dict)
    event_log_base: str = ""
    statements: tuple[str, ...] = ()
    steering: Steering = Steering.AGENT
    submission: Submission = field(default_factory=Submission)
    origin: Origin | None = None
    order_sensitive: OrderSensitive = OrderSensitive.STABLE
    base_is_shared: bool = False
    most_seconds: MostSeconds = field(default_factory=MostSeconds)
    borrows: bool = True
    objective: Objective = Objective.TIME
    access: Mapping[str, Any] = field(default_factory=dict, repr=False)
    log_lands_late: bool = False
    may_go_on: bool = False
    is_waited_for: bool = True
    shares_task: bool = False
    resources: Resources = Resources.OBSERVE
    memory_limits: MemoryLimits = MemoryLimits()  # noqa: RUF009 (frozen)
    tags: tuple[str, ...] | None = None
    runs_as: str = ""
    tries_left: int | None = None

    @property
    def is_mapped(self) -> bool:
        """Whether it is one of many mapped task instances."""
        return self.origin is not None and self.origin.map_index >= 0

    @property
    def instance(self) -> str:
        """As `Origin.instance`; "" outside Airflow."""
        return self.origin.instance if self.origin else ""

    @property
    def runtime(self) -> str:
        """As `Submission.runtime`, as it is stored and shown."""
        return printable(self.submission.runtime, _MOST_RUNTIME)

    def submitted_shape(self, raises: Iterable[SizeChange]) -> dict[str, str]:
        """As `Decision.submitted`."""
        raised = {one.property: one.value for one in raises}
        return shape_in({**self.submission.conf, **self.user_conf, **raised})


@dataclass(frozen=True, slots=True)
class Turn:
    """A prepared run. `conf` is everything to add to the submit (the user's own settings left out), except
    `directives.merged` and `directives.sizes`, which replace settings of his; `problems` what failed while preparing, one
    line each, none of which stops the job; `taught` what its prices were learned from; `names` what the queries that it
    changes are called, by fingerprint; `is_late` says that nobody waited any longer for its decision; `catching_up` is the
    harvest of earlier runs, where it goes on."""

    job: JobToRun
    decision: Decision
    directives: Directives
    conf: Mapping[str, str]
    event_log_dir: str
    started_at: datetime
    problems: tuple[str, ...] = ()
    taught: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    is_late: bool = False
    catching_up: CatchingUp | None = field(default=None, repr=False, compare=False)

    @property
    def query_names(self) -> QueryNames:
        return QueryNames.known(self.names)

    @property
    def run(self) -> Run:
        """The run as it begins: under way, with what was decided for it."""
        job = self.job
        begun = (RunState.RUNNING, self.decision, self.event_log_dir)
        return Run(job.key, job.cohort, job.try_number, self.started_at, *begun, origin=job.origin)


@dataclass(frozen=True, slots=True)
class Report:
    """What a finished turn tells its driver. `run` is None when nothing could be harvested, `judgement` when no changes
    were in force, or nothing is known of them; `failure` is why the job failed, where that is known; `gained` what its changes
    gained, as the savings have it (None: not known); `is_late` says that nobody waited for all of it."""

    turn: Turn
    run: Run | None
    problems: tuple[str, ...] = ()
    judgement: Judgement | None = None
    failure: Failure | None = None
    gained: Gained | None = None
    is_late: bool = False

    @property
    def has_failed(self) -> bool:
        """Whether its log tells that it failed."""
        return self.run is not None and self.run.state is RunState.FAILED

    @property
    def query_names(self) -> QueryNames:
        """What the queries of this run and of earlier ones are called."""
        names = self.turn.query_names
        if self.run and self.run.outcome:
            names.add_all(self.run.outcome.queries)
        return names

    def not_followed(self) -> list[tuple[str, str, str]]:
        """Ids and words of the changes that the run did not follow, or held for their size, and why."""
        why = {**not_followed(self.run), **held_in(self.run)} if self.run else {}
        changes, names = (decided.change for decided in self.turn.decision.changes), self.query_names
        return [(c.id, change_words(c, names), reason_words(why[c.id], names)) for c in changes if c.id in why]

    def as_json(self) -> dict[str, object]:
        """Decision and outcome, small enough for an XCom."""
        decision, run, names = self.turn.decision, self.run, self.query_names
        outcome = run.outcome if run else None
        judged = self.judgement.records if self.judgement else ()
        return {
            "cohort": self.turn.job.cohort,
            "key": self.turn.job.key,
            "mode": decision.mode.value,
            "decision": decision_summary(decision),
            "steering": self.turn.directives.steering.value,
            "steering_reason": self.turn.directives.why,
            "actions": [
                {"action": action.id, "standing": d.standing.value, "reason": why_words(d, names)}
                for d in decision.changes
                for action in d.change.actions
            ],
            "not_applied": [{"action": a.id, "reason": why} for a, why in self.turn.directives.overruled],
            "not_followed": [{"action": id_, "reason": why} for id_, _, why in self.not_followed()],
            "judged": [
                {"action": action.id, "standing": d.standing.value, "reason": why_words(d, names)}
                for d in (record.now for record in judged)
                for action in d.change.actions
            ],
            "gained_seconds": self.judgement.gained_seconds if self.judgement else None,
            "conf": dict(self.turn.directives.conf),
            "raised": [
                {"property": r.property, "value": r.value, "was": r.was, "reason": reason_words(r.why, names)}
                for r in decision.raises
            ],
            "lowered": [
                {"property": c.property, "value": c.value, "was": c.was, "reason": reason_words(c.why, names)}
                for c in decision.cuts
            ],
            "state": run.state.value if run else None,
            "failure": {
                "kind": self.failure.kind.value,
                "query": self.failure.query,
                "name": names[self.failure.query] if self.failure.query else None,
                "words": failure_words(self.failure, names),
            }
            if self.failure
            else None,
            "app_id": outcome.app_id if outcome else None,
            "duration_ms": outcome.duration_ms if outcome else None,
            "queries": [
                {"fingerprint": q.fingerprint, "name": names[q.fingerprint], "duration_ms": q.duration_ms}
                for q in outcome.queries[:100]
            ]
            if outcome
            else [],
            "problems": list(self.problems),
        }
