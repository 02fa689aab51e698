"""A baseline's file, read: all of it as it must be, or an error that says what is wrong, where, and what to do."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

import msgspec

from tuner.baseline.document import (
    MOST_BYTES,
    MOST_DEPTH,
    PROVEN_ALONE,
    WITH_WORDS,
    ActionDocument,
    BaselineDocument,
    GainDocument,
    PartDocument,
    RuledDocument,
    TrialDocument,
)
from tuner.baseline.flaw import action_flaw, change_flaw, refusal_flaw
from tuner.errors import TunerError
from tuner.history.cohort_name import LONGEST_KNOWN, flaw
from tuner.model.action import Action
from tuner.model.change import Change, change_id
from tuner.model.cluster import Cluster
from tuner.model.decision import Standing
from tuner.model.exported_baseline import ExportedBaseline, ProvenGain, ProvenTrial, Refused, Ruled, SaidThere
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.verdict import REFUSALS, ModeChange, ObjectiveChange
from tuner.printable import printable

_VERSIONS = (PROVEN_ALONE, WITH_WORDS)
_MOST_SAID = 200
_MOST_DIGITS = 20


class BaselineError(TunerError):
    """A file is no baseline that can be imported."""


def read_baseline(data: bytes, source: str) -> ExportedBaseline:
    """The baseline that `source` holds; BaselineError where anything of it is not as `baseline_text` writes it."""
    raw = _parsed(data, source)
    for path, text in _texts(raw, source):
        if printable(text) != text:
            _refuse(source, f"at {path}: it has characters that cannot be printed")
    version = raw.get("version") if isinstance(raw, dict) else None
    if type(version) is int and version not in _VERSIONS:
        what = f"it is of version {version}, this spark-tuner reads {' and '.join(map(str, _VERSIONS))}"
        _refuse(source, f"at $.version: {what}", _OF_ANOTHER_VERSION)
    try:
        document = msgspec.convert(raw, BaselineDocument)
    except (msgspec.MsgspecError, ValueError) as error:
        _refuse(source, str(error))
    if version not in _VERSIONS:
        _refuse(source, "at $.version: it is no number of a version")
    if why := flaw(document.cohort, LONGEST_KNOWN):
        _refuse(source, f"at $.cohort: this cannot name a cohort: {why}")
    return _baseline(document, source)


_AGAIN = "export it again with `spark-tuner baseline export`, or correct it there"
_OF_ANOTHER_VERSION = "export it again with this version"


def _refuse(source: str, what: str, what_to_do: str = _AGAIN) -> NoReturn:
    raise BaselineError(
        f"{printable(source, _MOST_SAID)} is no baseline: {printable(what, _MOST_SAID)}; nothing is imported: {what_to_do}"
    )


def _parsed(data: bytes, source: str) -> Any:
    if len(data) > MOST_BYTES:
        _refuse(source, f"it has more than {MOST_BYTES >> 20} MiB")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise ValueError(f"{name!r} is there twice in one object")
            found[name] = value
        return found

    try:
        return json.loads(data.decode(), object_pairs_hook=once, parse_constant=_no_number, parse_int=_whole_number)
    except RecursionError:
        _refuse(source, f"it is nested deeper than {MOST_DEPTH} levels")
    except ValueError as error:
        _refuse(source, f"it is no JSON that can be read: {error}")


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number has {len(text)} digits")
    return int(text)


def _texts(raw: Any, source: str) -> Iterator[tuple[str, str]]:
    """All texts, names of fields among them, with where they stand."""
    waiting: list[tuple[str, Any, int]] = [("$", raw, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        if depth > MOST_DEPTH:
            _refuse(source, f"at {path}: it is nested deeper than {MOST_DEPTH} levels")
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            yield from ((path, name) for name in value)
            waiting += [(f"{path}.{name}"[:_MOST_SAID], below, depth + 1) for name, below in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{path}[{number}]", below, depth + 1) for number, below in enumerate(value)]


def _baseline(document: BaselineDocument, source: str) -> ExportedBaseline:
    trials: list[ProvenTrial] = []
    seen: set[str] = set()
    for number, trial in enumerate(document.changes):
        found = _trial(trial, document, f"$.changes[{number}]", source)
        if found.ids & seen or len(found.ids) < len(found.changes):
            _refuse(source, f"at $.changes[{number}]: a change is there twice")
        seen |= found.ids
        trials.append(found)
    cluster = Cluster(**msgspec.structs.asdict(document.cluster))
    said = _said(document, seen, source)
    return ExportedBaseline(document.cohort, document.as_of, document.spark_version, cluster, tuple(trials), said)


def _said(document: BaselineDocument, proven: Collection[str], source: str) -> SaidThere:
    """`proven` are the ids of the changes that the same file has proven."""
    refused: dict[str, Refused] = {}
    for number, one in enumerate(document.refused):
        place, ruled = f"$.refused[{number}]", Ruled(*msgspec.structs.astuple(one.ruled))
        if why := refusal_flaw(one.id):
            _refuse(source, f"at {place}: {why}")
        if one.id in refused or one.id in proven:
            _refuse(source, f"at {place}: this change is there twice, or proven and refused")
        if ruled.ruling not in REFUSALS:
            _refuse(source, f"at {place}.ruled.ruling: {ruled.ruling} is no refusal; there are {', '.join(REFUSALS)}")
        refused[one.id] = Refused(one.id, one.change, ruled)
    mode, objective = document.mode, document.objective
    return SaidThere(
        ModeChange(document.cohort, *msgspec.structs.astuple(mode)) if mode else None,
        ObjectiveChange(document.cohort, *msgspec.structs.astuple(objective)) if objective else None,
        tuple(refused.values()),
    )


def _trial(trial: TrialDocument, document: BaselineDocument, path: str, source: str) -> ProvenTrial:
    if trial.gain is not None and not _is_between(trial.gain):
        _refuse(source, f"at {path}.gain: the seconds do not lie between their bounds, which come together with runs")
    queries = tuple(trial.queries)
    reason, needed = _reason(trial, document), ""
    changes: list[Change] = []
    for number, part in enumerate(trial.parts):
        actions = tuple(map(_action, part.actions))
        for place, action in enumerate(actions):
            if why := action_flaw(action):
                _refuse(source, f"at {path}.parts[{number}].actions[{place}]: {why}")
        changes.append(_change(part, actions, queries, reason, needed))
        needed = needed or change_id(actions)
    if why := change_flaw(changes, queries):
        _refuse(source, f"at {path}: {why}")
    standing, names = Standing(trial.standing), trial.queries
    return ProvenTrial(tuple(changes), standing, names, _gain(trial.gain), _ruled(trial.ruled), trial.input_bytes)


def _gain(gain: GainDocument | None) -> ProvenGain | None:
    return ProvenGain(gain.seconds, gain.low_seconds, gain.high_seconds, gain.runs) if gain else None


def _ruled(ruled: RuledDocument | None) -> Ruled | None:
    return Ruled(ruled.ruling, ruled.by, ruled.at, ruled.reason) if ruled else None


def _is_between(gain: GainDocument) -> bool:
    low, high = gain.low_seconds, gain.high_seconds
    if low is None or high is None or gain.runs is None:
        return low is high is gain.runs is None
    return low <= gain.seconds <= high


def _action(action: ActionDocument) -> Action:
    what = (action.kind, action.target, action.value, action.query, action.relations)
    return Action(*what, action.by_agent_alone)


def _change(
    part: PartDocument, actions: tuple[Action, ...], queries: tuple[str, ...], reason: Reason, needs: str
) -> Change:
    return Change.of(part.advisor, actions, queries, reason, (), None, part.risk, needs, secures=part.secures)


def _reason(trial: TrialDocument, document: BaselineDocument) -> Reason:
    """Where it was proven, for whoever looks at it where it is imported."""
    gain = trial.gain
    numbers: dict[str, Number] = {
        "cohort": document.cohort,
        "as_of": document.as_of.isoformat(),
        "seconds": gain.seconds if gain else None,
        "low_seconds": gain.low_seconds if gain else None,
        "high_seconds": gain.high_seconds if gain else None,
        "runs": gain.runs if gain else None,
        "spark_version": document.spark_version,
    }
    return Reason(ReasonCode.IMPORTED, numbers)
