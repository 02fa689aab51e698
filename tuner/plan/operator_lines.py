"""A logical plan's text, operator by operator."""

from __future__ import annotations

import re

# What TreeNode.generateTreeString puts before each operator but the first. Spark shows strings, and the queries that it sends to
# databases, as they are: their line breaks begin no operator.
_NEXT = re.compile(r"\n(?=(?:[: ]  )*[:+]- )")


def operator_lines(logical_plan: str) -> list[str]:
    """What a plan says of each of its operators, with what stands before it in the tree; line breaks of its strings are kept."""
    return _NEXT.split(logical_plan)
