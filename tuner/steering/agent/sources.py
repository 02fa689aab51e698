"""What the agent's jar is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.steering.agent.path_rules import path_rules_json

DIRECTORY = Path(__file__).parent / "java"
BUILD = "Build"
BUILD_CLASS = "tuner.steering.agent.build.Build"
# Each after those that it uses: the compiler sees one at a time.
SOURCES = (
    "Trees",
    "Json",
    "Names",
    "Lineage",
    "JoinSite",
    "KeptRows",
    "Directives",
    "Sealed",
    "Held",
    "Literals",
    "Heap",
    "Budget",
    "Pass",
    "AgentLoaded",
    "AgentFailed",
    "PlanSteered",
    "Agent",
    "RowChanges",
    "Scope",
    "Columns",
    "PivotArrays",
    "NeverFails",
    "PairCondition",
    "JoinBlock",
    "PullUp",
    "HivePartitions",
    "ListedFiles",
    "Shuffles",
    "KeyPath",
    "PivotValues",
    "PythonFunctions",
    "RowOrder",
    "Repeatable",
    "MadeOnce",
    "BlockMatch",
    "Sizes",
    "JoinOrders",
    "Trace",
    "Measured",
    "Shuffled",
    "SparkCost",
    "MeasuredFirst",
    "BroadcastRule",
    "CountingStrategy",
    "BroadcastCost",
    "JoinHints",
    "KeyFilters",
    "Computed",
    "MergedPlans",
    "SumOverflow",
    "ReadColumns",
    "SharedSubplans",
    "OrderRule",
    "HintRule",
    "Extensions",
)
# A session of Spark 3.2 or newer asks for it by itself (SPARK-35380): an application that sets spark.sql.extensions in its code
# takes nothing away. Python's sessions do since 4.0: seen in 4.0.5, 4.1.4 and 4.3.0, not in 3.5.9.
_PROVIDERS = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"

# Where the jar says what it was made of.
RELEASE = "tuner/steering/agent/release.txt"


def source(name: str) -> Path:
    """The file of a source."""
    return DIRECTORY / f"{name}.java"


def resources() -> dict[str, bytes]:
    """What the jar carries beside the classes, by name in the jar."""
    return {
        "META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n",
        _PROVIDERS: f"{EXTENSIONS_CLASS}\n".encode(),
        "tuner/steering/agent/path_rules.json": path_rules_json().encode(),
    }


def digest_of_all() -> str:
    """16 hex digits over all that goes into the jar and how it is compiled."""
    found = hashlib.sha256()
    for part in _parts():
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.hexdigest()[:16]


def _parts() -> Iterator[bytes]:
    for name in (BUILD, *SOURCES):
        yield name.encode()
        yield source(name).read_bytes()
    for name, content in resources().items():
        yield name.encode()
        yield content
