"""The documents hold: their commands and options exist, their links lead somewhere, their tables are complete."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.core import TyperGroup

from airflow_plugin.provider_info import get_provider_info
from tuner.cli.lazy_command import LazyCommand
from tuner.cli.main import app

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCUMENTS = (README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")))
MOST_README_LINES = 150
MOST_IMAGE_BYTES = 250_000

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
_COMMAND = re.compile(r"`([^`]*\bspark-tuner [^`]+)`")
_ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|", re.M)
each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@each_document
def test_links_lead_somewhere(document: Path) -> None:
    for link in _LINK.findall(_prose(document)):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.is_file(), link
        assert not anchor or anchor in _anchors(target), link


@each_document
def test_commands_and_their_options_exist(document: Path) -> None:
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    for text in _commands(document):
        _check_command(root, text)


@each_document
def test_nothing_is_installed_by_a_name_that_no_index_has_of_ours(document: Path) -> None:
    """A stranger could take it: extras are a clone's, or a wheel's."""
    assert not re.search(r"\binstall\b[^`\n]*airflow-spark-tuner", document.read_text().replace("uninstall", ""))


@each_document
def test_python_parses(document: Path) -> None:
    for language, code in _BLOCK.findall(document.read_text()):
        if language == "python":
            ast.parse(code)


def test_readme_is_short_and_leads_to_every_page() -> None:
    text = README.read_text()

    assert len(text.splitlines()) <= MOST_README_LINES
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= set(_LINK.findall(text))


def test_images_are_small_and_shown() -> None:
    shown = {(page.parent / link).resolve() for page in DOCUMENTS for link in _LINK.findall(_prose(page))}

    for image in (ROOT / "docs" / "images").iterdir():
        assert image in shown
        assert image.stat().st_size < MOST_IMAGE_BYTES


def test_readme_has_the_test_command_of_ci() -> None:
    if not (ROOT / ".ci" / "run").is_file():
        pytest.skip("a source distribution has no .ci")
    ci = re.search(r"^uv run pytest -q (.*)$", (ROOT / ".ci" / "run").read_text(), re.M)
    readme = re.search(r"uv run pytest (\S.*?)\s*#", README.read_text())

    assert ci is not None
    assert readme is not None
    assert ci.group(1) == readme.group(1)


def test_readmes_dag_makes_the_operator() -> None:
    pytest.importorskip("airflow", reason="Airflow is not installed: pip install airflow-spark-tuner[airflow]")
    code = next(code for language, code in _BLOCK.findall(README.read_text()) if language == "python")
    made: dict[str, Any] = {}

    exec(code, made)

    assert [type(task).__name__ for task in made["dag"].tasks] == ["SparkTunedOperator"]


def test_what_is_left_of_airflows_constraints_is_what_the_tuner_takes() -> None:
    """As constraints of Airflow 3.0 held them: those of 3.1 differ from release to release."""
    held = {
        "SQLAlchemy": "1.4.54",
        "SQLAlchemy-Utils": "0.41.2",
        "alembic": "1.16.1",
        "msgspec": "0.19.0",
        "numpy": "1.26.4",
        "pandas": "2.1.4",
        "rich": "13.9.4",
        "scikit-learn": "1.6.1",
        "scipy": "1.15.3",
        "typer": "0.16.0",
        "universal_pathlib": "0.2.6",
        "zstandard": "0.23.0",
    }
    left_out = re.search(r"grep -viE '(.*?)'", (ROOT / "docs" / "install.md").read_text())
    assert left_out is not None
    left = {
        canonicalize_name(name): version
        for name, version in held.items()
        if not re.match(left_out[1], f"{name}=={version}", re.I)
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    taken = map(Requirement, [*project["dependencies"], *project["optional-dependencies"]["learn"]])
    met = [(one, left[name]) for one in taken if (name := canonicalize_name(one.name)) in left]
    assert len(met) > 5
    assert not [str(one) for one, version in met if not one.specifier.contains(version)]
    assert "sqlalchemy-utils" in left


def test_configuration_has_every_option_with_its_default() -> None:
    info: Any = get_provider_info()
    options = info["config"]["spark_tuner"]["options"]
    told = dict(_ROW.findall((ROOT / "docs" / "configuration.md").read_text()))

    assert set(told) == set(options)
    for name, default in told.items():
        assert not options[name]["default"] or default == f"`{options[name]['default']}`", name


def _prose(document: Path) -> str:
    return _BLOCK.sub("", document.read_text())


def _anchors(document: Path) -> set[str]:
    """What GitHub makes of headings."""
    titles = re.findall(r"^#+ (.+)$", _prose(document), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _commands(document: Path) -> Iterator[str]:
    text = document.read_text()
    lines = [line for language, code in _BLOCK.findall(text) if language == "sh" for line in code.splitlines()]
    for found in (*lines, *_COMMAND.findall(_prose(document))):
        if "spark-tuner " in found:
            yield found[found.index("spark-tuner ") :]


def _check_command(group: TyperGroup, text: str) -> None:
    """`text` may leave out arguments, name several commands as `a|b`, and put what is optional into brackets."""
    context = typer.Context(group)
    words = shlex.split(re.sub(r"[\[\]]", "", text.replace("\\|", "|")), comments=True)[1:]
    own = words[: words.index("--")] if "--" in words else words
    for name in own[0].split("|"):
        command = group if name.startswith("-") else group.get_command(context, name)
        assert command is not None, text
        if isinstance(command, LazyCommand):
            command = command.load()
        if isinstance(command, TyperGroup) and len(own) > 1:
            command = command.get_command(context, own[1])
            assert command is not None, text
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert {word for word in own if word.startswith("-")} <= known, text


def test_the_architecture_names_files_that_are_there() -> None:
    """A file that is named without its folder may stand in any."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)*[A-Za-z_0-9]+\.(?:py|java))`", text))
    there = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("tuner/**/*")] + [
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("airflow_plugin/**/*")
    ]
    assert len(named) > 40
    assert not [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)]
