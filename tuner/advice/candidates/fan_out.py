"""Joins that put out many more rows than they read: a hash relation is slow for them."""

from __future__ import annotations

from tuner.model.join_site import JoinSite

# A join that puts out more rows than it reads meets each hashed key many times; each match is a random access, where a
# merge join scans matches in sequence. TPC-DS 72 at SF1, 5 rows out per row in: 13 s merged, 115 s broadcast, 348 s
# hashed.
MAX_FAN_OUT = 1.5


def fans_out(join: JoinSite) -> bool:
    """Whether a join puts out too many rows for each row of its larger side, or its output was not measured."""
    larger = max(join.left.rows or 0, join.right.rows or 0)
    return join.output_rows is None or join.output_rows > MAX_FAN_OUT * larger
