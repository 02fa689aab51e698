"""The statements of a file with the hints that `advise` found, to be pasted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.model.change import Change
from tuner.model.query import Query
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames


@dataclass(frozen=True, slots=True)
class HintedSql:
    """The statements that hints were written into, by their numbers from 1, and what found no place, with why."""

    texts: tuple[tuple[int, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    def show(self, console: Console) -> None:
        """Print them; statements line by line as they are, to be copied."""
        for number, text in self.texts:
            print_lines(console, [f"  statement {number} with its hints:"])
            print_to_copy(console, (f"    {line}" for line in text.splitlines()))
        print_lines(console, (f"  not in the text: {words}: {why}" for words, why in self.left_out))

    def as_json(self, app_id: str) -> dict[str, Any]:
        return {
            "app_id": app_id,
            "statements": [{"statement": number, "text": text} for number, text in self.texts],
            "left_out": [{"hint": words, "reason": why} for words, why in self.left_out],
        }


def hinted_sql(changes: Iterable[Change], statements: Sequence[str], queries: Sequence[Query]) -> HintedSql:
    """The statements with the join hints among the changes, where the text leaves no doubt."""
    if not statements:
        return HintedSql()
    from tuner.steering.statement_hints import suggest_hints

    names = QueryNames(queries)
    found = suggest_hints((action for change in changes for action in change.actions), statements, queries)
    pairs = enumerate(zip(found.statements, statements, strict=True), 1)
    return HintedSql(
        tuple((number, hinted) for number, (hinted, before) in pairs if hinted != before),
        tuple((action_words(action, names), why) for action, why in found.skipped),
    )
