"""Joins whose stage writes files, of which another strategy would make many more, and small ones."""

from __future__ import annotations

from tuner.advice.candidates.task_relation import shuffle_of
from tuner.advice.facts import Facts
from tuner.model.join_site import JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide
from tuner.spark.knobs import FILES_OPEN_COST

# Fewer files are opened in no time, however small; nor do a few more matter to who reads them.
LEAST_FILES, LEAST_TIMES = 100, 2


def scatters_files(facts: Facts, query: Query, join: JoinSite, probe: BuildSide) -> bool:
    """Whether a join's stage would write many more files in the tasks before the probe side's shuffle, of fewer bytes each than
    opening one is reckoned as.

    Each task writes a file for each partition of its target that it has rows of; after a shuffle by other keys it has rows of
    all. The query's own seconds hardly tell: it is who reads these files that pays.
    """
    shuffle, written = shuffle_of(query, join.side(probe)), join.written
    if written is None or join.reshuffle is not None or shuffle is None or not shuffle.map_tasks or not join.tasks:
        return False
    files = written.files * shuffle.map_tasks / join.tasks
    is_many = files >= max(LEAST_FILES, LEAST_TIMES * written.files)
    return is_many and written.bytes < files * facts.settings[FILES_OPEN_COST]
