"""How the file of a SQL job's statements gets to a driver elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.spark.master import in_cluster_mode
from tuner.spark.properties import FILES

# No file of the user's has this name: what is brought to a driver lies in one directory.
STATEMENTS_FILE = "spark_tuner_statements.json"


def shipped_files(conf: Mapping[str, str], file: str) -> dict[str, str]:
    """The properties by which spark-submit brings a file to its driver, who finds it by its name; {} for a driver beside it.

    `conf` is all that spark-submit has without them: a list that is given takes the place of the one that is there.
    """
    if not in_cluster_mode(conf):
        return {}
    own = conf.get(FILES)
    return {FILES: f"{own},{file}" if own else file}
