"""Black-box search over properties, each query by itself as far as a session can set them: random, and Optuna's
tree-structured Parzen estimator."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard
from tuner.bench.run_application import Submit, run_application
from tuner.bench.search_space import OF_APPLICATION, OF_QUERY
from tuner.spark.knob import Knob, Unit

if TYPE_CHECKING:
    import optuna

# With as few runs as a bench has, Optuna's ten random trials before its model would be all of them.
STARTUP_TRIALS = 2
# A failed query counts as this many times the slowest.
_FAILED = 10.0


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting, and the seconds that a query, or the whole job, took with it."""

    conf: Mapping[str, str]
    seconds: float
    failed: bool


@dataclass(frozen=True, slots=True)
class Search:
    """Run 1 has Spark's defaults, each later run tries one setting for each query, repeats use the best one found.

    Queries get properties of their own: a job has that only if it sets them itself.
    """

    name: str
    title: str
    sampler: Callable[[int], optuna.samplers.BaseSampler]
    learns: bool = True

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        tried = [run for run in earlier if run.number <= setup.runs]
        names = list(setup.workload.queries)
        by_query = {
            name: self._next(setup, number, n, OF_QUERY, _of_query(tried, name)) for n, name in enumerate(names)
        }
        conf = self._next(setup, number, len(names), OF_APPLICATION, _of_application(tried))
        ran = run_application(setup, Submit(conf, by_query), work, heard)
        return replace(ran.as_run(self.name, number), query_conf=by_query, conf=conf)

    def _next(
        self, setup: Setup, number: int, position: int, knobs: Sequence[Knob[Any]], tried: Sequence[Trial]
    ) -> Mapping[str, str]:
        """The best setting once the search is over, else what the sampler suggests."""
        if number > setup.runs:
            return best(tried)
        return {} if number == 1 else _suggested(self.sampler(_seed(setup.seed, position, number)), knobs, tried)


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

    # It logs every study.
    logging.getLogger("optuna").setLevel(logging.WARNING)
    return optuna


def best(tried: Iterable[Trial]) -> Mapping[str, str]:
    """The fastest setting with which nothing failed."""
    whole = [one for one in tried if not one.failed]
    return min(whole, key=lambda one: one.seconds).conf if whole else {}


def _of_query(tried: Iterable[BenchRun], query: str) -> list[Trial]:
    return [
        Trial(run.query_conf.get(query, {}), q.seconds, bool(q.error))
        for run in tried
        for q in run.queries
        if q.name == query
    ]


def _of_application(tried: Iterable[BenchRun]) -> list[Trial]:
    return [Trial(run.conf, sum(q.seconds for q in run.queries), any(q.error for q in run.queries)) for run in tried]


def _seed(seed: int, position: int, number: int) -> int:
    return seed * 1_000_003 + position * 1_009 + number


def _suggested(
    sampler: optuna.samplers.BaseSampler, knobs: Sequence[Knob[Any]], tried: Sequence[Trial]
) -> dict[str, str]:
    import optuna

    space = {knob.property: _distribution(knob) for knob in knobs}
    study = optuna.create_study(sampler=sampler)
    failed = _FAILED * max((one.seconds for one in tried), default=0.0)
    for one in tried:
        # Run 1 had none set: a study knows only what is in its space.
        if one.conf:
            params = {key: _value(text) for key, text in one.conf.items()}
            value = failed if one.failed else one.seconds
            study.add_trial(optuna.create_trial(params=params, distributions=space, value=value))
    trial = study.ask(space)
    return {key: str(value).lower() for key, value in trial.params.items()}


def _distribution(knob: Knob[Any]) -> optuna.distributions.BaseDistribution:
    import optuna

    if knob.unit is Unit.FLAG or knob.range is None:
        return optuna.distributions.CategoricalDistribution((True, False))
    return optuna.distributions.IntDistribution(knob.range.low, knob.range.high, log=True)


def _value(text: str) -> int | bool:
    return text == "true" if text in ("true", "false") else int(text)
