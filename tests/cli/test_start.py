"""What a command does not need, it does not wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tuner.cli.lazy_command import LazyCommand
from tuner.cli.main import COMMANDS
from tuner.history.store import Store

pytestmark = pytest.mark.processes

NUMBERS = {"numpy", "scipy", "sklearn", "pyspark"}
STAGES = {"tuner.eventlog", "tuner.cost", "tuner.advice", "tuner.steering", "tuner.loop", "tuner.replay", "tuner.bench"}
HEAVY = NUMBERS | STAGES | {"sqlglot", "alembic", "upath", "fsspec"}


def loaded(program: str, *arguments: str) -> set[str]:
    """The modules and packages at the end of the program."""
    found = f"import atexit, sys; atexit.register(lambda: print('loaded', *sys.modules)); {program}"
    done = subprocess.run([sys.executable, "-c", found, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_numbers_are_only_loaded_by_what_reckons_with_them() -> None:
    """A DAG is parsed every minute."""
    assert loaded("import tuner.loop.loop") & NUMBERS == set()


def test_help_loads_no_command() -> None:
    found = loaded("from tuner.cli.main import main; main()", "--help")
    assert found & (HEAVY | {"sqlalchemy"}) == set()
    assert found & {command.module for command in COMMANDS} == set()


def test_status_loads_the_store_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/history.db"
    Store.open(url).close()
    found = loaded("from tuner.cli.main import main; main()", "status", "--db", url)
    assert "sqlalchemy" in found
    assert found & (HEAVY) == set()


def test_sql_is_split_without_a_parser_of_it(tmp_path: Path) -> None:
    """As `submit` and the operator do: only hints in its text take one."""
    (tmp_path / "job.sql").write_text("SELECT 1; SELECT 2")
    program = "from pathlib import Path; from tuner.cli.reading.statements import read_statements"
    found = loaded(f"{program}; read_statements(Path(sys.argv[1]))", str(tmp_path / "job.sql"))
    assert "tuner.steering.sql_script" in found and "sqlglot" not in found


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_is_listed_with_the_first_line_of_its_help(command: LazyCommand) -> None:
    assert command.load().help.split("\n")[0] == command.first_line() != ""
