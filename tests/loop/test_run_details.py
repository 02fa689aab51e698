"""What a finished run has for people to look at."""

from __future__ import annotations

from pathlib import Path

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.loop.run_details import run_details

GOLDEN = Path(__file__).parents[1] / "golden" / "logs" / "4.1.4"


def test_pictures_have_the_seconds_of_each_step() -> None:
    pictures = run_details(read_application(next(iter(find_logs(GOLDEN)))), None).pictures
    assert pictures
    for picture in pictures:
        timed = [step.seconds for step in picture.steps if step.seconds is not None]
        assert sum(timed) > 0 and min(timed) >= 0
