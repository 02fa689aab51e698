"""What the panel's API answers and takes. Times are UTC; texts may hold anything a log held, and are never markup."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from tuner.compare.cause import CauseKind
from tuner.compare.operator_difference import OperatorKind
from tuner.history.cohort_name import is_storable
from tuner.model.action import ActionKind
from tuner.model.change import Prediction, Risk
from tuner.model.cohort_figures import Gained
from tuner.model.decision import CohortState, Mode, Standing
from tuner.model.insight import InsightKind
from tuner.model.objective import Objective
from tuner.model.plan_picture import StepKind
from tuner.model.run import RunState
from tuner.model.verdict import Ruling
from tuner.policy.cohort_figures import gained_between
from tuner.policy.measured_gain import MeasuredGain

Item = TypeVar("Item")

MOST_ITEMS = 200
MOST_REASON = 1000


class Answer(BaseModel):
    """Answers are immutable and have no fields but those declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Page(Answer, Generic[Item]):
    """`items` from `offset` on, of `total` that there are."""

    items: list[Item]
    total: int
    offset: int
    limit: int


class Home(StrEnum):
    """Where the panel is shown. report: a file, which nobody serves."""

    AIRFLOW = "airflow"
    STANDALONE = "standalone"
    REPORT = "report"


class Session(Answer):
    """Who looks, and where."""

    user: str
    home: Home
    version: str


class TaskRef(Answer):
    dag_id: str
    task_id: str


class GainItem(Answer):
    """What changes gained, 90 % sure to be from `low` to `high` seconds (less than 0: lost). Core-hours are None where no log
    tells what executors held."""

    seconds: float
    low: float
    high: float
    core_hours: float | None

    @classmethod
    def of(cls, took: float, gained: Gained) -> GainItem:
        low, high = gained_between(took, gained)
        return cls(seconds=gained.seconds, low=low, high=high, core_hours=gained.core_hours)


class CohortItem(Answer):
    """A cohort in a list. `may_act`: the user may approve, reject, pin, roll back and change the mode. `tags` are its DAG's.

    Seconds, hours, `cost` and `gained` are of its latest measured run (None: not known; `gained` also where nothing was in
    force); `trend` are the query seconds of its newest runs, oldest first. `waiting` changes are left to a person.
    """

    cohort: str
    tasks: list[TaskRef]
    tags: list[str]
    runs: int
    state: CohortState
    mode: Mode
    in_force: int
    waiting: int
    last_run_at: datetime
    last_run_state: RunState
    query_seconds: float | None
    application_seconds: float | None
    core_hours: float | None
    gib_hours: float | None
    cost: float | None
    gained: GainItem | None
    trend: list[float | None]
    may_act: bool


class CohortTotalsItem(Answer):
    """Sums of the last run of each cohort that is listed, on all pages."""

    measured: int
    query_seconds: float
    core_hours: float
    cost: float | None
    tuned: int
    gained: GainItem
    waiting: int
    failed: int


class CohortList(Page[CohortItem]):
    """A page of cohorts, their totals, and the tags that any readable cohort has."""

    totals: CohortTotalsItem
    tags: list[str]


class SavedItem(GainItem):
    """What changes gained over runs. `lost_seconds` are what changes lost where they lost; `failed_runs` were made to fail."""

    lost_seconds: float
    gib_hours: float
    cost: float | None
    runs: int
    failed_runs: int


class SavedOfWeek(Answer):
    """`week` is a Monday in UTC."""

    week: str
    saved: SavedItem


class SavedOfTag(Answer):
    """Of the cohorts with a DAG's tag; "" are those without any."""

    tag: str
    cohorts: int
    saved: SavedItem


class SavedOfCohort(Answer):
    cohort: str
    tags: list[str]
    saved: SavedItem


class SavedOfChange(Answer):
    """`words` are empty for other sizes than the job's own."""

    cohort: str
    words: str
    saved: SavedItem
    first_at: datetime
    last_at: datetime


