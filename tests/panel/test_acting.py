"""What people do in the panel is kept with their names, and only the panel's own page can ask for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from time import sleep
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunDetails, RunState
from tuner.model.size_change import SizeChange
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.words.decisions import STEERING_OFF, SWITCHED_OFF

from .nights import COHORT, FIRST, HINT, PARTITIONS, decided, keep, night, outlook, query
from .people import Someone

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def proposed(store: Store) -> None:
    advice = [decided(), decided(PARTITIONS)]
    keep(
        store, night(0, query("q1", 20), changes=advice, mode=Mode.SUGGEST), details=outlook(*advice, mode=Mode.SUGGEST)
    )


def rule(
    client: Any,
    *change_ids: str,
    ruling: str = "approve",
    reason: str = "",
    seen: dict[str, str] | None = None,
    **how: Any,
) -> Any:
    body: dict[str, Any] = {"cohort": COHORT, "change_ids": list(change_ids), "ruling": ruling, "reason": reason}
    body |= {"seen": seen} if seen else {}
    return client.post("/api/cohort/rulings", json=body, **how)


def test_a_ruling_is_kept_with_who_and_why_for_each_change(ask: Ask, store: Store) -> None:
    answer = rule(ask(Someone("ana@corp")), HINT.id, PARTITIONS.id, reason=" seen on staging ")
    assert (answer.status_code, answer.json()) == (200, {"message": "approved: the next run tries these 2 changes"})
    kept = [(v.change_id, v.ruling, v.by, v.reason) for v in store.verdicts(COHORT)]
    assert kept == [(id_, Ruling.APPROVE, "ana@corp", "seen on staging") for id_ in (HINT.id, PARTITIONS.id)]


def test_what_was_ruled_is_shown_at_once(ask: Ask) -> None:
    client = ask()
    rule(client, HINT.id, PARTITIONS.id)
    tried = client.get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
    assert [(one["standing"], one["status"]) for one in tried] == [
        ("trial", "approved by ana, from the next run on")
    ] * 2
    rule(client, HINT.id, PARTITIONS.id, ruling="reject", reason="days grows")
    held = client.get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
    status = "rejected by ana, from the next run on: days grows"
    assert [(one["standing"], one["status"]) for one in held] == [("held", status)] * 2
    assert [one["actions"][0]["verdict"]["ruling"] for one in held] == ["reject"] * 2


def test_what_is_held_though_it_was_approved_is_not_said_to_be_tried(ask: Ask, store: Store) -> None:
    """An author's own setting wins, and what is left out of one run to compare stays out of it."""
    why = Reason(ReasonCode.OVERRULED, {"property": PARTITIONS.target, "value": "8"})
    held = decided(PARTITIONS, Standing.HELD, held=why)
    keep(store, night(1, query("q1", 20)), details=outlook(held, decided()))
    told = "the next run does not try {} yet, for what is said beside it"
    assert rule(ask(), PARTITIONS.id).json() == {"message": f"approved: {told.format('it')}"}
    both = rule(ask(), PARTITIONS.id, HINT.id).json()
    assert both == {"message": f"approved: {told.format('1 of these 2 changes')}"}


