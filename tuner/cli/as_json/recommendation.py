"""What `advise --json` recommends: a contract, so every name is written out here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tuner.cli.reading.advice_of_log import cohort_in
from tuner.model.application import Application
from tuner.model.change import Change
from tuner.policy.already_set import already_set
from tuner.words.actions import hint_text
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words


def recommendation_json(application: Application, trial: Sequence[Change], names: QueryNames) -> dict[str, Any]:
    """The changes of one trial as one recommendation."""
    r = trial[0]
    return {
        "cohort": cohort_in(application),
        "app_id": application.app_id,
        "query": r.queries[0] if len(r.queries) == 1 else None,
        "name": names[r.queries[0]] if len(r.queries) == 1 else None,
        "queries": list(r.queries),
        "names": [names[query] for query in r.queries],
        "actions": [
            {
                "id": a.id,
                "kind": a.kind,
                "target": a.target,
                "value": a.value,
                "query": a.query,
                "relations": list(a.relations),
                "hint_text": hint_text(a) or None,
            }
            for change in trial
            for a in change.actions
        ],
        "change": r.id,
        "advisor": r.advisor,
        "reason": reason_words(r.reason, names),
        "evidence": [{"what": e.what, "value": e.value, "unit": e.unit, "of": e.of} for e in r.evidence],
        "predicted_seconds": asdict(r.prediction) if r.prediction else None,
        "risk": r.risk,
        "already_set": already_set(trial, application.conf),
    }