class Savings(Answer):
    """What changes gained in the cohorts that the viewer may read, from the Monday `since` on: most first. Nothing is counted
    twice, but cohorts with several tags once for each. Of many cohorts and changes the largest gains and losses are listed."""

    since: str
    total: SavedItem
    cohorts_in_all: int
    weeks: list[SavedOfWeek]
    tags: list[SavedOfTag]
    cohorts: list[SavedOfCohort]
    changes: list[SavedOfChange]


class ModeSetting(Answer):
    """The mode of the cohort's next run. `by` is empty where no person set it: then the job or configuration did. It `is_known`
    but where a person gave the cohort back to that and no run has started since: then it is the newest run's."""

    mode: Mode
    is_known: bool = True
    by: str = ""
    at: datetime | None = None
    reason: str = ""


class Held(Answer):
    """What a run holds of executors' cores and memory, busy or idle: as its job asks for them, and with the sizes that it has
    now."""

    core_hours_before: float
    core_hours: float
    gib_hours_before: float
    gib_hours: float


class Turned(Answer):
    """The latest time that Spark, the cluster or the data changed and queries would have got slower by that without the tuner:
    `since` and `prevented` say in words what changed, and what a run did not lose."""

    run_key: str
    at: datetime
    since: str
    prevented: str
    slower_seconds: float
    prevented_seconds: float


class Cohort(CohortItem):
    """A cohort on its own page, its state as the next run will have it (in a list: as the latest had it). Counts are of
    recommendations by standing; seconds are sums over queries. `next_decision` is what the next run would start with, in words.

    `baseline_seconds` is what the latest measured run would have taken with nothing in
    force (None where nothing was), `latest_seconds` what it took. `held` is None where its runs have their job's sizes, `turned`
    where no such time is known.
    """

    next_decision: str
    mode_setting: ModeSetting
    objective: Objective
    counts: dict[Standing, int]
    baseline_seconds: float | None
    latest_seconds: float | None
    queries: int
    spark_version: str
    held: Held | None = None
    turned: Turned | None = None


class Band(Answer):
    """Seconds that a run would have taken with nothing in force, by the runs before it that had nothing in force."""

    low: float
    expected: float
    high: float


class InForce(Answer):
    """An action that steered a run, and the change that it was part of."""

    change_id: str
    action_id: str
    words: str
    standing: Standing


class RunItem(Answer):
    """A run. `query_seconds` sums its queries' times (None: not measured), `application_seconds` is start to end,
    `allocated_core_hours` and `allocated_gib_hours` are what its executors held, busy or idle (None: its log does not tell),
    `cost` what the first of these are worth at the price that people gave (None: they gave none).

    `href` is the page of the Airflow task instance, relative to Airflow's root; empty elsewhere.
    """

    key: str
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int
    state: RunState
    started_at: datetime
    query_seconds: float | None
    application_seconds: float | None
    allocated_core_hours: float | None
    allocated_gib_hours: float | None
    cost: float | None
    band: Band | None
    mode: Mode
    decision: str
    in_force: list[InForce]
    href: str = ""


class EvidenceItem(Answer):
    """A number behind a sentence. `unit` is as in the core: rows, bytes, seconds, runs, …"""

    what: str
    value: float
    unit: str
    of: str = ""


class Seconds(Answer):
    """Predicted seconds of the affected queries."""

    before: float
    after: float
    low: float
    high: float
    gain: float

    @classmethod
    def of(cls, p: Prediction) -> Seconds:
        return cls(before=p.before, after=p.after, low=p.low, high=p.high, gain=p.gain)


class Measured(Answer):
    """Seconds that a run takes less with a change than without, by all runs so far: nine of ten lie between `low` and `high`.

    `probability` is how sure a gain is. `not_named` of its `queries` were moved by a property that was meant for others.
    """

    seconds: float
    low: float
    high: float
    probability: float
    queries: int
    not_named: int
    runs: int

    @classmethod
    def of(cls, gain: MeasuredGain) -> Measured:
        return cls(**asdict(gain))


class RiskItem(Answer):
    """`may_harm`: a run may take longer or fail; else it tells how far a change reaches."""

    words: str
    may_harm: bool


class QueryRef(Answer):
    """A query: its id, and its name for people, which holds no description where the user may not read the DAG's code."""

    fingerprint: str
    name: str


class RulingItem(Answer):
    ruling: Ruling
    by: str
    at: datetime
    reason: str


