"""A command that is imported when it is called: `--help` and one command do not wait for what the others import."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

# What Rich takes for markup, as `[default: all]`, and shows nothing of (rich.markup, its tags).
_TAG = re.compile(r"\[(?=[a-z#/@])")


class LazyCommand(TyperCommand):
    """The command, or group of commands, that `function` of `module` is."""

    def __init__(self, name: str, module: str, function: str) -> None:
        super().__init__(name)
        self.module, self.function = module, function

    def first_line(self) -> str:
        """Of its help: the docstring of the function, of a group's callback; read, not imported."""
        spec = find_spec(self.module)
        if spec is None or spec.origin is None:
            return ""
        source = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
        functions = [found for found in source.body if isinstance(found, ast.FunctionDef)]
        own = next((found for found in functions if found.name == self.function), functions[0])
        return (ast.get_docstring(own) or "").split("\n")[0]

    def load(self) -> Any:
        """The command itself, with its options."""
        found = getattr(import_module(self.module), self.function)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False)
            alone.command(self.name)(found)
            found = alone
        return _said_as_written(typer.main.get_command(found))

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Of the command itself, which is what runs."""
        return self.load().make_context(*arguments, **more)


def _said_as_written(command: Any) -> Any:
    """The command, with options whose help is shown to the last word."""
    for option in command.params:
        if text := getattr(option, "help", None):
            option.help = _TAG.sub(r"\\[", text)
    for part in getattr(command, "commands", {}).values():
        _said_as_written(part)
    return command
