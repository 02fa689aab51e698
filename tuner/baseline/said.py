"""What people said of a cohort that goes along with what it has proven: its mode, its objective, what they refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tuner.baseline.document import MOST_REFUSED
from tuner.baseline.flaw import refusal_flaw
from tuner.baseline.told_names import ToldNames
from tuner.history.store import Store
from tuner.model.change import Change
from tuner.model.exported_baseline import Refused, Ruled, SaidThere
from tuner.model.run import Run
from tuner.model.verdict import Verdict
from tuner.policy.rulings import Rulings
from tuner.words.changes import change_words
from tuner.words.query_names import QueryNames


def said_there(store: Store, cohort: str, runs: Sequence[Run], verdicts: Sequence[Verdict]) -> SaidThere:
    """What holds: the newest mode and objective unless they were given back, and each refusal that nothing was said after."""
    modes, objectives = store.mode_changes(cohort), store.objective_changes(cohort)
    known = {d.change.id: d.change for run in runs for d in run.decision.changes}
    known |= {one.change.id: one.change for one in store.imports(cohort)}
    return SaidThere(
        modes[-1] if modes and modes[-1].mode else None,
        objectives[-1] if objectives and objectives[-1].objective else None,
        tuple(_refused(verdicts, known, ToldNames(runs))),
    )


def _refused(verdicts: Sequence[Verdict], known: Mapping[str, Change], names: ToldNames) -> list[Refused]:
    """The last said comes last; without what could not be imported anywhere."""
    rulings = Rulings.of(verdicts, known.values())
    last = {verdict.change_id: place for place, verdict in enumerate(verdicts)}
    found = []
    for id_ in sorted(last, key=lambda one: last[one]):
        verdict = rulings.on_id(id_)
        if verdict is not None and verdict.is_refusal and not refusal_flaw(id_):
            ruled = Ruled(verdict.ruling, verdict.by, verdict.at, verdict.reason)
            found.append(Refused(id_, _words(id_, known.get(id_), names), ruled))
    return found[-MOST_REFUSED:]


def _words(id_: str, change: Change | None, names: ToldNames) -> str:
    return change_words(change, QueryNames.known(names.of(change.queries))) if change else id_
