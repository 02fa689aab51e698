"""Which Spark programs a shell command runs."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.spark.shell_command import python_of, spark_program, spark_programs


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("spark-submit a.py", []),
        (
            "/opt/spark/bin/spark-submit --conf a='b c' \\\n  --master yarn a.py --conf not=mine",
            ["--conf", "a=b c", "--master", "yarn"],
        ),
        ('cd "$X" && spark-submit --conf "a=\\"b\\" $c" a.py | tee log', ["--conf", 'a="b" $c']),
        ("# it's old: spark-submit x\nspark-submit a#b # it's\n", []),
        ("A=1 B='2 3' nohup nice -n 5 timeout -k 5 3600 spark-submit a.py &", []),
        ("if [ -f x ]; then spark-submit a.py; else echo none; fi", []),
        ("(kinit -kt k p; exec spark-submit a.py) 2>&1", []),
        ("bash -elc 'set -x; spark-submit --conf a=b a.py'", ["--conf", "a=b"]),
        ("ID=$(spark-submit a.py)", []),
        ("which spark-submit && spark3-submit a.py", []),
        ("sudo chown x /y; spark-submit a.py", []),
        ("spark-sql -e 'SELECT 1; SELECT 2' --conf a=b", ["--conf", "a=b"]),
        ("spark-sql -f job.sql --master local --hiveconf x=y --conf c=d", ["--master", "local", "--conf", "c=d"]),
        ('SPARK_SUBMIT_OPTS="$SPARK_SUBMIT_OPTS -Dx=y" spark-submit a.py', []),
    ],
)
def test_the_program_and_its_options(command: str, options: list[str]) -> None:
    found = spark_programs(command)
    assert found.obstacle == ""
    assert [list(program.options) for program in found.found] == [options]


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo spark-submit",
        "grep spark-submit log",
        "cat spark-submit",
        "command -v spark-submit",
        "spark-submit --version",
        "spark-submit --master yarn --kill app_1",
        "ssh edge spark-submit a.py",
        "docker run -e X=1 spark spark-submit a.py",
        "su - etl -c 'spark-submit a.py'",
        "python job.py",
        "my-spark-submit a.py",
        "function f { spark-submit a.py; }; f",
    ],
)
def test_what_runs_no_spark_here(command: str) -> None:
    found = spark_programs(command)
    assert not found.found and not found.obstacle


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("spark-submit a.py || spark-submit a.py", "2 Spark programs"),
        ("bash -c 'spark-submit a.py; spark-sql -e x'", "2 Spark programs"),
        ("for d in 1 2; do\n spark-submit $d\ndone", "more than once"),
        ("until spark-submit a.py; do sleep 1; done", "more than once"),
        ("f() { spark-submit $1; }\nf a; f b", "more than once"),
        ("sudo -u etl spark-submit a.py", "sudo"),
        ("sudo bash -c 'cd /; spark-submit a.py'", "sudo"),
        ("env -i PATH=$PATH spark-submit a.py", "env -i"),
        ("export SPARK_SUBMIT_OPTS=-Dx=y\nspark-submit a.py", "sets SPARK_SUBMIT_OPTS itself"),
        ("spark-tuner submit --cohort c -- a.py", "steers its job itself"),
        ("spark-sql <<E\nSELECT 'it''s' -- it's\nE", "cannot be told apart"),
    ],
)
def test_what_an_environment_would_not_reach_alone(command: str, why: str) -> None:
    assert why in spark_programs(command).obstacle


def test_a_program_without_a_shell() -> None:
    assert spark_program(["/opt/entrypoint.sh", "spark-submit", "--conf", "a=b; c", "x.py"]).found[0].options == (
        "--conf",
        "a=b; c",
    )
    assert spark_program(["sh", "-c", "spark-submit a.py && spark-submit b.py"]).obstacle
    assert not spark_program(["echo", "spark-submit"]).found
    assert not spark_program([]).found


@pytest.mark.parametrize(
    ("command", "python"),
    [("cd /x && /opt/venv/bin/python3.11 job.py", "/opt/venv/bin/python3.11"), ("python job.py", ""), ("'", "")],
)
def test_the_python_that_is_named_by_its_path(command: str, python: str) -> None:
    assert python_of(command) == python


@given(st.lists(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=9)))
def test_words_are_those_of_a_shell(words: list[str]) -> None:
    command = shlex.join(["spark-submit", *words])
    found = spark_programs(command)
    if found.found:
        assert list(found.found[0].arguments) == words


@given(st.text(st.sampled_from("spark-submit \n'\"\\;&|(){}#$x="), max_size=40))
def test_no_text_makes_it_raise(text: str) -> None:
    spark_programs(f"{text} spark-submit {text}")
