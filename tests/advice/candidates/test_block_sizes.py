"""What is known of a run's blocks is worked out once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import DAYS, DAYS_FIRST, SALES, block, size_of
from tests.advice.joins import facts, query
from tuner.advice.candidates.block_sizes import block_sizes
from tuner.advice.facts import PastRun
from tuner.model.join_graph import MeasuredJoin


def test_the_sizes_of_a_block_are_the_same_ones_for_all_that_ask() -> None:
    graph, other = block(), block()
    job = facts(replace(query(), graphs=(graph, other)))
    assert block_sizes(job, graph) is block_sizes(job, graph)
    # One that is alike may have been measured otherwise; and other facts another run's.
    assert block_sizes(job, graph) is not block_sizes(job, other)
    assert block_sizes(job, graph) is not block_sizes(replace(job), graph)


def test_so_is_a_block_with_what_earlier_runs_measured_of_it() -> None:
    latest, before = (replace(query(fingerprint="q"), graphs=(one,)) for one in (block(), block(DAYS_FIRST)))
    alone = facts(latest)
    job = replace(alone, earlier=(PastRun((before,)),))
    merged = job.with_history(latest, latest.graphs[0])
    assert job.with_history(latest, latest.graphs[0]) is merged
    assert len(merged.measured) > len(alone.with_history(latest, latest.graphs[0]).measured)


@pytest.mark.parametrize(("times", "known"), [(1, 10_000), (1.5, 10_000), (2_000, None)])
def test_of_other_values_of_as_many_rows_only_what_they_joined_alike_is_taken(times: float, known: int | None) -> None:
    """Seven days have seven rows whether hardly any sale was on them or nearly all were: both runs joined all relations."""
    graph = block()
    measured = {**graph.measured, graph.everything: MeasuredJoin(round(times * size_of(graph.everything).rows))}
    latest, before = (
        replace(query(fingerprint="q"), graphs=(one,)) for one in (replace(graph, measured=measured), block(DAYS_FIRST))
    )
    job = replace(facts(latest), earlier=(PastRun((before,)),))
    found = job.with_history(latest, latest.graphs[0]).measured.get(1 << SALES | 1 << DAYS)
    assert (found and found.rows) == known
