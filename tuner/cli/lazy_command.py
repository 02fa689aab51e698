"""A command that is imported when it is called: `--help` and one command do not wait for what the others import."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand


class LazyCommand(TyperCommand):
    """The command, or group of commands, that `function` of `module` is; listed with `help` until then."""

    def __init__(self, name: str, module: str, function: str, help: str) -> None:
        super().__init__(name, help=help)
        self.module, self.function = module, function

    def load(self) -> Any:
        """The command itself, with its options."""
        found = getattr(import_module(self.module), self.function)
        if isinstance(found, typer.Typer):
            return typer.main.get_command(found)
        alone = typer.Typer(add_completion=False)
        alone.command(self.name)(found)
        return typer.main.get_command(alone)

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Of the command itself, which is what runs."""
        return self.load().make_context(*arguments, **more)