@pytest.mark.parametrize(("ruling", "said"), [("approve", "approved"), ("pin", "pinned")])
def test_an_order_of_joins_that_no_agent_carries_out_is_promised_of_no_run(
    ask: Ask, store: Store, ruling: str, said: str
) -> None:
    order = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")
    left = decided(order, held=Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": (order.kind.value,)}))
    keep(store, night(1, query("q1", 20), mode=Mode.SUGGEST), details=outlook(left, decided(), mode=Mode.SUGGEST))
    answer = rule(ask(), order.id, ruling=ruling)
    assert answer.json() == {"message": f"{said}: the next run does not try it, for what is said beside it"}
    (beside,) = [
        one["status"]
        for one in ask().get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
        if one["actions"][0]["change_id"] == order.id
    ]
    assert beside == f"{said} by ana; proposed: only a person can reorder joins here"


def test_what_is_tried_together_is_ruled_on_as_one(ask: Ask, store: Store) -> None:
    order = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")
    together = [decided(order), decided(replace(HINT, target="a=b"), needs=order.id)]
    keep(store, night(1, query("q1", 20), mode=Mode.SUGGEST), details=outlook(*together, mode=Mode.SUGGEST))
    answer = rule(ask(), *(one.id for one in together))
    assert answer.json() == {"message": "approved: the next run tries it"}
    assert len(store.verdicts(COHORT)) == 2


def test_in_mode_observe_an_approval_promises_no_run(ask: Ask, store: Store) -> None:
    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "bea", FIRST))
    answer = rule(ask(), HINT.id, PARTITIONS.id)
    assert answer.json()["message"] == (
        "approved: mode observe changes nothing, so no run applies these 2 changes before the mode is another"
    )
    assert rule(ask(), HINT.id, ruling="rollback").json()["message"].startswith("rolled back: from the next run on")


def test_where_steering_is_off_no_mode_and_no_approval_promises_a_run(ask: Ask, store: Store) -> None:
    """In mode auto it told of the changes that the next run would have, night after night."""
    seen = outlook(decided(), mode=Mode.OBSERVE)
    run = night(1, query("q1", 20), mode=Mode.OBSERVE)
    keep(store, replace(run, decision=replace(run.decision, steering_off=True)), details=seen)
    client = ask()
    set_ = client.post("/api/cohort/mode", json={"cohort": COHORT, "mode": "auto", "reason": ""})
    assert set_.json() == {"message": f"mode auto holds from the next run on; {STEERING_OFF}"}
    assert rule(client, HINT.id).json() == {"message": f"approved: {STEERING_OFF}"}
    page = client.get("/api/cohort", params={"cohort": COHORT}).json()
    assert (page["mode"], page["state"], page["in_force"], page["waiting"]) == ("observe", "observing", 0, 0)
    assert (page["mode_setting"]["mode"], page["mode_setting"]["off"]) == ("auto", STEERING_OFF)
    (listed,) = client.get("/api/cohorts").json()["items"]
    assert (listed["mode"], listed["in_force"]) == ("observe", 0)


def test_where_the_server_has_the_tuner_switched_off_nothing_is_promised(ask: Ask, store: Store) -> None:
    keep(store, night(1, query("q1", 20)), details=outlook(decided(standing=Standing.TRIAL)))
    client = ask(is_on=False)
    page = client.get("/api/cohort", params={"cohort": COHORT}).json()
    assert (page["next_decision"], page["mode_setting"]["off"]) == ("", SWITCHED_OFF)
    assert (page["state"], page["in_force"], page["waiting"]) == ("observing", 0, 0)
    assert client.get("/api/cohorts").json()["off"] == SWITCHED_OFF
    assert rule(client, HINT.id, ruling="pin").json() == {"message": f"pinned: {SWITCHED_OFF}"}
    set_ = client.post("/api/cohort/mode", json={"cohort": COHORT, "mode": "auto"})
    assert set_.json() == {"message": f"mode auto holds from the next run on; {SWITCHED_OFF}"}
    assert ask().get("/api/cohorts").json()["off"] == ""


def test_a_rejection_asks_for_a_reason(ask: Ask, store: Store) -> None:
    answer = rule(ask(), HINT.id, ruling="reject", reason="  ")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("a rejection needs a reason")
    assert not store.verdicts(COHORT)


def test_nothing_is_kept_when_one_change_is_unknown(ask: Ask, store: Store) -> None:
    answer = rule(ask(), HINT.id, "set_conf:spark.evil=1")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("1 of 2 changes are none of this cohort's")
    assert not store.verdicts(COHORT)


