"""Recommendations as sentences with numbers: what is proposed, tried, proven or taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tuner.model.action import Action, ActionKind
from tuner.model.decision import IN_FORCE, DecidedChange, Decision, Standing
from tuner.model.run import Run
from tuner.model.trial import decided_by_trial
from tuner.model.verdict import Ruling, Verdict
from tuner.panel.facts import CohortFacts
from tuner.panel.models import ActionItem, Recommendation, RulingItem, Seconds
from tuner.panel.recent_runs import RunsInView
from tuner.panel.views.copy_text import copy_text
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.plan.digest import digest
from tuner.policy.measure import usable
from tuner.policy.rulings import Rulings
from tuner.words.actions import action_words
from tuner.words.literal_rungs import values_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import why_words

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
# Of several changes, the standing that is said of all is that of what is furthest.
_FURTHEST = (Standing.TRIAL, Standing.PINNED, Standing.PROMOTED, *(s for s in ORDER if s not in IN_FORCE))

_RULINGS = {
    Standing.PROPOSED: [Ruling.APPROVE, Ruling.REJECT, Ruling.PIN],
    Standing.TRIAL: [Ruling.PIN, Ruling.ROLL_BACK],
    Standing.PROMOTED: [Ruling.PIN, Ruling.ROLL_BACK],
    Standing.PINNED: [Ruling.ROLL_BACK],
    Standing.HELD: [Ruling.APPROVE, Ruling.REJECT, Ruling.PIN],
    Standing.ROLLED_BACK: [Ruling.APPROVE, Ruling.REJECT, Ruling.PIN],
    Standing.EXPIRED: [Ruling.APPROVE, Ruling.REJECT, Ruling.PIN],
}

# The changes of one trial: one card.
Trial = tuple[DecidedChange, ...]


def recommended_trials(outlook: Decision | None) -> list[Trial]:
    """What asks for a person first, and the largest gain first among equals."""
    trials = decided_by_trial(outlook.changes) if outlook else []
    return sorted(trials, key=lambda trial: (ORDER.index(standing_of(trial)), -_gain(trial)))


def standing_of(trial: Trial) -> Standing:
    return min((decided.standing for decided in trial), key=_FURTHEST.index)


def recommendations(facts: CohortFacts, trials: Sequence[Trial]) -> list[Recommendation]:
    """`trials` of the cohort in full."""
    sentences = facts.sentences()
    rulings = Rulings.of(facts.verdicts, (decided.change for trial in trials for decided in trial))
    return [_recommendation(trial, facts.view, sentences, rulings, facts.names) for trial in trials]


def _recommendation(
    trial: Trial,
    view: RunsInView,
    sentences: Mapping[str, str],
    rulings: Rulings,
    names: QueryNames,
) -> Recommendation:
    standing = standing_of(trial)
    first = next(decided for decided in trial if decided.standing is standing)
    with_it = _runs_with(trial, view)
    since = with_it[0] if with_it else None
    queries = dict.fromkeys(fingerprint for decided in trial for fingerprint in decided.queries)
    said = {decided.id: rulings.on(decided.change) for decided in trial}
    advised = standing is Standing.PROPOSED and not since
    return Recommendation(
        id=digest("\n".join(sorted(decided.id for decided in trial))),
        standing=standing,
        # What is still only proposed is told with the newest numbers.
        sentence=shortened(why_words(first, names) if advised else sentences[first.id]),
        status=shortened(why_words(first, names)),
        values=shortened(values_words(first)),
        actions=[
            _action_item(decided, a, said[decided.id], names) for decided in trial for a in decided.change.actions
        ],
        evidence=evidence_items(first.change.evidence),
        predicted=Seconds.of(first.change.prediction) if first.change.prediction else None,
        gained_seconds=next((d.gained_seconds for d in trial if d.gained_seconds is not None), None),
        measured_runs=sum(usable(run) for run in with_it),
        queries=[query_ref(fingerprint, names) for fingerprint in queries],
        since_run=since.key if since else "",
        since_at=since.started_at if since else None,
        rulings=_rulings(trial, standing, list(said.values())),
    )


def _runs_with(trial: Trial, view: RunsInView) -> list[Run]:
    ids = {decided.id for decided in trial}
    return [run for run, followed in view.followed if not ids.isdisjoint(followed)]


def _action_item(decided: DecidedChange, action: Action, verdict: Verdict | None, names: QueryNames) -> ActionItem:
    return ActionItem(
        change_id=decided.id,
        action_id=action.id,
        kind=action.kind,
        words=shortened(action_words(action, names)),
        copy_text=copy_text(action),
        standing=decided.standing,
        verdict=_ruling_item(verdict) if verdict else None,
        join=action.target if action.kind is ActionKind.HINT_JOIN else "",
        relations=list(action.relations),
    )


def _ruling_item(verdict: Verdict) -> RulingItem:
    return RulingItem(ruling=verdict.ruling, by=verdict.by, at=verdict.at, reason=shortened(verdict.reason))


def _rulings(trial: Trial, standing: Standing, said: Sequence[Verdict | None]) -> list[Ruling]:
    """Those that would change something. What only a person can carry out can only be rejected."""
    if not any(decided.change.carried_out for decided in trial):
        return [Ruling.REJECT] if standing is Standing.PROPOSED else []
    same = {verdict.ruling for verdict in said if verdict} if all(said) else set()
    return [ruling for ruling in _RULINGS[standing] if same != {ruling} or standing is Standing.EXPIRED]


def _gain(trial: Trial) -> float:
    return max((d.change.prediction.gain for d in trial if d.change.prediction), default=0.0)
