"""What documents hold is known by their version."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.model.query import Query
from tuner.pipeline.documents import DOCUMENTS, RunDocument
from tuner.plan.digest import digest

# Of the fields of this version's documents.
RECORDED = {15: "779c40a8ac8a8976"}


def test_no_field_comes_without_another_version() -> None:
    """Else a replay takes what an earlier version wrote, which lacks the field, for what there is."""
    found = digest("\n".join(msgspec.json.encode(_fields(of), order="sorted").decode() for of in (RunDocument, Query)))
    assert {DOCUMENTS: found} == RECORDED, "raise DOCUMENTS by one, and record it here with this digest"


def _fields(of: type) -> Any:
    """Names and types, of all that is in it."""
    return _without_words(msgspec.json.schema(of))


def _without_words(schema: Any) -> Any:
    if isinstance(schema, dict):
        words = {name for name in ("title", "description") if isinstance(schema.get(name), str)}
        return {name: _without_words(value) for name, value in schema.items() if name not in words}
    return [_without_words(one) for one in schema] if isinstance(schema, list) else schema
