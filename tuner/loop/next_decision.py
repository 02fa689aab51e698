"""The decision for a cohort's next run, from its runs so far: what live runs and replays have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from tuner.advice.facts import Facts, PastRun, cores_for_tasks
from tuner.advice.forbidden_broadcasts import forbidden_broadcasts
from tuner.advice.oversized_hints import oversized_hints
from tuner.advice.steering_reach import Reach
from tuner.cost.learned.has_learner import NO_LEARNER
from tuner.cost.learned.prediction_errors import errors_with
from tuner.loop.orders_worse_on_other_days import orders_worse_on_other_days
from tuner.loop.undirectable import undirectable
from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import Decision, Mode
from tuner.model.imported_change import ImportedChange
from tuner.model.objective import Objective
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Elsewhere, Outcome, Run
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.already_set import already_set
from tuner.policy.context import Context, context_to_come
from tuner.policy.decide import decide, failed_with_changes
from tuner.policy.foretold_pairs import foretold_pairs
from tuner.policy.imported_changes import imports_now, with_imports
from tuner.policy.instances import latest_of_instance
from tuner.policy.known_queries import KnownQueries, newest_of_classed
from tuner.policy.only_retries_tell import only_retries_tell
from tuner.policy.passing_queries import passing_queries
from tuner.policy.set_by_program import set_by_program
from tuner.policy.situation import BY_SUBMIT, Situation
from tuner.policy.tried_elsewhere import tried
from tuner.policy.usable import usable
from tuner.problems import Problems
from tuner.spark.broadcasts_off import broadcasts_off
from tuner.steering.agent.agent_directives import agent_directives
from tuner.words.counts import counted

if TYPE_CHECKING:
    from tuner.cost.learned.operator_times import OperatorTimes

# Runs that prices are learned from: more of the same stages tells nothing new.
LEARN_RUNS = 10
# What a driver can carry out with the agent in the run.
BY_AGENT = BY_SUBMIT | {ActionKind.ORDER_JOINS}


def next_decision(
    runs: Sequence[Run],
    facts: Facts | None,
    *,
    key: str,
    try_number: int,
    mode: Mode,
    verdicts: Sequence[Verdict],
    reach: Reach,
    problems: Problems,
    earlier_tries: Iterable[Run] = (),
    to_come: Context | None = None,
    elsewhere: Elsewhere | None = None,
    advise: Callable[[Facts], Sequence[Change]] | None = None,
    advised: Sequence[Change] | None = None,
    own_conf: Mapping[str, str] | None = None,
    user_conf: Mapping[str, str] | None = None,
    objective: Objective = Objective.TIME,
    imported: Sequence[ImportedChange] = (),
    instance: str = "",
    tries_left: int | None = None,
    now: datetime | None = None,
) -> Decision:
    """The decision for run `key`. `runs` are the cohort's newest HISTORY_RUNS, oldest first, `facts` those of `facts_now`,
    `to_come` is the context of the run, where that is known, `elsewhere` what other cohorts hold for a new one, `own_conf`
    what the user set for it, `objective` what its changes are judged by, `imported` what other cohorts' baselines brought,
    `instance` which one of a mapped task it is, `tries_left` how many tries follow if it fails, `now` when that is (None: not
    known).

    `advise` are other advisors than all there are, whose orders the agent is taken to understand. One that fails silences
    itself; a policy that fails raises. `advised` is what was advised on these facts already.
    """
    own = advised_on(facts, problems, advise) if advised is None else advised
    imports = imports_now(imported, latest_of_instance(runs, instance), own)
    decided = (d.change for run in runs for d in run.decision.changes)
    known = {a.id: a for change in (*decided, *imports.changes) for a in change.actions}.values()
    of_it = list(earlier_tries)
    situation = Situation(
        mode=mode,
        try_number=try_number,
        runs=runs,
        advised=with_imports(imports, own),
        verdicts=verdicts,
        earlier_try_failed=failed_with_changes([*runs, *of_it], key),
        oversized=oversized_hints(facts, known) if facts else {},
        drivable=BY_AGENT if reach is Reach.AGENT else BY_SUBMIT,
        to_come=to_come,
        elsewhere=tried(elsewhere.decisions) if elsewhere else {},
        unlike=imports.waiting,
        objective=objective,
        instance=instance,
        may_try_again=bool(tries_left) and only_retries_tell(runs, of_it, key, try_number),
        now=now,
    )
    overruled = _set_by_user(situation, user_conf or {}) | _forbidden_broadcasts(situation, own_conf or {})
    situation = replace(situation, overruled=overruled)
    decision = decide(situation)
    if reach is not Reach.AGENT or advise is not None or not any(d.change.is_on_joins for d in decision.in_force):
        return decision
    newest = newest_of_classed(situation.runs, instance)
    worse = orders_worse_on_other_days(decision, facts, situation.runs, newest) if facts else {}
    situation = replace(situation, worse_on_other_days=worse)
    return _directable(decide(situation) if worse else decision, situation, newest)


def advised_on(
    facts: Facts | None, problems: Problems, advise: Callable[[Facts], Sequence[Change]] | None = None
) -> Sequence[Change]:
    """What advisors find in these facts; nothing where they fail."""
    return problems.guard("advise", lambda: (advise or _advise)(facts), ()) if facts else ()


def _set_by_user(situation: Situation, user_conf: Mapping[str, str]) -> dict[str, Reason]:
    """Changes that would set what the user set for this job, or its program does, by id, and why they are held: theirs wins."""
    user_conf = {**set_by_program(situation.runs), **user_conf}
    changes = [*situation.advised, *(d.change for run in situation.runs for d in run.decision.changes)]
    found: dict[str, Reason] = {}
    for change in changes:
        if own := already_set([change], user_conf):
            name, value = next(iter(own.items()))
            found[change.id] = Reason(ReasonCode.OVERRULED, {"property": name, "value": value})
    return found


def _forbidden_broadcasts(situation: Situation, own_conf: Mapping[str, str]) -> dict[str, Reason]:
    """Changes that the user's own settings speak against, by id, and why; but for what a person approved since they were
    first seen: the later word counts."""
    latest = situation.latest
    if latest is None:
        return {}
    changes = [*situation.advised, *(d.change for run in situation.runs for d in run.decision.changes)]
    barred = forbidden_broadcasts(changes, (own_conf, latest.conf), latest.queries)
    since = _own_word_since(situation.runs)
    approved = ((c, v) for c in changes if (v := situation.rulings.on(c)) and v.ruling is Ruling.APPROVE)
    asked_for = {c.trial for c, v in approved if since and (v.at > since or _was_later(c, situation.runs))}
    trials = {c.id: c.trial for c in changes}
    return {id_: why for id_, why in barred.items() if trials.get(id_, id_) not in asked_for}


def _own_word_since(runs: Sequence[Run]) -> datetime | None:
    """When the first of the newest runs started that all had broadcasts switched off; None where the newest had not."""
    since = None
    for run in reversed([run for run in runs if run.outcome]):
        if not _has_own_word(run):
            break
        since = run.started_at
    return since


def _was_later(change: Change, runs: Sequence[Run]) -> bool:
    """Whether what was approved before all of these runs was so after their broadcasts were switched off: they had it in spite of
    that, and none was denied it. How long they are switched off is not known where all of them had that."""
    if not all(_has_own_word(run) for run in runs if run.outcome):
        return False
    decided = [d for run in runs for d in run.decision.changes if d.id == change.id]
    denied = any(d.held is not None and d.held.code is ReasonCode.BROADCASTS_OFF for d in decided)
    return not denied and any(d.is_in_force for d in decided)


def _has_own_word(run: Run) -> bool:
    found = run.outcome
    return found is not None and bool(broadcasts_off(found.conf) or any(q.broadcasts_off for q in found.queries))


def _directable(decision: Decision, situation: Situation, newest: KnownQueries) -> Decision:
    """The decision without what the agent cannot be told of, for which nothing waits: nor of what then comes in its place."""
    found: dict[str, Reason] = {}
    while more := {id_: why for id_, why in _undirectable(decision, newest).items() if id_ not in found}:
        found |= more
        decision = decide(replace(situation, undirectable=found))
    return decision


def _undirectable(decision: Decision, newest: KnownQueries) -> dict[str, Reason]:
    """Changes in force that the agent cannot be told of, by id, and why; but for those that need another of these: it is out,
    and so are they."""
    if not newest.of_latest:
        return {}
    told = agent_directives(decision, newest.of_latest, absent=newest.absent, executions=newest.executions)
    out = undirectable(decision, told.skipped)
    needs = {decided.id: decided.change.needs for decided in decision.in_force}
    return {id_: why for id_, why in out.items() if needs[id_] not in out}


def load_rules() -> None:
    """Imports what a decision needs beyond this module: once in a process some 0.8 s of a core, which no clock is to count."""
    import tuner.advice.advise
    import tuner.cost.learned.calibrated_model
    import tuner.cost.learned.query_samples  # noqa: F401

    with suppress(ImportError):
        import scipy.optimize  # noqa: F401


def load_pricing() -> None:
    """Imports what a decision on advice of when the last run ended needs: of what `load_rules` does, a fifth."""
    import tuner.advice.order_bounds
    import tuner.advice.worst_day
    import tuner.cost.learned.calibrated_model  # noqa: F401


def context_of_next(
    runs: Sequence[Run], spark_version: str, conf: Mapping[str, str], instance: str = ""
) -> Context | None:
    """The context of the next run, as far as its submission tells; None where nothing was measured yet."""
    latest = latest_of_instance(runs, instance)
    return context_to_come(latest.outcome, spark_version, conf) if latest and latest.outcome else None


def facts_now(
    runs: Sequence[Run],
    reach: Reach,
    problems: Problems,
    elsewhere: Elsewhere | None = None,
    prices: Mapping[str, float] | None = None,
    instance: str = "",
) -> Facts | None:
    """What advisors look at, with prices as the runs, and those of other cohorts, bear them out; None where nothing was
    measured yet. `prices` are those, where they were learned from these runs already; the latest run is that of an `instance`
    (`latest_of_instance`)."""
    latest = latest_of_instance(runs, instance)
    if latest is None or latest.outcome is None:
        return None
    measured = [run.outcome for run in runs if usable(run) and run.outcome]
    earlier = [run.outcome for run in runs if usable(run) and run.outcome and run is not latest]
    others = elsewhere.outcomes if elsewhere else ()
    model = problems.guard(
        "learn what operators take", lambda: _priced(prices) if prices else _learned([*others, *measured]), None
    )
    facts = replace(facts_of(latest.outcome, earlier, model, reach), passing=passing_queries(runs))
    decisions = [*(elsewhere.decisions if elsewhere else ()), *(run.decision for run in runs[-1:])]
    errors = problems.guard("learn how far predictions are off", lambda: errors_with(foretold_pairs(decisions)), None)
    return replace(facts, prediction_errors=errors) if errors else facts


def learned_from(own_runs: int, elsewhere: Elsewhere, *, learns: bool) -> str:
    """What the prices that a decision rests on were learned from, in words; `learns` is whether there was anything to learn
    with."""
    if not learns:
        return f"prices are those that ship with the tuner, learned from no run: {NO_LEARNER}"
    sources = [f"{counted(min(own_runs, LEARN_RUNS), 'run')} of its own"] if own_runs else []
    if elsewhere.outcomes:
        sources.append(f"{counted(len(elsewhere.outcomes), 'run')} of {counted(elsewhere.jobs, 'other job')}")
    return f"prices learned from {' and '.join(sources)}" if sources else "prices are those that ship with the tuner"


def facts_of(outcome: Outcome, earlier: Iterable[Outcome], model: OperatorTimes | None, reach: Reach) -> Facts:
    """What advisors look at in a run's outcome, and in those of earlier runs, oldest first."""
    facts = Facts(
        outcome.queries,
        cores_for_tasks(outcome.cluster, outcome.conf),
        outcome.conf,
        reach,
        outcome.spark_version,
        earlier=tuple(PastRun(o.queries, o.conf, cores_for_tasks(o.cluster, o.conf)) for o in earlier),
    )
    return replace(facts, prices=model.costs, price_error=model.price_error) if model else facts


def _advise(facts: Facts) -> tuple[Change, ...]:
    # With numpy behind it: what only parses a DAG or prints a status need not wait for that.
    from tuner.advice.advise import advise

    return advise(facts)


def _priced(prices: Mapping[str, float]) -> OperatorTimes:
    """What operators take by prices that were learned before."""
    from tuner.cost.learned.calibrated_model import configured_model
    from tuner.cost.unit_costs import UnitCosts

    return replace(configured_model(), costs=UnitCosts(**prices))


def _learned(measured: list[Outcome]) -> OperatorTimes:
    """What operators take, as the latest runs bear it out."""
    from tuner.cost.learned.calibrated_model import calibrated_model, configured_model
    from tuner.cost.learned.query_samples import samples

    found = [sample for outcome in measured[-LEARN_RUNS:] for sample in samples(outcome.queries, outcome.cluster)]
    return calibrated_model(found, configured_model())
