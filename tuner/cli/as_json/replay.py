"""A replay as JSON: a line for each run in time order, then one with the totals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import msgspec

from tuner.model.change import Prediction
from tuner.model.decision import DecidedChange
from tuner.replay.cohort_replay import Advised, CohortReplay, Observed, ReplayedRun, ReplaySummary
from tuner.replay.cohort_resources import CohortResources
from tuner.replay.replayed import Replayed
from tuner.units import cost_of
from tuner.words.actions import action_words
from tuner.words.decisions import decision_summary
from tuner.words.query_names import QueryNames
from tuner.words.reasons import why_words


def replay_lines(found: Replayed, core_hour_price: float | None = None) -> Iterator[str]:
    """`core_hour_price` adds what executors held in money to the totals."""
    names = {cohort.cohort: QueryNames.known(cohort.names) for cohort in found.summary.cohorts}
    for run in found.runs():
        yield _line(_run(run, names.get(run.cohort, QueryNames())))
    yield _line({"totals": totals_json(found.summary, core_hour_price)})


def _line(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


def _run(run: ReplayedRun, names: QueryNames) -> dict[str, Any]:
    there = set(run.in_force)
    return {
        "run": run.key,
        "cohort": run.cohort,
        "log": run.log,
        "app_id": run.app_id,
        "started_at": run.started_at,
        "state": run.state,
        "decision": decision_summary(run.decision),
        "advised": [a | {"in_force": d.id in there} for d in run.decision.changes for a in _actions(d, names)],
        "predicted_seconds": _seconds(run.predicted_seconds),
        "gain_if_unset": run.gain_if_unset,
        "actual_seconds": run.actual_seconds,
        "core_seconds": run.core_seconds,
        "allocated_core_hours": run.allocated_core_hours,
        "as_live": run.as_live,
    }


def _actions(d: DecidedChange, names: QueryNames) -> list[dict[str, Any]]:
    """What a change does, action by action."""
    return [
        {
            "id": action.id,
            "change": d.id,
            "words": action_words(action, names),
            "standing": d.standing,
            "reason": why_words(d, names),
            "queries": list(d.queries),
            "names": [names[query] for query in d.queries],
            "evidence": [asdict(e) for e in d.change.evidence],
            "predicted_seconds": _seconds(d.change.prediction),
        }
        for action in d.change.actions
    ]


def _seconds(p: Prediction | None) -> dict[str, float] | None:
    return None if p is None else asdict(p)


def totals_json(summary: ReplaySummary, core_hour_price: float | None) -> dict[str, Any]:
    """What all runs come to, with what is to be known of each cohort."""
    held, saved = summary.allocated_core_hours, summary.saved_core_hours
    told = sum(c.allocated_runs for c in summary.cohorts)
    return {
        "logs": summary.logs,
        "size_bytes": summary.size_bytes,
        "runs": sum(c.runs for c in summary.cohorts),
        "query_seconds": sum(c.query_seconds for c in summary.cohorts),
        "core_hours": sum(c.core_hours for c in summary.cohorts),
        "allocated_core_hours": held,
        "allocated_runs": told,
        "saved_core_hours": saved,
        "saved_core_hours_if_unset": summary.saved_core_hours_if_unset,
        "core_hour_price": core_hour_price,
        "cost": cost_of(held if told else None, core_hour_price),
        "saved_cost": cost_of(saved, core_hour_price),
        "live_decisions": {
            "steered": sum(c.live for c in summary.cohorts),
            "as_live": sum(c.as_live for c in summary.cohorts),
        },
        "cohorts": [_cohort(c) for c in summary.cohorts],
        "backtest": asdict(summary.backtest) if summary.backtest else None,
        "observed": [_observed(c.cohort, o) for c in summary.cohorts for o in c.observed],
        "unread": [{"log": u.log, "why": u.why} for u in summary.unread],
        "problems": list(summary.problems),
    }


def _cohort(c: CohortReplay) -> dict[str, Any]:
    names = QueryNames.known(c.names)
    return {
        "cohort": c.cohort,
        "runs": c.runs,
        "measured": c.measured,
        "first_at": c.first_at,
        "last_at": c.last_at,
        "query_seconds": c.query_seconds,
        "core_hours": c.core_hours,
        "allocated_core_hours": c.allocated_core_hours,
        "allocated_runs": c.allocated_runs,
        "resources": _resources(c.resources),
        "saved_seconds": _seconds(c.saved),
        "saved_core_hours": c.saved_core_hours,
        "saved_seconds_if_unset": c.saved_if_unset,
        "saved_core_hours_if_unset": c.saved_core_hours_if_unset,
        "live": c.live,
        "as_live": c.as_live,
        "recommendations": [_advised(a, names) for a in c.advised],
        "next": {
            "decision": decision_summary(c.next),
            "advised": [action for d in c.next.changes for action in _actions(d, names)],
            "predicted_seconds": _seconds(c.next_saved),
            "gain_if_unset": c.next_saved_if_unset,
            "already_set": dict(c.next_already_set),
        },
    }


def _resources(r: CohortResources) -> dict[str, Any]:
    return asdict(r) | {
        "held_gib_hours": r.held_gib_hours,
        "unused_gib_hours": r.unused_gib_hours,
        "gc_share": r.gc_share,
    }


def _advised(a: Advised, names: QueryNames) -> dict[str, Any]:
    return {
        "actions": [action for d in a.last for action in _actions(d, names)],
        "runs": a.runs,
        "seconds": _seconds(a.seconds),
        "core_hours": a.core_hours,
        "already_set": dict(a.already_set),
    }


def _observed(cohort: str, o: Observed) -> dict[str, Any]:
    return {"cohort": cohort, **asdict(o), "gain": o.gain, "within": o.within}
