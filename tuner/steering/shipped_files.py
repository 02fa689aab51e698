"""How the file of a SQL job's statements gets to a driver elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.errors import TunerError
from tuner.eventlog.properties import names_secret
from tuner.spark.master import in_cluster_mode, master_of
from tuner.spark.properties import FILES

# No file of the user's has this name: what is brought to a driver lies in one directory.
STATEMENTS_FILE = "spark_tuner_statements.json"
# SparkSubmit adds the entries of spark.files to it on YARN, whoever sets them.
_FILES_ON_YARN = "spark.yarn.dist.files"


def shipped_files(conf: Mapping[str, str], file: str, told: Mapping[str, str]) -> dict[str, str]:
    """The properties by which spark-submit brings a file to its driver, who finds it by its name; {} for a driver beside it.

    `conf` is all that spark-submit has without them: a list that is given takes the place of the one that is there. `told` is
    what of it comes to the command line anyway. Raises TunerError where the user's credentials would, which others read there.
    """
    if not in_cluster_mode(conf):
        return {}
    for name in (FILES, _FILES_ON_YARN) if master_of(conf).startswith("yarn") else (FILES,):
        own = conf.get(name, "")
        if own == told.get(name) or not names_secret(own):
            return {name: f"{own},{file}" if own else file}
    raise TunerError(
        f"{FILES} names credentials, and would come to the command line with the statements of this job; let it name URLs "
        "without any, and have them where the client of that server looks for them"
    )
