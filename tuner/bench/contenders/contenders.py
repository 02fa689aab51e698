"""The contenders by name, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib.util import find_spec

from tuner.bench.contenders.contender import Contender
from tuner.bench.contenders.cost_based import CostBased
from tuner.bench.contenders.fixed import DEFAULT, THRESHOLD
from tuner.bench.contenders.oracle import Oracle
from tuner.bench.contenders.search import random_search, tpe
from tuner.bench.contenders.tuned import Tuned
from tuner.errors import RequirementError

CONTENDERS: Mapping[str, Callable[[], Contender]] = {
    "default": lambda: DEFAULT,
    "tuner": Tuned,
    "cbo": CostBased,
    "threshold": lambda: THRESHOLD,
    "random": random_search,
    "tpe": tpe,
    "oracle": Oracle,
}
# An oracle is no rival: who asks for it wants to know what there is to gain, and waits until it has counted.
USUAL = tuple(name for name in CONTENDERS if name != "oracle")
_BY_OPTUNA = ("random", "tpe")


def contenders_named(names: Collection[str]) -> list[Contender]:
    """The contenders of these names, and always Spark's defaults, which all are compared with.

    Raises RequirementError if one needs a package that is not installed.
    """
    if find_spec("optuna") is None and (asked := [n for n in _BY_OPTUNA if n in names]):
        raise RequirementError(
            f"{' and '.join(asked)} need Optuna: pip install 'airflow-spark-tuner[bench]', or leave them out of --contenders"
        )
    return [make() for name, make in CONTENDERS.items() if name in names or name == "default"]
