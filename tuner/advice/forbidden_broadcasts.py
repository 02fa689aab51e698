"""Broadcasts that the user forbids: their own threshold is below 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.broadcasts_off import broadcasts_off
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD

_STATIC, _ADAPTIVE = BROADCAST_THRESHOLD.property, ADAPTIVE_BROADCAST_THRESHOLD.property


def forbidden_broadcasts(
    changes: Iterable[Change], confs: Iterable[Mapping[str, str]], queries: Sequence[Query]
) -> dict[str, Reason]:
    """The changes that the user's own settings forbid: why, by id.

    A group holds actions that belong together: an order is forbidden with the broadcasts that it needs. `confs` are the
    properties of the next run, as far as they are known, and of the latest run; `queries` tell what the application set
    while it ran.
    """
    everywhere = frozenset(name for conf in confs for name in broadcasts_off(conf))
    in_query = _off_by_query(everywhere, queries)
    anywhere = everywhere.union(*in_query.values())
    if not anywhere:
        return {}
    found: dict[str, Reason] = {}
    for change in changes:
        names = (_forbidding_property(action, everywhere, in_query, anywhere) for action in change.actions)
        if name := next(filter(None, names), ""):
            why = Reason(ReasonCode.BROADCASTS_OFF, {"property": name})
            found |= {id_: why for id_ in (change.id, change.needs) if id_}
    return found


def forbidding_queries(conf: Mapping[str, str], queries: Sequence[Query]) -> frozenset[str]:
    """The queries of a run, by fingerprint, whose joins a hint may not broadcast."""
    in_query = _off_by_query(frozenset(broadcasts_off(conf)), queries)
    return frozenset(fingerprint for fingerprint, off in in_query.items() if _forbids_hints(off))


def _off_by_query(everywhere: frozenset[str], queries: Sequence[Query]) -> Mapping[str, frozenset[str]]:
    """The thresholds that are below 0 in each query: one that runs several times may be without them once."""
    found: dict[str, frozenset[str]] = {}
    for query in queries:
        found[query.fingerprint] = found.get(query.fingerprint, everywhere).union(query.broadcasts_off)
    return found


def _forbids_hints(off: frozenset[str]) -> bool:
    """Whether a hint goes against thresholds that are below 0: AQE's speaks of its own broadcasts alone."""
    return _STATIC in off


def _forbidding_property(
    action: Action, everywhere: frozenset[str], in_query: Mapping[str, frozenset[str]], anywhere: frozenset[str]
) -> str:
    """The property that forbids an action by itself; "" for none."""
    if action.kind is ActionKind.HINT_JOIN and action.value == Hint.BROADCAST:
        return _STATIC if _forbids_hints(in_query.get(action.query or "", everywhere)) else ""
    if action.kind is ActionKind.SET_CONF and action.target in (_STATIC, _ADAPTIVE):
        # AQE's reaches every query, also those that the other speaks for.
        return next((name for name in (_STATIC, action.target) if name in anywhere), "")
    return ""