def test_a_ruling_on_what_no_longer_stands_as_it_was_shown_is_refused(ask: Ask, store: Store) -> None:
    client = ask()
    shown = {HINT.id: "proposed", PARTITIONS.id: "proposed"}
    assert rule(client, HINT.id, seen=shown).status_code == 200
    late = rule(client, HINT.id, ruling="pin", seen=shown)
    assert (late.status_code, late.json()["detail"]) == (
        409,
        "nothing was done: what was shown as proposed is on trial",
    )
    both = rule(client, HINT.id, PARTITIONS.id, ruling="pin", seen=dict.fromkeys(shown, "promoted"))
    assert (both.status_code, both.json()["detail"]) == (
        409,
        "nothing was done: 2 changes no longer stand as they were shown",
    )
    gone = rule(client, "x", seen={"x": "trial"})
    assert (gone.status_code, gone.json()["detail"]) == (
        409,
        "nothing was done: what was shown as on trial is advised no more",
    )
    assert [(v.change_id, v.ruling) for v in store.verdicts(COHORT)] == [(HINT.id, Ruling.APPROVE)]
    assert rule(client, HINT.id, ruling="pin", seen={HINT.id: "trial"}).status_code == 200


def test_rulings_of_one_request_are_kept_all_or_none(ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[int] = []
    monkeypatch.setattr(Store, "record", lambda _store, *verdicts, since: recorded.append(len(verdicts)))
    rule(ask(), HINT.id, PARTITIONS.id, HINT.id)
    assert recorded == [2]


@pytest.mark.parametrize(
    "wrong",
    [
        {"change_ids": []},
        {"ruling": "burn"},
        {"reason": "x" * 1001},
        {"by": "bob"},
        {"change_ids": ["x"] * 201},
        {"seen": {"x": "up"}},
    ],
)
def test_requests_of_another_form_are_refused(ask: Ask, store: Store, wrong: dict[str, Any]) -> None:
    body = {"cohort": COHORT, "change_ids": [HINT.id], "ruling": "approve", **wrong}
    assert ask().post("/api/cohort/rulings", json=body).status_code == 422
    assert not store.verdicts(COHORT)


def test_the_mode_is_set_and_given_back(ask: Ask, store: Store) -> None:
    client = ask(Someone("ana"))
    client.post("/api/cohort/mode", json={"cohort": COHORT, "mode": "auto", "reason": "trusted"})
    assert store.mode(COHORT) is Mode.AUTO
    setting = client.get("/api/cohort", params={"cohort": COHORT}).json()["mode_setting"]
    assert (setting["mode"], setting["by"], setting["reason"]) == ("auto", "ana", "trusted")
    answer = client.post("/api/cohort/mode", json={"cohort": COHORT, "mode": None})
    assert answer.json() == {"message": "the job's own mode holds from the next run on"}
    page = client.get("/api/cohort", params={"cohort": COHORT}).json()
    assert (page["mode"], page["mode_setting"]["by"]) == ("suggest", "")


def gives_back(client: Any) -> dict[str, list[str]]:
    setting = client.get("/api/cohort", params={"cohort": COHORT}).json()["mode_setting"]
    found: dict[str, list[str]] = setting["gives_back"]
    return found


def test_sizes_that_a_mode_gives_back_are_named(ask: Ask, store: Store) -> None:
    died = Reason(ReasonCode.RAISED, {"run": "etl/0", "before": "8g", "failure": "an executor ran out of memory"})
    raised = SizeChange("spark.executor.memory", "16g", "8g", died)
    keep(store, night(1, query("q1", 20)), details=RunDetails(Decision(Mode.AUTO, (), raises=(raised,))))
    back = "spark.executor.memory goes back from 16g to 8g: run etl/0 died with 8g: an executor ran out of memory"
    assert gives_back(ask()) == {"observe": [back], "suggest": [back]}
    answer = ask().post("/api/cohort/mode", json={"cohort": COHORT, "mode": "observe"})
    assert answer.json()["message"] == f"mode observe holds from the next run on; {back}"
    assert gives_back(ask()) == {}


def test_given_back_the_mode_is_the_jobs_own_which_the_next_run_tells(ask: Ask, store: Store) -> None:
    def setting() -> tuple[str, bool]:
        told = ask().get("/api/cohort", params={"cohort": COHORT}).json()["mode_setting"]
        return told["mode"], told["is_known"]

    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "bea", FIRST + timedelta(days=0.5)))
    keep(store, night(1, query("q1", 20), mode=Mode.OBSERVE), details=outlook(decided(), mode=Mode.OBSERVE))
    assert setting() == ("observe", True)
    store.set_mode(ModeChange(COHORT, None, "bea", FIRST + timedelta(days=1.5)))
    assert setting() == ("observe", False)
    assert rule(ask(), HINT.id).json()["message"] == "approved: the next run tries it"
    keep(store, night(2, query("q1", 20), mode=Mode.AUTO))
    assert setting() == ("auto", True)


