"""Changes instead of single actions: what stands or falls together is kept as one, and why it does as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_RUNS = sa.table("spark_tuner_runs", sa.column("key"), sa.column("decision"), sa.column("details"))
_AT_A_TIME = 200
_IN_FORCE = {"trial", "promoted", "pinned"}
# Where decisions split a sentence into what was advised and what kept it out of the run.
_SPLITS = ("; held: ", "; proposed: ")
_MEASURED_LOSSES = {"slower": "slower", "no gain": "no_gain"}
_NOT_SAID = {"nothing to change", "observed"}

_Json = dict[str, Any]


def upgrade() -> None:
    op.execute("ALTER TABLE spark_tuner_verdicts RENAME COLUMN action_id TO change_id")
    _rewrite(with_changes)


def downgrade() -> None:
    _rewrite(with_actions)
    op.execute("ALTER TABLE spark_tuner_verdicts RENAME COLUMN change_id TO action_id")


def _rewrite(decision: Callable[[_Json], _Json]) -> None:
    connection, last = op.get_bind(), ""
    while True:
        page = sa.select(_RUNS).where(_RUNS.c.key > last).order_by(_RUNS.c.key).limit(_AT_A_TIME)
        rows = connection.execute(page).all()
        for key, decided, details in rows:
            new = {
                "decision": _document(decided, decision),
                "details": _document(details, lambda d: {**d, "outlook": d.get("outlook") and decision(d["outlook"])}),
            }
            connection.execute(sa.update(_RUNS).where(_RUNS.c.key == key).values(**new))
        if len(rows) < _AT_A_TIME:
            return
        last = rows[-1][0]


def _document(document: str | None, rewritten: Callable[[_Json], _Json]) -> str | None:
    """What cannot be read stays as it is: the store skips it with a warning."""
    try:
        return None if document is None else json.dumps(rewritten(json.loads(document)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return document


def with_changes(decision: _Json) -> _Json:
    """A decision on actions as one on changes."""
    if "changes" in decision:
        return decision
    trials: dict[str, list[_Json]] = {}
    for decided in decision.get("actions", ()):
        trials.setdefault(_trial(decided), []).append(decided)
    unsteered = None
    if not trials and decision["summary"] not in _NOT_SAID:
        unsteered = _said("recorded", decision["summary"])
    changes = [change for trial in trials.values() for change in _changes(trial)]
    return {"mode": decision["mode"], "changes": changes, "unsteered": unsteered}


def _trial(decided: _Json) -> str:
    """The same for actions that came of one recommendation: they rest on the same evidence."""
    if not decided.get("evidence"):
        return _id(decided["action"])
    return json.dumps([decided["evidence"], decided.get("predicted_seconds")], sort_keys=True)


def _changes(trial: list[_Json]) -> Iterable[_Json]:
    """An order and each of its hints are changes of their own, of which the hints need the order; properties are one change,
    with what people analyse for them, where they all stood alike."""
    on_joins = [d for d in trial if d["action"].get("query")]
    order = next((_id(d["action"]) for d in on_joins if d["action"]["kind"] == "order_joins"), "")
    for decided in on_joins:
        own = _id(decided["action"])
        yield _change([decided], needs="" if own == order else order)
    properties = [d for d in trial if not d["action"].get("query")]
    carried_out = [d for d in properties if d["action"]["kind"] != "analyze_table"]
    if len({d["standing"] for d in carried_out}) > 1:
        for decided in properties:
            yield _change([decided])
    elif properties:
        # What its properties do tells where it stands: tables were always only proposed.
        yield _change([*carried_out, *(d for d in properties if d not in carried_out)])


def _change(several: list[_Json], needs: str = "") -> _Json:
    first = several[0]
    actions = [d["action"] for d in several]
    carried_out = [a for a in actions if a["kind"] != "analyze_table"] or actions
    said, split, held = _split(first["reason"])
    gained = (d["gained_seconds"] for d in several if d.get("gained_seconds") is not None)
    return {
        "change": {
            "id": " + ".join(sorted(map(_id, carried_out))),
            "advisor": "",
            "actions": actions,
            "queries": list(dict.fromkeys(q for d in several for q in d.get("queries", ()))),
            "reason": _said("recorded", said),
            "evidence": first.get("evidence", []),
            "prediction": first.get("predicted_seconds"),
            "risk": "low",
            "needs": needs,
        },
        "standing": first["standing"],
        "why": _said(_code(first["standing"], said), said),
        "held": _said("recorded", held) if split and first["standing"] not in _IN_FORCE else None,
        "gained_seconds": next(gained, None),
        "literals": first.get("literals", []),
    }


def _id(action: _Json) -> str:
    scope = f"{action['query']}/" if action.get("query") else ""
    side = f"({'+'.join(action['relations'])})" if action.get("relations") else ""
    return f"{action['kind']}:{scope}{action['target']}={action['value']}{side}"


def _split(reason: str) -> tuple[str, str, str]:
    found = min((p for p in (reason.partition(s) for s in _SPLITS) if p[1]), key=lambda p: len(p[0]), default=None)
    return found or (reason, "", "")


def _code(standing: str, said: str) -> str:
    """A measured loss keeps others from trying the same; all else is only read."""
    codes = (code for words, code in _MEASURED_LOSSES.items() if standing == "rolled_back" and said.startswith(words))
    return next(codes, "recorded")


def _said(code: str, sentence: str) -> _Json:
    return {"code": code, "numbers": {"said": sentence}, "because": []}


def with_actions(decision: _Json) -> _Json:
    """A decision on changes as one on actions; a reason that was no sentence is told by its code."""
    if "changes" not in decision:
        return decision
    actions = [
        {
            "action": action,
            "standing": decided["standing"],
            "reason": "; held: ".join(_sentence(decided[part]) for part in ("why", "held") if decided.get(part)),
            "queries": decided["change"]["queries"],
            "evidence": decided["change"]["evidence"],
            "predicted_seconds": decided["change"]["prediction"],
            "gained_seconds": decided["gained_seconds"],
            "literals": decided["literals"],
        }
        for decided in decision["changes"]
        for action in decided["change"]["actions"]
    ]
    unsteered = decision.get("unsteered")
    summary = _sentence(unsteered) if unsteered else f"{len(actions)} changes" if actions else "nothing to change"
    return {"mode": decision["mode"], "summary": summary, "actions": actions}


def _sentence(reason: _Json) -> str:
    return str(reason["numbers"].get("said") or reason["code"].replace("_", " "))
