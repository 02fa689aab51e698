"""What people can do in the panel; each deed is kept with who did it, and holds from the cohort's next run on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import partial

from fastapi import APIRouter, Depends, HTTPException

from tuner.errors import SpokenMeanwhileError
from tuner.loop.stance_now import keep_stance_now
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.trial_rulings import kept_out
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.panel.access import Access
from tuner.panel.facts import CohortFacts
from tuner.panel.models.acts import Done, ModeRequest, RulingRequest
from tuner.panel.same_origin import from_own_page
from tuner.words.sizes import given_back_words
from tuner.words.standings import standing_words


def act_routes(access_of: Callable[..., Access]) -> APIRouter:
    """POST api/…. `access_of` is the dependency that knows the viewer."""
    asking = Depends(access_of)
    # The viewer first: who is unknown learns no more than that.
    routes = APIRouter(prefix="/api", dependencies=[asking, Depends(from_own_page)])

    @routes.post("/cohort/rulings")
    def rulings(request: RulingRequest, access: Access = asking) -> Done:
        since = access.store().last_word(request.cohort)
        facts = access.facts_to_change(request.cohort)
        _check_seen(request.seen, facts.standings)
        _check(request, facts)
        verdicts = _verdicts(request, facts.cohort, access.viewer.name)
        _say(partial(access.store().record, *verdicts, since=since))
        keep_stance_now(access.store(), facts.cohort)
        now = access.facts_of(facts.summary)
        trials, out = _trials(request.change_ids, facts), _kept_out(request, now)
        waits = all(decided.standing is Standing.HELD for decided in out)
        without = _trials([decided.id for decided in out], facts)
        done = _done(request.ruling, trials, without, _mode_for_certain(facts), off=facts.off, waits=waits)
        return Done(message=done)

    @routes.post("/cohort/mode")
    def mode(request: ModeRequest, access: Access = asking) -> Done:
        since = access.store().last_word(request.cohort)
        facts = access.facts_to_change(request.cohort)
        _check_mode_seen(request, facts)
        change = ModeChange(facts.cohort, request.mode, access.viewer.name, datetime.now(UTC), request.reason.strip())
        before = facts.outlook
        _say(partial(access.store().set_mode, change, since))
        now = keep_stance_now(access.store(), facts.cohort)
        what = f"mode {request.mode}" if request.mode else "the job's own mode"
        given_back = given_back_words(before, now) if before and now else []
        said = [f"{what} holds from the next run on", *given_back, facts.off]
        return Done(message="; ".join(filter(None, said)))

    return routes


def _say(said: Callable[[], None]) -> None:
    """409 where a person spoke in that very moment, by another process of the panel or a command."""
    try:
        said()
    except SpokenMeanwhileError:
        raise HTTPException(409, "nothing was done: somebody spoke of this cohort in that very moment") from None


def _check(request: RulingRequest, facts: CohortFacts) -> None:
    if request.ruling is Ruling.REJECT and not request.reason.strip():
        raise HTTPException(422, "a rejection needs a reason: others will want to know why it is never applied")
    known = facts.words_of_changes()
    unknown = sum(change_id not in known for change_id in request.change_ids)
    if unknown:
        raise HTTPException(
            422,
            f"{unknown} of {len(request.change_ids)} changes are none of this cohort's; load its recommendations anew",
        )
    by_people = sum(change_id in request.change_ids for change_id in _done_by_people(facts))
    if by_people and request.ruling is not Ruling.REJECT:
        raise HTTPException(
            422,
            f"{by_people} of {len(request.change_ids)} changes no run can carry out: a person does them, or rejects them",
        )


def _done_by_people(facts: CohortFacts) -> list[str]:
    changes = facts.outlook.changes if facts.outlook else ()
    return [decided.id for decided in changes if not decided.change.carried_out]


def _check_seen(seen: Mapping[str, Standing], now: Mapping[str, Standing]) -> None:
    """409 where a change stands elsewhere than its ruler saw it."""
    moved = {change_id: standing for change_id, standing in seen.items() if now.get(change_id) is not standing}
    if not moved:
        return
    if len(moved) > 1:
        raise HTTPException(409, f"nothing was done: {len(moved)} changes no longer stand as they were shown")
    ((change_id, then),) = moved.items()
    stands = standing_words(now[change_id]) if change_id in now else "advised no more"
    raise HTTPException(409, f"nothing was done: what was shown as {standing_words(then)} is {stands}")


def _check_mode_seen(request: ModeRequest, facts: CohortFacts) -> None:
    """409 where somebody gave the cohort another mode than its changer saw."""
    newest = facts.mode_changes[-1] if facts.mode_changes else None
    if "seen" not in request.model_fields_set or request.seen is (newest.mode if newest else None):
        return
    if newest is None:
        raise HTTPException(409, "nothing was done: the cohort has its job's own mode by now")
    what = f"mode {newest.mode}" if newest.mode else "the job's own mode"
    because = f": {newest.reason}" if newest.reason else ""
    raise HTTPException(409, f"nothing was done: {newest.by} gave it {what} meanwhile{because}")


def _verdicts(request: RulingRequest, cohort: str, by: str) -> list[Verdict]:
    now, reason = datetime.now(UTC), request.reason.strip()
    return [Verdict(cohort, id_, request.ruling, by, now, reason) for id_ in dict.fromkeys(request.change_ids)]


def _kept_out(request: RulingRequest, now: CohortFacts) -> list[DecidedChange]:
    """What was asked for, and something else keeps out of the next run all the same."""
    is_asked_for = request.ruling in (Ruling.APPROVE, Ruling.PIN)
    return kept_out(now.outlook, request.change_ids) if is_asked_for and now.outlook else []


def _mode_for_certain(facts: CohortFacts) -> Mode | None:
    return facts.mode if facts.mode_is_known else None


def _trials(change_ids: Collection[str], facts: CohortFacts) -> int:
    """How many these are as people count them: what is tried together is one."""
    outlook = {decided.id: decided.change.trial for decided in facts.outlook.changes} if facts.outlook else {}
    return len({outlook.get(change_id, change_id) for change_id in change_ids})


def _done(ruling: Ruling, count: int, without: int, mode: Mode | None, *, off: str, waits: bool) -> str:
    """`without`: so many of them are kept out of the next run though they were asked for, and it `waits` with these. `off` says
    why no run applies any."""
    said = {
        Ruling.APPROVE: "approved",
        Ruling.REJECT: "rejected",
        Ruling.PIN: "pinned",
        Ruling.ROLL_BACK: "rolled back",
    }[ruling]
    is_asked_for = ruling in (Ruling.APPROVE, Ruling.PIN)
    if off and is_asked_for:
        return f"{said}: {off}"
    if mode is Mode.OBSERVE and is_asked_for:
        return f"{said}: mode observe changes nothing, so no run applies {_it(count)} before the mode is another"
    if without:
        which = _it(count) if without == count else f"{without} of {_it(count)}"
        return f"{said}: the next run does not try {which}{' yet' if waits else ''}, for what is said beside it"
    does = {
        Ruling.APPROVE: "the next run tries",
        Ruling.REJECT: "no run applies",
        Ruling.PIN: "every run applies",
        Ruling.ROLL_BACK: "from the next run on nothing applies",
    }[ruling]
    return f"{said}: {does} {_it(count)}"


def _it(count: int) -> str:
    return "it" if count == 1 else f"these {count} changes"