@pytest.mark.parametrize("ruling", ["approve", "pin", "rollback"])
def test_what_only_a_person_can_do_is_not_promised_of_a_run(ask: Ask, store: Store, ruling: str) -> None:
    analyze = Action(ActionKind.ANALYZE_TABLE, "shop.days", "day")
    advice = [decided(), decided(analyze)]
    keep(store, night(1, query("q1", 20), changes=advice), details=outlook(*advice))
    refused = rule(ask(), HINT.id, analyze.id, ruling=ruling)
    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "1 of 2 changes no run can carry out: a person does them, or rejects them",
    )
    assert not store.verdicts(COHORT)
    assert rule(ask(), analyze.id, ruling="reject", reason="analyzed each month").status_code == 200


def test_a_mode_that_somebody_gave_meanwhile_is_not_undone_unseen(ask: Ask, store: Store) -> None:
    """As in an incident, where one person switches a cohort to observe and another saves what a page of before shows."""

    def change(mode: str | None, **seen: str | None) -> tuple[int, str]:
        answer = ask(Someone("ana")).post("/api/cohort/mode", json={"cohort": COHORT, "mode": mode, **seen})
        return answer.status_code, answer.json().get("detail", "")

    assert change("auto", seen=None) == (200, "")
    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "bea", FIRST, "incident 42"))
    refused = "nothing was done: bea gave it mode observe meanwhile: incident 42"
    assert [change("auto", seen="auto"), change(None, seen=None)] == [(409, refused)] * 2
    assert store.mode(COHORT) is Mode.OBSERVE
    assert change("suggest", seen="observe") == (200, "")
    assert change(None) == (200, "")
    assert change("auto", seen="suggest") == (409, "nothing was done: ana gave it the job's own mode meanwhile")


