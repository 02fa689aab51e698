"""Recommendations as sentences with numbers: what is proposed, tried, proven or taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tuner.model.action import ActionKind
from tuner.model.decision import IN_FORCE, DecidedAction, Decision, Standing
from tuner.model.run import Run
from tuner.model.verdict import Ruling, Verdict
from tuner.panel.facts import CohortFacts
from tuner.panel.models import ActionItem, Recommendation, RulingItem, Seconds
from tuner.panel.recent_runs import RunsInView
from tuner.panel.views.copy_text import copy_text
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.plan.digest import digest
from tuner.policy.measure import usable
from tuner.policy.together import together
from tuner.words.query_names import QueryNames

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

Group = tuple[DecidedAction, ...]


def recommended_groups(outlook: Decision | None) -> list[Group]:
    """Actions that belong together, what asks for a person first and the largest gain first among equals."""
    groups: dict[object, list[DecidedAction]] = {}
    for decided in outlook.actions if outlook else ():
        groups.setdefault(together(decided), []).append(decided)
    return sorted(map(tuple, groups.values()), key=lambda group: (ORDER.index(standing_of(group)), -_gain(group)))


def standing_of(group: Group) -> Standing:
    return min((decided.standing for decided in group), key=_FURTHEST.index)


def recommendations(facts: CohortFacts, groups: Sequence[Group], *, code: bool) -> list[Recommendation]:
    """`groups` of the cohort in full. `code`: the viewer may read descriptions of queries."""
    sentences = facts.sentences()
    verdicts = {verdict.action_id: verdict for verdict in facts.verdicts}
    names = facts.names(code=code)
    return [_recommendation(group, facts.view, sentences, verdicts, names) for group in groups]


def _recommendation(
    group: Group,
    view: RunsInView,
    sentences: Mapping[str, str],
    verdicts: Mapping[str, Verdict],
    names: QueryNames,
) -> Recommendation:
    standing = standing_of(group)
    first = next(decided for decided in group if decided.standing is standing)
    with_it = _runs_with(group, view)
    since = with_it[0] if with_it else None
    queries = dict.fromkeys(fingerprint for decided in group for fingerprint in decided.queries)
    return Recommendation(
        id=digest("\n".join(sorted(decided.action.id for decided in group))),
        standing=standing,
        # What is still only proposed is told with the newest numbers.
        sentence=shortened(first.reason if standing is Standing.PROPOSED and not since else sentences[first.action.id]),
        status=shortened(first.reason),
        actions=[_action_item(decided, verdicts.get(decided.action.id)) for decided in group],
        evidence=evidence_items(first.evidence),
        predicted=Seconds.of(first.predicted_seconds) if first.predicted_seconds else None,
        gained_seconds=next((d.gained_seconds for d in group if d.gained_seconds is not None), None),
        measured_runs=sum(usable(run) for run in with_it),
        queries=[query_ref(fingerprint, names) for fingerprint in queries],
        since_run=since.key if since else "",
        since_at=since.started_at if since else None,
        rulings=_rulings(group, standing, verdicts),
    )


def _runs_with(group: Group, view: RunsInView) -> list[Run]:
    ids = {decided.action.id for decided in group}
    return [run for run, followed in view.followed if not ids.isdisjoint(followed)]


def _action_item(decided: DecidedAction, verdict: Verdict | None) -> ActionItem:
    action = decided.action
    return ActionItem(
        action_id=action.id,
        kind=action.kind,
        words=shortened(action.words),
        copy_text=copy_text(action),
        standing=decided.standing,
        verdict=_ruling_item(verdict) if verdict else None,
        join=action.target if action.kind is ActionKind.HINT_JOIN else "",
        relations=list(action.relations),
    )


def _ruling_item(verdict: Verdict) -> RulingItem:
    return RulingItem(ruling=verdict.ruling, by=verdict.by, at=verdict.at, reason=shortened(verdict.reason))


def _rulings(group: Group, standing: Standing, verdicts: Mapping[str, Verdict]) -> list[Ruling]:
    """Those that would change something. What only a person can carry out can only be rejected."""
    if all(decided.action.kind is ActionKind.ANALYZE_TABLE for decided in group):
        return [Ruling.REJECT] if standing is Standing.PROPOSED else []
    said = [verdicts.get(decided.action.id) for decided in group]
    same = {verdict.ruling for verdict in said if verdict} if all(said) else set()
    return [ruling for ruling in _RULINGS[standing] if same != {ruling} or standing in (Standing.EXPIRED,)]


def _gain(group: Group) -> float:
    return max((d.predicted_seconds.gain for d in group if d.predicted_seconds), default=0.0)
