"""Whether a scan's files keep columns, and fields of structs, apart."""

from __future__ import annotations

from tuner.plan.node import PlanNode

# They have statistics to skip by (ParquetFilters, OrcFilters), and Spark reads single fields of their structs
# (SchemaPruning.canPruneDataSchema).
_COLUMNAR = frozenset({"parquet", "orc", "delta"})


def is_columnar(scan: PlanNode) -> bool:
    """As its name or its metadata tell: `Scan parquet db.t`, `BatchScan orc file:/t`."""
    named = scan.full_name.lower().split()[1:2]
    return not _COLUMNAR.isdisjoint((*named, scan.metadata.get("Format", "").lower()))
