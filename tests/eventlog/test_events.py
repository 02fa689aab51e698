"""Lines to events."""

from __future__ import annotations

import pytest

from tuner.eventlog.events import (
    EVENT_TYPES,
    UNREADABLE,
    AdaptiveUpdate,
    ApplicationStart,
    RawAdaptiveUpdate,
    TaskEnd,
    decode_event,
    event_name,
)

from .samples import event, plan, replan, task_end


@pytest.mark.parametrize(
    "line",
    [
        b'{"Event":"SparkListenerJobEnd","Job ID":1}\n',
        b'{"Event": "SparkListenerJobEnd"}',
        b'{"Job ID":1,"Event":"SparkListenerJobEnd"}\n',
    ],
)
def test_the_name_is_found_wherever_it_stands(line: bytes) -> None:
    assert event_name(line) == b"SparkListenerJobEnd"


@pytest.mark.parametrize("line", [b"", b"{}\n", b"[]\n", b'{"Event":7}\n', b'{"Event":"x', b"\xff\n", b"null\n"])
def test_a_line_that_is_no_event_is_unreadable(line: bytes) -> None:
    with pytest.raises(UNREADABLE):
        decode_event(line)


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_every_field_may_be_missing(name: str) -> None:
    decoded = decode_event(event(name))
    assert type(decoded) is EVENT_TYPES[name]


def test_an_unknown_event_is_not_even_decoded() -> None:
    assert decode_event(b'{"Event":"SparkListenerOfTomorrow","broken": oops\n') is None


def test_values_are_read_by_their_names() -> None:
    decoded = decode_event(task_end(3, 50, partition=5))
    assert isinstance(decoded, TaskEnd)
    assert (decoded.info.index, decoded.info.partition, decoded.end_reason.reason) == (3, 5, "Success")
    assert decoded.metrics is not None and decoded.metrics.input is not None
    assert decoded.metrics.input.bytes == 1000
    started = decode_event(event("SparkListenerApplicationStart", App_Name="n", Timestamp="12"))
    assert started == ApplicationStart(app_name="n", timestamp=12)


def test_a_replan_is_decoded_only_when_asked() -> None:
    update = decode_event(replan(7, plan("Scan orc ")))
    assert isinstance(update, RawAdaptiveUpdate)
    assert update.execution_id == 7
    decoded = update.decode()
    assert decoded.plan is not None and decoded.plan.name == "Scan orc "


def test_a_replan_that_may_be_cut_is_decoded_at_once() -> None:
    line = replan(7, plan("Scan orc "))
    assert isinstance(decode_event(line.rstrip()), AdaptiveUpdate)
    with pytest.raises(UNREADABLE):
        decode_event(line[:-20])