def test_of_people_who_rule_at_the_same_moment_one_comes_first(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Store.record

    def slowly(of: Store, *verdicts: Verdict, since: Any) -> None:
        sleep(0.2)
        record(of, *verdicts, since=since)

    monkeypatch.setattr(Store, "record", slowly)
    client, shown = ask(), {HINT.id: "proposed"}
    with ThreadPoolExecutor(2) as people:
        asked = [
            people.submit(rule, client, HINT.id, ruling=ruling, reason="known", seen=shown)
            for ruling in ("approve", "reject")
        ]
    assert sorted(each.result().status_code for each in asked) == [200, 409]
    assert len(store.verdicts(COHORT)) == 1


def test_the_audit_has_all_that_was_done_newest_first(ask: Ask) -> None:
    client = ask()
    rule(client, HINT.id)
    client.post("/api/cohort/mode", json={"cohort": COHORT, "mode": "observe", "reason": "holidays"})
    rule(client, HINT.id, ruling="rollback")
    items = client.get("/api/cohort/audit", params={"cohort": COHORT}).json()["items"]
    words = "/*+ BROADCAST(days) */ in query 0"
    assert [(i["did"], i["by"], i["words"], i["mode"], i["reason"]) for i in items] == [
        ("rollback", "ana", words, "", ""),
        ("mode", "ana", "", "observe", "holidays"),
        ("approve", "ana", words, "", ""),
    ]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_other_sites_cannot_ask_with_a_users_cookie(ask: Ask, store: Store, site: str) -> None:
    refused = rule(ask(), HINT.id, headers={"Sec-Fetch-Site": site})
    assert refused.status_code == 403
    assert not store.verdicts(COHORT)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil.example"])
def test_without_the_browsers_word_the_origin_must_be_this_host(ask: Ask, store: Store, origin: str) -> None:
    assert rule(ask(), HINT.id, headers={"Origin": origin}).status_code == 403
    assert not store.verdicts(COHORT)
    assert rule(ask(), HINT.id, headers={"Origin": "http://testserver"}).status_code == 200


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_panels_own_page_and_tools_can(ask: Ask, site: str) -> None:
    assert rule(ask(), HINT.id, headers={"Sec-Fetch-Site": site}).status_code == 200
    assert rule(ask(), HINT.id, headers={"Content-Type": "application/json; charset=utf-8"}).status_code == 200


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_refused(ask: Ask, store: Store, media_type: str) -> None:
    body = f'{{"cohort": "{COHORT}", "mode": "auto"}}'
    answer = ask().post("/api/cohort/mode", content=body, headers={"Content-Type": media_type})
    assert answer.status_code == 415
    assert store.mode(COHORT) is None


@pytest.mark.parametrize("first", ["ruling", "mode"])
def test_of_two_who_speak_by_two_processes_at_once_the_second_is_told(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """Another API server says yes as this one has checked what its viewer saw."""
    record, set_mode = Store.record, Store.set_mode

    def meanwhile(*_: Any) -> None:
        monkeypatch.setattr(Store, "record", record)
        monkeypatch.setattr(Store, "set_mode", set_mode)
        if first == "ruling":
            store.record(Verdict(COHORT, HINT.id, Ruling.PIN, "ana", FIRST))
        else:
            store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "ana", FIRST))

    def late(call: Any) -> Any:
        def called(*given: Any, **named: Any) -> None:
            meanwhile()
            call(*given, **named)

        return called

    monkeypatch.setattr(Store, "record", late(record))
    monkeypatch.setattr(Store, "set_mode", late(set_mode))
    answer = rule(ask(), HINT.id, ruling="reject", reason="days grows", seen={HINT.id: "proposed"})
    assert (answer.status_code, answer.json()) == (
        409,
        {"detail": "nothing was done: somebody spoke of this cohort in that very moment"},
    )
    assert [v.by for v in store.verdicts(COHORT)] == (["ana"] if first == "ruling" else [])
    again = ask().post("/api/cohort/mode", json={"cohort": COHORT, "mode": "auto"})
    assert again.status_code == 200


def test_what_was_decided_since_the_last_outlook_is_what_is_shown_and_ruled_on(ask: Ask, store: Store) -> None:
    """A night whose log came late left no outlook; the next one was decided with it, and runs."""
    trial = [decided(standing=Standing.TRIAL)]
    keep(store, night(1, query("q1", 20), changes=trial), details=outlook(*trial))
    keep(store, night(2, query("q1", 40), changes=trial))
    anew = [decided(standing=Standing.ROLLED_BACK), decided(PARTITIONS, Standing.TRIAL)]
    keep(store, night(3, changes=anew, state=RunState.RUNNING))
    shown = ask().get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
    assert {one["standing"] for one in shown} == {"rolled_back", "trial"}
    answer = rule(ask(), HINT.id, ruling="pin", seen={HINT.id: "trial"})
    assert answer.status_code == 409
