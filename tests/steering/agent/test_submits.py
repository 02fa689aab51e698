"""One jar steers Java applications, SQL files and Python programs: in one process, and on a cluster in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from .conftest import pip_spark
from .steer_one import Baseline, baseline, steer
from .submits import (
    Job,
    SteeringMethod,
    compile_application,
    java_client,
    java_cluster,
    java_local,
    python_local,
    sql_file,
)

pytestmark = [pytest.mark.spark]


@pytest.fixture(scope="module")
def job(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    work = tmp_path_factory.mktemp("submits")
    return Job(pip_spark(), small_tables, compile_application(pip_spark(), work), work)


@pytest.fixture(scope="module")
def before(job: Job) -> Baseline:
    return baseline(job)


@pytest.fixture(scope="module")
def cluster(
    spark_cluster: Callable[[Path], AbstractContextManager[str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    with spark_cluster(tmp_path_factory.mktemp("cluster")) as url:
        yield url


@pytest.fixture
def assert_steered(job: Job, before: Baseline, agent_conf: dict[str, str]) -> Callable[..., None]:
    """Rows as before, and plans as directed."""

    def check(name: str, way: SteeringMethod, *, in_file: bool = False) -> None:
        found = steer(job, name, way, before, agent_conf, in_file=in_file)
        assert found.problems == ()
        assert found.rows > 100 and found.same
        assert set(found.orders) == {"applied"}, found
        assert found.hints["applied"] >= 2 and not found.hints["none"], found
        assert set(found.source.split("+")) == {"file" if in_file else "conf"}

    return check


@pytest.mark.nightly
def test_a_java_application_in_one_process(assert_steered: Callable[..., None]) -> None:
    assert_steered("java", java_local)


@pytest.mark.nightly
def test_a_java_application_on_a_cluster(assert_steered: Callable[..., None], cluster: str) -> None:
    assert_steered("client", java_client(cluster))


@pytest.mark.nightly
def test_a_java_application_whose_driver_runs_on_the_cluster(assert_steered: Callable[..., None], cluster: str) -> None:
    assert_steered("cluster", java_cluster(cluster), in_file=True)


@pytest.mark.nightly
def test_a_file_of_sql(assert_steered: Callable[..., None]) -> None:
    assert_steered("sql", sql_file)


@pytest.mark.nightly
def test_a_python_program_with_directives_in_a_file(assert_steered: Callable[..., None]) -> None:
    assert_steered("python", python_local, in_file=True)
