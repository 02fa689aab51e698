"""Searches: what they try next, and what they keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.contenders import search as module
from tuner.bench.contenders.search import Search, Trial, best
from tuner.bench.progress import Heard
from tuner.bench.run_application import Ran, Submit
from tuner.bench.search_space import OF_APPLICATION, OF_QUERY

from .made import setup

pytest.importorskip("optuna")
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the seam: q1 takes longer the further its threshold is from 64 MiB, q2 always as long."""

    def run_application(setup: Setup, submit: Submit, work: Path, heard: Heard) -> Ran:
        distance = abs(int(submit.query_conf.get("q1", {}).get(THRESHOLD, 1 << 20)) / (64 << 20) - 1)
        return Ran((QueryTime("q1", 5 + distance), QueryTime("q2", 5)), 20, 0)

    monkeypatch.setattr(module, "run_application", run_application)


def nights(search: Search, of: Setup) -> list[BenchRun]:
    found: list[BenchRun] = []
    for number in range(1, of.rounds + 1):
        found.append(search.run(of, number, found, Path(), lambda query: None))
    return found


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("make", [module.random_search, module.tpe])
def test_it_starts_from_the_defaults_and_ends_with_the_best_it_found(make: type) -> None:
    of = setup(runs=12, repeats=2)
    found = nights(make(), of)
    assert all(not conf for conf in found[0].query_conf.values())
    tried = [run.query_conf["q1"] for run in found[1:12]]
    assert len({tuple(conf.items()) for conf in tried}) == 11
    for conf in tried:
        assert conf.keys() == {knob.property for knob in OF_QUERY}
        assert 1 << 20 <= int(conf[THRESHOLD]) <= 512 << 20
    assert not found[0].conf
    assert all(run.conf.keys() == {knob.property for knob in OF_APPLICATION} for run in found[1:12])
    least = min(found[:12], key=lambda r: sum(q.seconds for q in r.queries))
    assert all(repeat.conf == least.conf for repeat in found[12:])
    best = min(found[:12], key=lambda r: r.queries[0].seconds)
    assert all(repeat.query_conf["q1"] == best.query_conf["q1"] for repeat in found[12:])
    assert found == nights(make(), of), "the same seed, the same search"
    assert found[1].query_conf != nights(make(), replace(of, seed=2))[1].query_conf


def test_what_failed_is_not_the_best() -> None:
    failed, slow = Trial({"a": "1"}, 1.0, failed=True), Trial({"a": "2"}, 9.0, failed=False)
    assert best([failed, slow]) == {"a": "2"}
    assert best([failed]) == {}
