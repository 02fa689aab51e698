"""What a turn of the loop says in a log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from tests.policy.histories import said
from tuner.loop.log_lines import report_details, report_lines, turn_details, turn_lines
from tuner.loop.turn import JobToRun, Report, Turn
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Prediction
from tuner.model.cluster import Cluster
from tuner.model.cohort_figures import Gained
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.run import Outcome, Run, RunState
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.judgement import Judgement
from tuner.policy.record import Record
from tuner.steering.directives import Directives, Steering


def decided(number: int, standing: Standing, gain: float = 1.0) -> DecidedChange:
    action = Action(ActionKind.SET_CONF, f"spark.sql.x{number}", "1")
    why = said(f"reason {number}")
    change = Change.of("test", (action,), ("q1",), why, (), Prediction(10, 10 - gain, 5, 15))
    return DecidedChange(change, standing, why)


def turn(*changes: DecidedChange, **directives: object) -> Turn:
    decision = Decision(Mode.AUTO, changes)
    return Turn(
        JobToRun("etl.load", "etl/1/load/-1/1", 1, Mode.AUTO),
        decision,
        Directives(**directives),  # type: ignore[arg-type]
        {},
        "/events",
        datetime(2026, 1, 2, tzinfo=UTC),
    )


def report(of: Turn, records: Sequence[Record] = (), total: Comparison | None = None) -> Report:
    outcome = Outcome("app-1", "4.0.1", 65_000, Cluster(), ())
    run = Run(of.job.key, of.job.cohort, 1, of.started_at, RunState.SUCCEEDED, of.decision, "", None, outcome)
    return Report(of, run, of.problems, Judgement(tuple(records), total, 2) if records else None)


def record(number: int, standing: Standing, gain: float | None) -> Record:
    return Record(decided(number, Standing.TRIAL), standing, said(f"became {number}"), gain_seconds=gain)


TOTAL = Comparison("", measured=12.5, ratio=LogRatio(-0.47, 0.01), expected=20.0)


class TestBefore:
    def test_a_hundred_changes_are_three_lines(self) -> None:
        found = turn(*(decided(n, Standing.TRIAL, gain=n) for n in range(100)), conf={"spark.sql.x1": "1"})
        assert turn_lines(found) == [
            "spark-tuner: etl.load: 100 on trial",
            "spark-tuner: on trial: spark.sql.x99=1: reason 99 (and 99 more)",
            "spark-tuner: carried out by properties",
        ]

    def test_the_details_have_them_all_in_the_same_order(self) -> None:
        found = turn_details(turn(*(decided(n, Standing.TRIAL, gain=n) for n in range(100))))
        assert found[0] == "spark-tuner: on trial: spark.sql.x99=1: reason 99"
        assert len(found) == 100

    def test_what_is_in_force_comes_before_what_is_not(self) -> None:
        found = turn(decided(1, Standing.HELD, gain=50), decided(2, Standing.PROMOTED), decided(3, Standing.PROPOSED))
        assert turn_lines(found)[1] == "spark-tuner: promoted: spark.sql.x2=1: reason 2 (and 2 more)"

    def test_nothing_to_change_is_one_line(self) -> None:
        assert turn_lines(turn()) == ["spark-tuner: etl.load: nothing to change"]

    def test_each_way_of_steering_is_said(self) -> None:
        def how(**directives: object) -> str:
            return turn_lines(turn(**directives))[-1].removeprefix("spark-tuner: ")

        assert how(steering=Steering.OFF) == "steering is off: nothing is changed"
        assert how(why="no Java") == "steered by conf, not by the agent: no Java"
        assert how(steering=Steering.AGENT, merged={"spark.jars": "a"}) == "the agent applies changes to single joins"
        assert how(statements=("SELECT 1",)) == "carried out by hints in the SQL"
        assert how(conf={"a": "b"}, statements=("SELECT 1",)) == "carried out by properties and hints in the SQL"

    def test_what_is_not_applied_is_said_with_the_first_reason(self) -> None:
        overruled = tuple((decided(n, Standing.TRIAL).change.actions[0], f"why {n}") for n in range(3))
        assert turn_lines(turn(conf={"a": "b"}, overruled=overruled))[-1] == (
            "spark-tuner: carried out by properties; not applied: spark.sql.x0=1: why 0 (and 2 more)"
        )
        assert len(turn_details(turn(overruled=overruled))) == 3

    def test_each_problem_has_a_line(self) -> None:
        found = replace(turn(), problems=("could not a", "could not b"))
        assert turn_lines(found)[1:] == ["spark-tuner: could not a", "spark-tuner: could not b"]


class TestAfter:
    def test_a_hundred_changes_are_three_lines(self) -> None:
        records = [record(n, Standing.PROMOTED, n / 10) for n in range(98)]
        records += [record(98, Standing.ROLLED_BACK, -1), record(99, Standing.ROLLED_BACK, -3)]
        assert report_lines(report(turn(), records, TOTAL)) == [
            "spark-tuner: measured 0 queries in 65.0 s (Spark 4.0.1, app-1)",
            "spark-tuner: gained 7.5 s: 2 queries took 12.5 s instead of 20.0 s; 98 promoted, 2 rolled back",
            "spark-tuner: rolled back: spark.sql.x99=1: became 99 (and 1 more)",
        ]
        assert len(report_details(report(turn(), records, TOTAL))) == 100

    def test_a_loss_is_called_so(self) -> None:
        lost = replace(TOTAL, measured=21.0, ratio=LogRatio(0.05, 0.0001))
        (_, said, _) = report_lines(report(turn(), [record(1, Standing.TRIAL, -1)], lost))
        assert said == "spark-tuner: lost 1.0 s: 2 queries took 21.0 s instead of 20.0 s; 1 on trial"

    def test_what_may_be_a_gain_or_a_loss_is_called_neither(self) -> None:
        """A broadcast of a run at 2.6 times its usual seconds, beside which another one without it took 108.4 s."""
        total = Comparison("", 115.5, LogRatio(0.034, 0.083), expected=73.0, speed=2.56, unsure=0.0112)
        (_, said, _) = report_lines(report(turn(), [record(1, Standing.TRIAL, -42.4)], total))
        assert said == (
            "spark-tuner: 2 queries took 115.5 s; without the changes 61.3 s to 2 min 59 s: a gain or a loss cannot be told; "
            "1 on trial"
        )

    def test_what_was_not_measured_is_called_so(self) -> None:
        found = report_lines(report(turn(), [record(1, Standing.ROLLED_BACK, None)]))
        assert found[1:] == [
            "spark-tuner: not measured: 1 rolled back",
            "spark-tuner: rolled back: spark.sql.x1=1: became 1",
        ]

    def test_what_only_older_runs_tell_is_said_as_it_is_booked(self) -> None:
        booked = replace(report(turn(), [record(1, Standing.PROMOTED, None)]), gained=Gained(12.0, 1.0))
        assert report_lines(booked)[1] == "spark-tuner: this run gained 12.0 s, as all runs so far tell: 1 promoted"

    def test_nothing_changed_is_one_line(self) -> None:
        assert len(report_lines(report(turn()))) == 1

    def test_problems_that_were_told_before_the_run_are_not_told_again(self) -> None:
        before = replace(turn(), problems=("could not a",))
        found = replace(report(before), problems=("could not a", "could not b"))
        assert report_lines(found)[1:] == ["spark-tuner: could not b"]

    def test_a_run_that_left_no_log_says_only_what_went_wrong(self) -> None:
        assert report_lines(Report(turn(), None, ("could not harvest",))) == ["spark-tuner: could not harvest"]


def test_names_from_a_log_stay_on_their_line() -> None:
    hostile = replace(
        decided(1, Standing.TRIAL), why=said("rows of `a\nERROR forged\x1b[2J\u200b\U000e0049` " + "x" * 5000)
    )
    for line in (*turn_lines(turn(hostile)), *turn_details(turn(hostile))):
        assert line.isprintable() and len(line) < 1600
