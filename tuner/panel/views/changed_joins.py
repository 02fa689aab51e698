"""Which joins of a query's plan are not what they were before, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tuner.model.action import Action, ActionKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.strategy import Strategy
from tuner.words.actions import hint_name

_WORDS = {
    Strategy.BROADCAST_HASH: "broadcast hash",
    Strategy.SHUFFLED_HASH: "shuffled hash",
    Strategy.SORT_MERGE: "sort merge",
    Strategy.CARTESIAN: "cartesian",
    Strategy.BROADCAST_NESTED_LOOP: "nested loop",
    Strategy.UNKNOWN: "unknown strategy",
}

BY_TUNER = "by the tuner"
AS_ADVISED = "as advised"

Marks = dict[int, str]
_Site = tuple[str, int]


def changed_joins(
    before: PlanPicture | None, after: PlanPicture | None, told: Sequence[Action], by: str = BY_TUNER
) -> tuple[Marks, Marks]:
    """Why joins are marked, by their positions in both pictures. `told` are the actions that the later plan followed, or
    would follow, as `by` says.
    """
    old, new = _joins(before), _joins(after)
    marks_after = {
        position: words
        for site, position in new.items()
        if after and (words := ", ".join(_after(site, after, position, before, old.get(site), told, by)))
    }
    changed = {site for site, position in new.items() if position in marks_after}
    marks_before = {
        position: _before(before, position, after, new.get(site))
        for site, position in old.items()
        if before and after and (site in changed or site not in new)
    }
    return marks_before, marks_after


def _joins(picture: PlanPicture | None) -> dict[_Site, int]:
    steps = enumerate(picture.steps) if picture else ()
    return {
        (step.signature, step.occurrence): position
        for position, step in steps
        if step.kind is StepKind.JOIN and step.signature
    }


def _after(
    site: _Site,
    picture: PlanPicture,
    position: int,
    before: PlanPicture | None,
    old: int | None,
    told: Iterable[Action],
    by: str,
) -> Iterator[str]:
    hints = [a.value for a in told if a.kind is ActionKind.HINT_JOIN and a.target == site[0]]
    yield from (f"{hint_name(hint)} {by}" for hint in hints)
    if before is None:
        return
    ordered = any(a.kind is ActionKind.ORDER_JOINS for a in told)
    if old is None:
        yield f"joined in another order {by}" if ordered else "no such join before"
        return
    was, now = before.steps[old], picture.steps[position]
    if _how(was) != _how(now):
        yield f"{_how(was)}{_comma(was)} before"
    if _below(before, old) != _below(picture, position):
        yield f"joined in another order {by}" if ordered else "joined in another order than before"


def _before(picture: PlanPicture, position: int, after: PlanPicture, new: int | None) -> str:
    """The other side of the mark: what became of the join."""
    if new is None:
        return "no such join after"
    was, now = picture.steps[position], after.steps[new]
    return f"{_how(now)}{_comma(now)} after" if _how(was) != _how(now) else "changed after"


def _how(step: PlanStep) -> str:
    words = _WORDS[step.strategy] if step.strategy else "join"
    return f"{words}, built of the {step.build_side.value} side" if step.build_side else words


def _below(picture: PlanPicture, position: int) -> set[_Site]:
    """The joins below a step: two joins with the same of them come at the same point of the order."""
    found: set[_Site] = set()
    waiting, seen = list(picture.steps[position].inputs), {position}
    while waiting:
        at = waiting.pop()
        if at in seen or not 0 <= at < len(picture.steps):
            continue
        seen.add(at)
        step = picture.steps[at]
        waiting += step.inputs
        if step.kind is StepKind.JOIN and step.signature:
            found.add((step.signature, step.occurrence))
    return found


def _comma(step: PlanStep) -> str:
    return "," if step.build_side else ""
