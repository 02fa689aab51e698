"""Advisor: broadcast one side of one join, by a hint that reaches that join alone."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.builds import Build, build_evidence, capped, predict, sort_merge_builds
from tuner.advice.facts import Facts
from tuner.advice.model import Action, ActionKind, Hint, Recommendation, Risk
from tuner.plan.relation import short_name
from tuner.units import format_bytes, format_rows, format_seconds

MIN_GAIN_SECONDS = 0.1
MIN_GAIN_SHARE = 0.02


def advise_broadcast_hints(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each sort merge join whose smaller side fits and pays; none where hints cannot reach."""
    if not facts.per_join:
        return
    used: dict[str, int] = {}
    for build in sorted(_worthwhile(facts), key=lambda b: -b.static_gain):
        total = used.get(build.query.fingerprint, 0) + build.relation_bytes
        if total <= facts.cap.query_bytes:
            used[build.query.fingerprint] = total
            yield _recommendation(build)


def _worthwhile(facts: Facts) -> list[Build]:
    """The better side of each join."""
    best: dict[tuple[str, str, int], Build] = {}
    for build in sort_merge_builds(facts):
        enough = build.static_gain >= max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * (build.query.duration_ms or 0) / 1e3)
        if build.veto or not enough or len(build.build.relations) != 1:
            continue
        key = (build.query.fingerprint, build.join.signature, build.join.occurrence)
        if key not in best or build.static_gain > best[key].static_gain:
            best[key] = build
    return list(best.values())


def _recommendation(build: Build) -> Recommendation:
    side, join = build.build, build.join
    before = (build.query.duration_ms or 0) / 1e3
    gain = capped(build.static_gain, before)
    name = short_name(side.relations[0])
    action = Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, build.query.fingerprint, side.relations)
    return Recommendation(
        actions=(action,),
        queries=(build.query.fingerprint,),
        reason=(
            f"broadcast {name}: {format_rows(side.rows or 0)}, {format_bytes(side.shuffle_bytes or 0)} were shuffled "
            f"and sorted to meet {format_rows(build.probe.rows or 0)}; about {format_seconds(gain)} less"
        ),
        evidence=build_evidence(build),
        predicted_seconds=predict(before, gain, build.serial_seconds),
        risk=Risk.LOW,
        advisor="broadcast_hint",
    )
