"""Recommendations as sentences with numbers: what is proposed, tried, proven or taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from tuner.loop.outlook import tells_standings
from tuner.model.action import Action, ActionKind
from tuner.model.change import Risk
from tuner.model.decision import TAKEN_OUT, DecidedChange, Decision, Mode, Standing
from tuner.model.run import Run
from tuner.model.trial import decided_by_trial, standing_of
from tuner.model.trial_rulings import trial_rulings
from tuner.model.verdict import Ruling, Verdict
from tuner.panel.facts import CohortFacts
from tuner.panel.models.recommendations import ActionItem, Measured, Recommendation, RiskItem, RulingItem, Seconds
from tuner.panel.recent_runs import RunsInView
from tuner.panel.views.copy_text import copy_text
from tuner.panel.views.standing_history import StandingHistory
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.plan.digest import digest
from tuner.policy.measured_gain import MeasuredGain
from tuner.policy.rulings import Rulings
from tuner.policy.usable import usable
from tuner.words.actions import action_words, short_words
from tuner.words.literal_rungs import values_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words, status_words
from tuner.words.risks import risk_words

# What asks for a person first.
ORDER = (
    Standing.PROPOSED,
    Standing.TRIAL,
    Standing.PROMOTED,
    Standing.PINNED,
    Standing.HELD,
    Standing.ROLLED_BACK,
    Standing.EXPIRED,
)

_RISKS = tuple(Risk)

# The changes of one trial: one row.
Trial = tuple[DecidedChange, ...]


def recommended_trials(outlook: Decision | None) -> list[Trial]:
    """What asks for a person first, and the largest gain first among equals."""
    trials = decided_by_trial(outlook.changes) if outlook else []
    return sorted(trials, key=lambda trial: (not _is_asked(trial), ORDER.index(standing_of(trial)), -_gain(trial)))


def recommendations(facts: CohortFacts, trials: Sequence[Trial]) -> list[Recommendation]:
    """`trials` of the cohort in full."""
    rulings = Rulings.of(facts.verdicts, (decided.change for trial in trials for decided in trial))
    stands = StandingHistory.of(facts)
    return [_recommendation(trial, facts, stands, rulings) for trial in trials]


def _recommendation(trial: Trial, facts: CohortFacts, stands: StandingHistory, rulings: Rulings) -> Recommendation:
    view, names = facts.view, facts.names
    standing = standing_of(trial)
    first = next(decided for decided in trial if decided.standing is standing)
    with_it = _runs_with(trial, view)
    since = with_it[0] if with_it else None
    or_earlier = since is not None and not (facts.all_in_view or _stood_out_before(since, trial, view))
    queries = dict.fromkeys(fingerprint for decided in trial for fingerprint in decided.queries)
    said = {decided.id: rulings.on(decided.change) for decided in trial}
    gain = view.so_far.gain(trial)
    told = stands.of_trial(trial, list(said.values()))
    ruled = _ruled(trial, standing, said)
    return Recommendation(
        id=digest("\n".join(sorted(decided.id for decided in trial))),
        standing=standing,
        waits=_is_asked(trial) and facts.mode is not Mode.OBSERVE,
        stands_since=told.since,
        stood=told.before,
        sentence=shortened(reason_words(first.change.reason, names)),
        status=shortened(status_words(first, names)),
        values=shortened(values_words(first)),
        actions=[
            _action_item(decided, a, said[decided.id], [r for r, ids in ruled.items() if decided.id in ids], names)
            for decided in trial
            for a in decided.change.actions
        ],
        evidence=evidence_items(first.change.evidence),
        predicted=Seconds.of(first.change.prediction) if first.change.prediction else None,
        gained_seconds=next((d.gained_seconds for d in trial if d.gained_seconds is not None), None),
        measured=Measured.of(gain) if gain else None,
        measured_runs=sum(usable(run) for run in with_it),
        risk=max((decided.change.risk for decided in trial), key=_RISKS.index),
        risks=_risks(trial, gain, view),
        queries=[query_ref(fingerprint, names) for fingerprint in queries],
        reaches_all=any(decided.change.sets_properties for decided in trial),
        since_run=since.key if since else "",
        since_at=since.started_at if since else None,
        or_earlier=or_earlier,
        rulings=list(ruled),
    )


def _risks(trial: Trial, gain: MeasuredGain | None, view: RunsInView) -> list[RiskItem]:
    queries = len({query.fingerprint for query in view.so_far.latest})
    return [RiskItem(words=risk.words, may_harm=risk.may_harm) for risk in risk_words(trial, gain, queries)]


def _runs_with(trial: Trial, view: RunsInView) -> list[Run]:
    ids = {decided.id for decided in trial}
    return [run for run, followed in view.followed if not ids.isdisjoint(followed)]


def _stood_out_before(since: Run, trial: Trial, view: RunsInView) -> bool:
    """Whether a run before that was decided without the trial, and not to be without it for once."""
    ids = {decided.id for decided in trial}
    before = (run for run in takewhile(lambda run: run is not since, view.runs) if tells_standings(run))
    decisions = (run.decision for run in before)
    return any(ids.isdisjoint({d.id for d in one.in_force} | one.left_out_for_long) for one in decisions)


def _action_item(
    decided: DecidedChange, action: Action, verdict: Verdict | None, rulings: list[Ruling], names: QueryNames
) -> ActionItem:
    return ActionItem(
        change_id=decided.id,
        action_id=action.id,
        kind=action.kind,
        words=shortened(action_words(action, names)),
        short_words=shortened(short_words(action)),
        copy_text=copy_text(action),
        standing=decided.standing,
        verdict=_ruling_item(verdict) if verdict else None,
        join=action.target if action.kind is ActionKind.HINT_JOIN else "",
        relations=list(action.relations),
        rulings=rulings,
    )


def _ruling_item(verdict: Verdict) -> RulingItem:
    return RulingItem(ruling=verdict.ruling, by=verdict.by, at=verdict.at, reason=shortened(verdict.reason))


def _is_asked(trial: Trial) -> bool:
    """Whether a part of it is left to a person."""
    return any(decided.standing is Standing.PROPOSED for decided in trial)


def _ruled(trial: Trial, standing: Standing, said: Mapping[str, Verdict | None]) -> dict[Ruling, list[str]]:
    """The rulings that would change something, each with the ids of the changes that it is on. What was taken out may have been
    so after the newest one: said again, it counts again."""
    return {
        ruling: ids
        for ruling, ids in trial_rulings(trial).items()
        if standing in TAKEN_OUT
        or not any(decided.change.carried_out for decided in trial)
        or any(_newest(said[id_]) is not ruling for id_ in ids)
    }


def _newest(verdict: Verdict | None) -> Ruling | None:
    return verdict.ruling if verdict else None


def _gain(trial: Trial) -> float:
    return max((d.change.prediction.gain for d in trial if d.change.prediction), default=0.0)
