"""Which shuffled hash joins give other rows than a sort merge join, by release: Spark's own faults."""

from __future__ import annotations

from tuner.model.strategy import BuildSide, JoinType
from tuner.spark.version import Version

_TESTS = frozenset({JoinType.LEFT_SEMI, JoinType.LEFT_ANTI, JoinType.EXISTENCE})
# From one release on, before another.
_KEEPS_ONE_ROW_OF_A_KEY: tuple[tuple[Version, Version], ...] = (
    ((3, 3, 0), (3, 5, 7)),  # SPARK-36794; SPARK-52873 in 3.5.7
    ((4, 0, 0), (4, 0, 1)),  # SPARK-52873 in 4.0.1
)
_MIXES_SIDES_UP: tuple[tuple[Version, Version], ...] = (((3, 5, 0), (3, 5, 3)),)  # SPARK-36612; SPARK-46037 in 3.5.3


def may_lose_rows(type: JoinType, build: BuildSide, version: Version) -> bool:
    """Whether a shuffled hash join may lose or add rows: of tests with a condition besides the keys, of a left outer join that
    builds its left side (without generated code). The log does not tell such conditions."""
    if type in _TESTS:
        return _is_in(_KEEPS_ONE_ROW_OF_A_KEY, version)
    return type is JoinType.LEFT_OUTER and build is BuildSide.LEFT and _is_in(_MIXES_SIDES_UP, version)


def _is_in(releases: tuple[tuple[Version, Version], ...], version: Version) -> bool:
    return any(since <= version < fixed for since, fixed in releases)
