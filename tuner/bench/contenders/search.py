"""Black-box search over properties, each query by itself: random, and Optuna's tree-structured Parzen estimator."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tuner.bench.job import Submit, run_application
from tuner.bench.knobs import KNOBS, Knob, Range
from tuner.bench.model import BenchRun, QueryTime, Setup

if TYPE_CHECKING:
    import optuna

# With as few runs as a bench has, Optuna's ten random trials before its model would be all of them.
STARTUP_TRIALS = 2
# A query that failed is as bad as one that takes this many times the longest.
_FAILED = 10.0


@dataclass(frozen=True, slots=True)
class Search:
    """Run 1 is Spark's defaults; each other tries one setting for each query; repeats use the best that was found.

    More than a job can have: its queries get properties of their own, which only a job that sets them itself could.
    """

    name: str
    title: str
    sampler: Callable[[int], optuna.samplers.BaseSampler]
    learns: bool = True

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path) -> BenchRun:
        tried = [run for run in earlier if run.number <= setup.runs]
        names = setup.workload.queries
        conf = {name: self._conf(setup, number, name, position, tried) for position, name in enumerate(names)}
        ran = run_application(setup, Submit(query_conf=conf), work)
        return BenchRun(self.name, number, ran.queries, application_seconds=ran.seconds, query_conf=conf)

    def _conf(
        self, setup: Setup, number: int, query: str, position: int, tried: Sequence[BenchRun]
    ) -> Mapping[str, str]:
        if number > setup.runs:
            return best_conf(tried, query)
        return {} if number == 1 else _suggested(self.sampler(_seed(setup.seed, position, number)), tried, query)


def random_search() -> Search:
    """Settings drawn evenly from the whole range."""
    optuna = _optuna()
    return Search("random", "random search, each query by itself", lambda seed: optuna.samplers.RandomSampler(seed))


def tpe() -> Search:
    """Optuna's TPE (Bergstra et al., Algorithms for Hyper-Parameter Optimization, 2011)."""
    optuna = _optuna()
    return Search(
        "tpe",
        "Optuna's TPE, each query by itself",
        lambda seed: optuna.samplers.TPESampler(n_startup_trials=STARTUP_TRIALS, seed=seed),
    )


def _optuna() -> ModuleType:
    import optuna

    # It tells of every study that it makes.
    logging.getLogger("optuna").setLevel(logging.WARNING)
    return optuna


def best_conf(tried: Iterable[BenchRun], query: str) -> Mapping[str, str]:
    """The setting that a query was fastest with."""
    whole = [(q.seconds, run) for run in tried for q in _of(run, query) if not q.error]
    return min(whole, key=lambda found: found[0])[1].query_conf.get(query, {}) if whole else {}


def _of(run: BenchRun, query: str) -> list[QueryTime]:
    return [q for q in run.queries if q.name == query]


def _seed(seed: int, position: int, number: int) -> int:
    return seed * 1_000_003 + position * 1_009 + number


def _suggested(sampler: optuna.samplers.BaseSampler, tried: Sequence[BenchRun], query: str) -> dict[str, str]:
    import optuna

    space = {knob.key: _distribution(knob) for knob in KNOBS}
    study = optuna.create_study(sampler=sampler)
    for run in tried:
        conf = run.query_conf.get(query, {})
        for found in _of(run, query):
            # Run 1 had none set: a study knows only what is in its space.
            if conf:
                params = {key: _value(text) for key, text in conf.items()}
                study.add_trial(optuna.create_trial(params=params, distributions=space, value=_score(found, tried)))
    trial = study.ask(space)
    return {key: str(value).lower() for key, value in trial.params.items()}


def _distribution(knob: Knob) -> optuna.distributions.BaseDistribution:
    import optuna

    if isinstance(knob, Range):
        return optuna.distributions.IntDistribution(knob.low, knob.high, log=True)
    return optuna.distributions.CategoricalDistribution((True, False))


def _value(text: str) -> int | bool:
    return text == "true" if text in ("true", "false") else int(text)


def _score(found: QueryTime, tried: Sequence[BenchRun]) -> float:
    if not found.error:
        return found.seconds
    return _FAILED * max(q.seconds for run in tried for q in run.queries)
