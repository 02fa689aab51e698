"""A signal that asks to end reaches the program that is run, whenever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tuner.cli.process.passed_on import signals_end_with, signals_passed_on

pytestmark = pytest.mark.processes

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.mark.parametrize("early", [True, False])
def test_it_is_passed_on_even_if_it_came_while_the_program_was_being_started(early: bool) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals_passed_on() as has_started, subprocess.Popen(SLEEPER) as process:
        if early:
            os.kill(os.getpid(), signal.SIGTERM)
        has_started(process)
        if not early:
            os.kill(os.getpid(), signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_who_has_to_end_once_the_program_is_over_tells_how_that_ended(number: signal.Signals) -> None:
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        signal.signal(number, signal.SIG_DFL)  # Who runs the tests may ignore it (nohup).
        with signals_end_with(7):
            os.write(writer, b"ready")
            while True:
                time.sleep(1)
    os.read(reader, 5)
    os.kill(child, number)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


def test_signals_mean_what_they_did_before_once_that_is_over() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals_end_with(7):
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
