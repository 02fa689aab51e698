"""A signal that asks to end reaches the program that is run, whenever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tuner.cli.passed_on import signals_passed_on

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