class ActionItem(Answer):
    """One action of the change that is ruled on by `change_id`; `short_words` leave out its query. `copy_text` is the conf
    (`--conf key=value`), the SQL hint or the statement to paste; empty where there is none. `join` is the signature of the
    join that it changes. Of the recommendation's rulings, `rulings` are those that are on this change."""

    change_id: str
    action_id: str
    kind: ActionKind
    words: str
    short_words: str
    copy_text: str
    standing: Standing
    verdict: RulingItem | None = None
    join: str = ""
    relations: list[str] = []
    rulings: list[Ruling] = []


class Recommendation(Answer):
    """Changes that belong together. `sentence` is why it is recommended, with the numbers of `predicted`; `status` is what is
    known beside that ("" for nothing yet), `values` which filter values it acts on ("" for any).

    `gained_seconds` is what it gained in the latest run that measured it, `measured` what by all runs (None: they do not tell);
    `since_run` is the key of the run in which it first was in force. `rulings` are those that make sense now, and where it
    `waits` nothing comes of it without a person. It stands as it does since `stands_since`, and before that as it `stood`
    (None: nowhere, or nothing tells). It `reaches_all` queries of a run, whichever it is for. Of changes that stand apart
    `standing` is that of what is furthest; some of them may wait all the same.
    """

    id: str
    standing: Standing
    waits: bool
    stands_since: datetime | None
    stood: Standing | None
    sentence: str
    status: str
    values: str
    actions: list[ActionItem]
    evidence: list[EvidenceItem]
    predicted: Seconds | None
    gained_seconds: float | None
    measured: Measured | None
    measured_runs: int
    risk: Risk
    risks: list[RiskItem]
    queries: list[QueryRef]
    reaches_all: bool
    since_run: str
    since_at: datetime | None
    rulings: list[Ruling]


class InsightItem(Answer):
    """What only a person can change, and the most seconds that it can gain."""

    kind: InsightKind
    operator: str
    query: QueryRef
    seconds: float
    reason: str
    change: str
    evidence: list[EvidenceItem]


class QueryItem(Answer):
    """A query of the cohort over the page's runs.

    `baseline_seconds` is its part of what the latest run that ran it would have taken with nothing in force, on that run's
    machine and input; None where it is new in that run. `latest_seconds` is what it took in the latest run (None: that did not
    run it), `gained_seconds` the difference, where something was in force in that run. `share` is its part of that run's query
    time. `in_force` is what was in force on it alone: properties reach every query.
    """

    query: QueryRef
    baseline_seconds: float | None
    latest_seconds: float | None
    gained_seconds: float | None
    share: float | None
    in_force: list[InForce]
    has_plan: bool


class QueriesTogether(Answer):
    """The queries of the latest measured run together: the same seconds as Cohort's and that run's Band.

    `baseline_seconds` takes those that are `new` in that run as they ran; None where too much of it is new. `gone` are queries of
    earlier runs that it did not run. `properties` were in force on every query.
    """

    run_at: datetime | None
    queries: int
    new: int
    gone: int
    baseline_seconds: float | None
    latest_seconds: float | None
    gained_seconds: float | None
    properties: list[InForce]


class QuerySort(StrEnum):
    """What queries are sorted by; those that have no such value come last."""

    NAME = "name"
    LATEST = "latest"
    BASELINE = "baseline"
    GAINED = "gained"
    SHARE = "share"
    IN_FORCE = "in_force"


class QueryPage(Page[QueryItem]):
    """A page of queries, and all of them together."""

    together: QueriesTogether


class StepItem(Answer):
    """As tuner.model.plan_picture.PlanStep; `changed` says why its join is marked, empty if it is not. `costliest` marks the
    step that took the most seconds."""

    kind: StepKind
    operator: str
    label: str
    rows: int | None
    bytes: int | None
    inputs: list[int]
    strategy: str = ""
    build_side: Literal["", "left", "right"] = ""
    signature: str = ""
    occurrence: int = 0
    changed: str = ""
    seconds: float | None = None
    costliest: bool = False


