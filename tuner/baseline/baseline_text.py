"""A baseline as the text of its file: the same for the same, and readable in a diff."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import msgspec

from tuner.baseline.document import (
    PROVEN_ALONE,
    WITH_WORDS,
    ActionDocument,
    BaselineDocument,
    ClusterDocument,
    GainDocument,
    ModeDocument,
    ObjectiveDocument,
    PartDocument,
    RefusedDocument,
    RuledDocument,
    TrialDocument,
)
from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.exported_baseline import ExportedBaseline, ProvenGain, ProvenTrial, Refused, Ruled
from tuner.model.verdict import ModeChange, ObjectiveChange
from tuner.printable import identifier, visible
from tuner.words.changes import trial_words
from tuner.words.query_names import QueryNames

_MOST_WORDS, _MOST_REASON = 400, 1000
_NOBODY_KNOWN = "?"


def baseline_text(baseline: ExportedBaseline) -> str:
    """JSON with sorted keys, two spaces a level, and a line break at its end."""
    said = (_mode(baseline.said.mode), _objective(baseline.said.objective), tuple(map(_refused, baseline.said.refused)))
    document = BaselineDocument(
        WITH_WORDS if any(said) else PROVEN_ALONE,
        baseline.cohort,
        baseline.as_of,
        baseline.spark_version,
        ClusterDocument(**asdict(baseline.cluster)),
        tuple(map(_trial, baseline.trials)),
        *said,
    )
    return json.dumps(msgspec.to_builtins(document), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _trial(trial: ProvenTrial) -> TrialDocument:
    return TrialDocument(
        visible(trial_words(trial.changes, QueryNames.known(trial.names)), _MOST_WORDS),
        "pinned" if trial.standing.value == "pinned" else "promoted",
        {query: identifier(name) for query, name in trial.names.items()},
        tuple(map(_part, trial.changes)),
        _gain(trial.gain) if trial.gain else None,
        _ruled(trial.ruled) if trial.ruled else None,
        trial.input_bytes,
    )


def _part(change: Change) -> PartDocument:
    return PartDocument(change.advisor, tuple(map(_action, change.actions)), change.risk, change.secures)


def _action(action: Action) -> ActionDocument:
    what = (action.kind, action.target, action.value, action.query, action.relations)
    return ActionDocument(*what, action.by_agent_alone)


def _gain(gain: ProvenGain) -> GainDocument:
    low, high = (None if bound is None else round(bound, 2) for bound in (gain.low, gain.high))
    return GainDocument(round(gain.seconds, 2), low, high, gain.runs)


def _ruled(ruled: Ruled) -> RuledDocument:
    return RuledDocument(ruled.ruling, **_who(ruled))


def _mode(said: ModeChange | None) -> ModeDocument | None:
    return ModeDocument(said.mode, **_who(said)) if said and said.mode else None


def _objective(said: ObjectiveChange | None) -> ObjectiveDocument | None:
    return ObjectiveDocument(said.objective, **_who(said)) if said and said.objective else None


def _refused(one: Refused) -> RefusedDocument:
    return RefusedDocument(visible(one.words, _MOST_WORDS), one.change_id, _ruled(one.ruled))


def _who(said: Ruled | ModeChange | ObjectiveChange) -> dict[str, Any]:
    """Who said it, when and why."""
    return {
        "by": identifier(said.by) or _NOBODY_KNOWN,
        "at": said.at,
        "reason": visible(said.reason, _MOST_REASON),
    }
