"""What of that which other cohorts have proven goes along with the first run of one that nothing is known of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tuner.model.action import ActionKind, Hint
from tuner.model.agent_message import QueryDirectives
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.proof import MOST_AGE, Proof
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome
from tuner.model.verdict import Verdict
from tuner.policy.context import context_of, context_to_come
from tuner.policy.imported_changes import without_source
from tuner.policy.rulings import Rulings
from tuner.spark.broadcasts_off import broadcasts_off
from tuner.spark.knobs import DRIVER_MEMORY, EXECUTOR_MEMORY
from tuner.spark.master import is_local, master_of

# So many cohorts must have proven a change for each in which it lost, failed or was refused: without a run of its own to
# compare with, a first run takes no side.
PROVEN_PER_LOST = 3


@dataclass(frozen=True, slots=True)
class Lent:
    """What is lent of one query: changes on trial, and what the agent is told of them."""

    changes: tuple[DecidedChange, ...]
    directives: QueryDirectives


def lent_changes(
    proofs: Sequence[Proof],
    verdicts: Sequence[Verdict],
    modes: Mapping[str, Mode | None],
    own_verdicts: Sequence[Verdict],
    *,
    now: datetime,
    spark_version: str,
    conf: Mapping[str, str],
) -> list[Lent]:
    """What is lent, that which gained most first; of a query what one cohort proved, all of it or nothing.

    `verdicts` and `modes` are what people said of the cohorts that lend, `own_verdicts` of the one that borrows. `spark_version`
    is that of the run to come ("" where unknown), `conf` what it is submitted with.
    """
    by_cohort = {proof.cohort: [v for v in verdicts if v.cohort == proof.cohort] for proof in proofs}
    told = [_as_ruled(proof, by_cohort[proof.cohort]) for proof in proofs if now - proof.told_at <= MOST_AGE]
    lost = Counter(id_ for proof in told for id_ in proof.taken_out)
    lenders = [proof for proof in told if proof.gained_seconds > 0 and modes.get(proof.cohort) is not Mode.OBSERVE]
    won: dict[str, list[Proof]] = {}
    for proof in lenders:
        for decided in proof.changes:
            won.setdefault(decided.id, []).append(proof)
    found: dict[tuple[object, ...], Lent] = {}
    for proof in sorted(lenders, key=lambda p: (-p.gained_seconds, p.cohort, p.query)):
        wanted, changes = proof.directives, [decided.change for decided in proof.changes]
        if wanted is None or _is_elsewhere(proof, spark_version, conf):
            continue
        if (broadcasts_off(conf) and any(map(_broadcasts, changes))) or _is_any_refused(changes, own_verdicts):
            continue
        if all(len(won[change.id]) >= PROVEN_PER_LOST * lost[change.id] for change in changes):
            # The agent tells queries apart by what they read.
            trials = tuple(_on_trial(d, won[d.id], now) for d in proof.changes)
            found.setdefault((wanted.relations, wanted.columns), Lent(trials, wanted))
    return list(found.values())


def _as_ruled(proof: Proof, verdicts: Sequence[Verdict]) -> Proof:
    """With what a person said since: the refusal of one of its changes takes out all, for they were proven together."""
    refused = [d.id for d in proof.changes if _is_any_refused([d.change], verdicts)]
    if not refused:
        return proof
    out = tuple(dict.fromkeys([*proof.taken_out, *refused]))
    return replace(proof, changes=(), directives=None, gained_seconds=0.0, taken_out=out)


def _is_any_refused(changes: Sequence[Change], verdicts: Sequence[Verdict]) -> bool:
    rulings = Rulings.of(verdicts, changes)
    return any((verdict := rulings.on(change)) and verdict.is_refusal for change in changes)


def _is_elsewhere(proof: Proof, spark_version: str, conf: Mapping[str, str]) -> bool:
    """Whether the run to come has another Spark, or another cluster, than it was proven with."""
    master = master_of(conf)
    if master and is_local(master) != proof.cluster.local:
        return True
    proven = Outcome("", proof.spark_version, None, proof.cluster, ())
    heaps = {knob.property: f"{knob.default}b" for knob in (DRIVER_MEMORY, EXECUTOR_MEMORY)}
    return bool(context_to_come(proven, spark_version, {**heaps, **conf}).difference(context_of(proven)))


def _broadcasts(change: Change) -> bool:
    return any(a.kind is ActionKind.HINT_JOIN and a.value == Hint.BROADCAST for a in change.actions)


def _on_trial(decided: DecidedChange, proven: Iterable[Proof], now: datetime) -> DecidedChange:
    """As a trial of the cohort that borrows it. Whose it was is not said: its readers may not see theirs."""
    others = list(proven)
    numbers = {
        "jobs": len({proof.cohort for proof in others}),
        "runs": sum(proof.runs for proof in others),
        "days": max(0, min((now - proof.told_at).days for proof in others)),
        "seconds": max(proof.gained_seconds for proof in others),
    }
    change = without_source(decided.change)
    why = Reason(ReasonCode.LENT, numbers, (change.reason,))
    return DecidedChange(change, Standing.TRIAL, why, literals=decided.literals)