class PictureItem(Answer):
    """The plan of a query in one run. `steps[0]` ran last.

    A predicted one is that of the run with `in_force` as well, which are then advised and no run has had; `not_drawn` are
    those of them that would change the plan in a way that is not known.
    """

    run_key: str
    run_at: datetime
    query_seconds: float | None
    in_force: list[InForce]
    steps: list[StepItem]
    predicted: bool = False
    not_drawn: list[str] = []


class PlanComparison(Answer):
    """The plan after (the newest run of the query) and before (the newest without any of what was in force on it then).

    Where nothing was, the newest is before, and after is as it would be with what is advised for its joins. One of them is None
    where there is no such run, or nothing is advised. `item` is as in the list of queries; None for a query that no run had.
    """

    query: QueryRef
    item: QueryItem | None
    before: PictureItem | None
    after: PictureItem | None


class ComparedRun(Answer):
    """One of two runs that are compared. `application_seconds` is start to end (None: its log does not tell), `queries` counts
    executions."""

    key: str
    run_id: str
    started_at: datetime
    state: RunState
    application_seconds: float | None
    query_seconds: float
    queries: int


class CauseItem(Answer):
    """What seconds of a difference come from: more than 0 where the later run was slower. `label` names the kind, `words` say
    what differs. `query` is the one that it moved most, None where it is of none; `queries` how many it moved."""

    kind: CauseKind
    label: str
    seconds: float
    words: str
    query: QueryRef | None
    queries: int


class OperatorSide(Answer):
    """An operator in one run; None is what its log does not tell. `how` is its strategy in words, with the side it builds."""

    how: str
    rows: int | None
    bytes: int | None
    seconds: float | None


class ComparedOperator(Answer):
    """An operator that differs; None where it did not run. `name` is the table that a scan reads, or the sides of a join."""

    kind: OperatorKind
    name: str
    before: OperatorSide | None
    after: OperatorSide | None


class ComparedQuery(Answer):
    """A query in both runs, all of its executions together; None seconds where it did not run. `share` is that of the whole
    difference (None: none to speak of), `is_noise` says that it did the same work, and took as long as queries do by chance."""

    query: QueryRef
    executions_before: int
    executions_after: int
    seconds_before: float | None
    seconds_after: float | None
    difference_seconds: float
    share: float | None
    is_noise: bool
    causes: list[CauseItem]
    operators: list[ComparedOperator]


class Comparison(Answer):
    """Two runs of a cohort: what is slower, by how much, and why. `queries` are those that differ most, first; `more_queries` is
    how many are left out. `others` are differences that are no causes."""

    before: ComparedRun
    after: ComparedRun
    headline: str
    difference_seconds: float
    is_same: bool
    is_noise: bool
    causes: list[CauseItem]
    queries: list[ComparedQuery]
    more_queries: int
    others: list[str]


class AuditItem(Answer):
    """What a person did: a ruling on an action, an import of one, or a change of mode or objective (empty: back to the job's
    own)."""

    at: datetime
    by: str
    did: Literal["approve", "reject", "pin", "rollback", "import", "mode", "objective"]
    change_id: str = ""
    words: str = ""
    mode: str = ""
    objective: str = ""
    reason: str = ""


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("holds characters that no history can")
    return text


# What people send: it is looked up, or kept.
Sent = Annotated[str, AfterValidator(_storable)]


class RulingRequest(BaseModel):
    """`reason` is asked for where the ruling is reject. `seen` is where changes stood when they were ruled on, by their ids:
    the ruling is refused where one of them stands elsewhere by now."""

    model_config = ConfigDict(extra="forbid")

    cohort: Sent
    change_ids: list[Sent] = Field(min_length=1, max_length=MOST_ITEMS)
    ruling: Ruling
    reason: Sent = Field("", max_length=MOST_REASON)
    seen: dict[Sent, Standing] = Field(default_factory=dict, max_length=MOST_ITEMS)


class ModeRequest(BaseModel):
    """`mode` null gives the cohort back to the job's own mode."""

    model_config = ConfigDict(extra="forbid")

    cohort: Sent
    mode: Mode | None
    reason: Sent = Field("", max_length=MOST_REASON)


class Done(Answer):
    """`message` says from when on it holds."""

    message: str
