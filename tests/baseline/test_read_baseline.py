"""A file of a baseline: what is written is read, and what is not as it is written is refused in one sentence."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.baseline.baseline_text import baseline_text
from tuner.baseline.document import MOST_BYTES
from tuner.baseline.read_baseline import BaselineError, read_baseline
from tuner.model.change import Change
from tuner.model.exported_baseline import SaidThere
from tuner.model.reason import ReasonCode

from . import made
from .made import HINT, ORDER, PROPERTY, Q1, Q2, SAID, change

BASELINE = replace(made.BASELINE, said=SAID)
TEXT = baseline_text(BASELINE)


def without_reasons(changes: tuple[Change, ...]) -> list[Change]:
    return [replace(change, reason=BASELINE.trials[0].changes[0].reason) for change in changes]


def test_what_is_written_is_read() -> None:
    found = read_baseline(TEXT.encode(), "b.json")
    assert replace(found, trials=()) == replace(BASELINE, trials=())
    for trial, written in zip(found.trials, BASELINE.trials, strict=True):
        assert without_reasons(trial.changes) == without_reasons(written.changes)
        assert replace(trial, changes=()) == replace(written, changes=())
    assert baseline_text(found) == TEXT


def test_a_file_from_before_there_were_words_of_people_is_read() -> None:
    text = baseline_text(made.BASELINE)
    assert not {"mode", "objective", "refused"} & json.loads(text).keys()
    assert read_baseline(text.encode(), "b.json").said == SaidThere()


def test_only_a_file_with_words_of_people_is_of_the_version_that_has_them() -> None:
    """Older readers take the one, and say of the other what to do."""
    alone = [replace(SaidThere(), mode=SAID.mode), replace(SaidThere(), objective=SAID.objective)]
    for said in (SAID, *alone, replace(SaidThere(), refused=SAID.refused)):
        assert json.loads(baseline_text(replace(BASELINE, said=said)))["version"] == 2
    assert json.loads(baseline_text(made.BASELINE))["version"] == 1
    first = json.loads(TEXT) | {"version": 1}
    assert read_baseline(json.dumps(first).encode(), "b.json") == read_baseline(TEXT.encode(), "b.json")


def test_who_said_a_thing_is_written_though_nobody_knows() -> None:
    assert SAID.mode is not None
    text = baseline_text(replace(BASELINE, said=SaidThere(replace(SAID.mode, by=""))))
    found = read_baseline(text.encode(), "b.json").said.mode
    assert found is not None and found.by == "?"


@pytest.mark.parametrize("by_agent_alone", [True, False])
def test_a_hint_that_only_the_agent_may_give_stays_one(by_agent_alone: bool) -> None:
    hint = replace(HINT, by_agent_alone=by_agent_alone)
    trial = replace(BASELINE.trials[1], changes=(change(hint, queries=(Q2,), secures=True),))
    text = baseline_text(replace(BASELINE, trials=(trial,)))
    assert ("by_agent_alone" in text) is by_agent_alone
    ((read,),) = (found.changes for found in read_baseline(text.encode(), "b.json").trials)
    assert [action.by_agent_alone for action in read.actions] == [by_agent_alone]


def test_the_reason_says_where_it_was_proven() -> None:
    reason = read_baseline(TEXT.encode(), "b.json").trials[0].changes[0].reason
    assert reason.code is ReasonCode.IMPORTED
    assert reason.numbers == {
        "cohort": "etl.nightly",
        "as_of": "2026-11-24",
        "seconds": 16.5,
        "low_seconds": 15.25,
        "high_seconds": 17.0,
        "runs": 12,
        "spark_version": "4.0.1",
    }


def test_a_reviewer_reads_what_it_does_for_which_query_and_what_it_gained() -> None:
    lines = [line.strip() for line in TEXT.splitlines()]
    assert '"change": "reorder the joins in daily sales and 1 more",' in lines
    assert '"change": "spark.sql.shuffle.partitions=16",' in lines
    assert f'"{Q2}": "returns ⋈ items"' in lines
    assert '"low_seconds": 15.25,' in lines and '"runs": 12,' in lines
    assert '"by": "ana",' in lines and '"reason": "since the move",' in lines
    assert TEXT.endswith("}\n") and "what an advisor said" not in TEXT


def refusal(data: bytes) -> str:
    with pytest.raises(BaselineError) as raised:
        read_baseline(data, "b.json")
    message = str(raised.value)
    assert message.startswith("b.json is no baseline: ") and "; nothing is imported: " in message
    assert message.isprintable() and len(message) < 500
    return message


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"PK\x03\x04", "no JSON"),
        (b"\xff\xfe{}", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "Expected `object`, got `array`"),
        (b"null", "Expected `object`, got `null`"),
        (b"{}", "missing required field `version`"),
        (b" " * (MOST_BYTES + 1), "more than 4 MiB"),
        (b"[" * 100_000, "nested deeper than 8 levels"),
        (b'{"a":' * 100_000, "nested deeper than 8 levels"),
        (b"[" * 20 + b"]" * 20, "nested deeper than 8 levels"),
        (b'{"version": ' + b"9" * 5000 + b"}", "a number has 5000 digits"),
        (b'{"version": NaN}', "NaN is no number"),
        (b'{"version": 1, "version": 1}', "'version' is there twice"),
        (b'{"\\u001b[2J": 1}', "characters that cannot be printed"),
    ],
)
def test_what_is_no_such_file_is_refused(data: bytes, why: str) -> None:
    assert why in refusal(data)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(TEXT)
    change(document)
    return json.dumps(document).encode()


def ordered(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["changes"][0]
    return found


def action(document: dict[str, Any], trial: int = 0, part: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = document["changes"][trial]["parts"][part]["actions"][0]
    return found


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d.update(version=3), "at $.version: it is of version 3, this spark-tuner reads 1 and 2"),
        (lambda d: d.update(version=0), "at $.version: it is of version 0, this spark-tuner reads 1 and 2"),
        (lambda d: d.update(version=True), "Expected `int`, got `bool` - at `$.version`"),
        (lambda d: d.update(more=1), "unknown field `more`"),
        (lambda d: d.update(cohort=" "), "at $.cohort: this cannot name a cohort: it is blank"),
        (lambda d: d.update(cohort="a\u202eb"), "at $.cohort: it has characters that cannot be printed"),
        (lambda d: d.update(cohort="a\ud800"), "at $.cohort: it has characters that cannot be printed"),
        (lambda d: d.update(as_of="yesterday"), "at `$.as_of`"),
        (lambda d: d.update(spark_version="4.0; rm"), "at `$.spark_version`"),
        (lambda d: d["cluster"].update(cores=-1), "at `$.cluster.cores`"),
        (lambda d: d["cluster"].update(cores=1e300), "at `$.cluster.cores`"),
        (lambda d: d.update(changes=d["changes"] * 400), "at `$.changes`"),
        (lambda d: d["changes"].append(d["changes"][1]), "at $.changes[3]: a change is there twice"),
        (lambda d: ordered(d).update(standing="held"), "at `$.changes[0].standing`"),
        (lambda d: ordered(d).update(queries={}), "at `$.changes[0].queries`"),
        (lambda d: ordered(d).update(queries={Q2: "x"}), "at $.changes[0]: `queries` are not those"),
        (lambda d: ordered(d).update(queries={"q1": "x"}), "`$.changes[0].queries`"),
        (lambda d: ordered(d).update(parts=[]), "at `$.changes[0].parts`"),
        (lambda d: ordered(d)["gain"].update(seconds=99), "at $.changes[0].gain: the seconds do not lie between"),
        (lambda d: ordered(d)["gain"].pop("runs"), "at $.changes[0].gain: the seconds do not lie between"),
        (lambda d: ordered(d)["gain"].update(seconds=1e9), "at `$.changes[0].gain.seconds`"),
        (lambda d: d["changes"][2]["ruled"].update(at="2026-11-20T09:30:00"), "at `$.changes[2].ruled.at`"),
        (lambda d: d["changes"][2]["ruled"].update(by="a\x1b[31m"), "at $.changes[2].ruled.by: it has characters"),
        (lambda d: action(d).update(kind="run_shell"), "Invalid enum value 'run_shell'"),
        (lambda d: action(d).update(target="../../etc"), "at $.changes[0].parts[0].actions[0]: an action on a join"),
        (lambda d: action(d).pop("query"), "at $.changes[0].parts[0].actions[0]: an action on a join"),
        (lambda d: action(d).update(value="(((("), "its value is no order of joins"),
        (lambda d: action(d).update(value="(@ @)"), "its value is no order of joins"),
        (lambda d: action(d).update(value="x" * 5000), "at `$.changes[0].parts[0].actions[0].value`"),
        (lambda d: action(d, 0, 1).update(value="EVIL"), "parts[1].actions[0]: its value is no hint"),
        (lambda d: action(d, 0, 1).update(relations=[]), "a hint names the relations of a side"),
        (lambda d: action(d, 0, 1).update(query=Q2), "only changes to joins of one query are tried together"),
        (lambda d: action(d, 2).update(target="spark.serializer"), "spark.serializer is no property that a change"),
        (lambda d: action(d, 2).update(target="spark.driver.memory"), "spark.driver.memory is no property that"),
        (lambda d: action(d, 2).update(target="spark.jars"), "spark.jars is no property that a change may set"),
        (lambda d: action(d, 2).update(value="16; drop"), "'16; drop' is no value of spark.sql.shuffle.partitions"),
        (lambda d: action(d, 2).update(value="0"), "'0' is no value of spark.sql.shuffle.partitions"),
        (
            lambda d: action(d, 2).update(value="999999999"),
            "'999999999' is no value of spark.sql.shuffle.partitions that",
        ),
        *(
            (
                lambda d, target=target, value=value: action(d, 2).update(target=target, value=value),
                f"'{value}' is no value of {target} that a run could gain from",
            )
            for target, value in (
                ("spark.sql.autoBroadcastJoinThreshold", "9g"),
                ("spark.sql.autoBroadcastJoinThreshold", "-2"),
                ("spark.sql.adaptive.advisoryPartitionSizeInBytes", "-1"),
                ("spark.sql.adaptive.advisoryPartitionSizeInBytes", "1"),
                ("spark.sql.adaptive.advisoryPartitionSizeInBytes", "2t"),
                ("spark.sql.cbo.joinReorder.dp.threshold", "40"),
            )
        ),
        *(
            (
                lambda d, target=target, value=value: action(d, 2).update(target=target, value=value),
                f"{value!r} is no value of {target}",
            )
            for target, value in (
                ("spark.sql.autoBroadcastJoinThreshold", "64 m"),
                ("spark.sql.autoBroadcastJoinThreshold", " 64m"),
                ("spark.sql.autoBroadcastJoinThreshold", "64q"),
                ("spark.sql.autoBroadcastJoinThreshold", "64bb"),
                ("spark.sql.autoBroadcastJoinThreshold", "6.4m"),
                ("spark.sql.autoBroadcastJoinThreshold", "- 1"),
                ("spark.sql.shuffle.partitions", "1 6"),
                ("spark.sql.shuffle.partitions", "9999999999"),
                ("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "5 "),
                ("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "5,5"),
                ("spark.sql.cbo.joinReorder.card.weight", "1.1"),
                ("spark.sql.cbo.enabled", "yes"),
            )
        ),
        (lambda d: action(d, 2).update(query=Q1), "set_conf is for no single query"),
        (lambda d: action(d, 2).update(kind="analyze_table"), "it names no table of a catalog"),
        (
            lambda d: action(d, 2).update(kind="analyze_table", target="db.sales", value="day"),
            "a part does nothing that a run can do",
        ),
        (lambda d: d["changes"][2]["parts"][0].update(actions=[action(d, 2)] * 2), "a part does the same twice"),
        (lambda d: d["changes"][2]["parts"][0]["actions"].append(action(d, 1)), "are not of one query"),
        (lambda d: d["mode"].update(mode="canary"), "at `$.mode.mode`"),
        (lambda d: d["mode"].update(by=""), "at `$.mode.by`"),
        (lambda d: d["mode"].update(reason="a\x1b[31m"), "at $.mode.reason: it has characters"),
        (lambda d: d["objective"].update(objective="free"), "at `$.objective.objective`"),
        (lambda d: d["objective"].update(at="2026-11-20T09:30:00"), "at `$.objective.at`"),
        (lambda d: d["refused"][1].update(id="x"), "at $.refused[1]: its id names no change; one begins with"),
        (lambda d: d["refused"][1].update(id="set_conf:" + "x" * 20_000), "at $.refused[1]: its id is longer than"),
        (lambda d: d["refused"][1]["ruled"].update(ruling="pin"), "at $.refused[1].ruled.ruling: pin is no refusal"),
        (lambda d: d["refused"].append(d["refused"][0]), "at $.refused[2]: this change is there twice"),
        (lambda d: d["refused"][0].update(id=HINT.id), "at $.refused[0]: this change is there twice, or proven"),
        (lambda d: d.update(refused=d["refused"] * 501), "at `$.refused`"),
        (lambda d: ordered(d)["parts"][0].update(advisor="A" * 100), "at `$.changes[0].parts[0].advisor`"),
    ],
)
def test_what_is_not_as_it_is_written_is_refused_with_its_place(
    change: Callable[[dict[str, Any]], object], why: str
) -> None:
    assert why in refusal(changed(change))


@pytest.mark.parametrize("value", ["64m", "64MB", "67108864", "-1"])
def test_a_size_as_spark_reads_it_is_taken(value: str) -> None:
    data = changed(lambda d: action(d, 2).update(target="spark.sql.autoBroadcastJoinThreshold", value=value))
    assert read_baseline(data, "b.json").trials[2].changes[0].actions[0].value == value


@given(data=st.binary(max_size=200))
def test_any_bytes_are_refused_in_one_sentence(data: bytes) -> None:
    refusal(data)


@given(data=st.data())
def test_a_file_with_anything_in_one_place_is_read_or_refused(data: st.DataObject) -> None:
    document = json.loads(TEXT)
    place: Any = document
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = data.draw(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just([[]]))
            break
        place = place[key]
    written = json.dumps(document).encode()
    try:
        found = read_baseline(written, "b.json")
    except BaselineError:
        refusal(written)
    else:
        assert read_baseline(baseline_text(found).encode(), "again") == found


def test_ids_are_those_of_the_actions() -> None:
    ids = [change.id for trial in read_baseline(TEXT.encode(), "b").trials for change in trial.changes]
    assert ids[0] == ORDER.id and ids[2:] == [HINT.id, PROPERTY.id]


def test_many_names_are_read_in_no_time() -> None:
    names = ",".join(f'"n{number}": 1' for number in range(40_000))
    started = time.monotonic()
    with pytest.raises(BaselineError, match="'n0' is there twice"):
        read_baseline(f'{{{names}, "n0": 1}}'.encode(), "hostile.json")
    assert time.monotonic() - started < 5
