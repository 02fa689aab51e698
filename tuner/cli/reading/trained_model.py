"""The model of operator times that measured queries make."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.cli.reading.measured_queries import Measured
from tuner.cost.learned.operator_times import OperatorTimes
from tuner.cost.learned.train_operator_times import train_operator_times
from tuner.errors import TunerError


def trained_model(found: Sequence[Measured], prior: OperatorTimes) -> OperatorTimes:
    """The model of these queries; the prior itself where there are none. TunerError without scikit-learn."""
    if not found:
        return prior
    runs = len({one.run for one in found})
    try:
        return train_operator_times([one.sample for one in found], prior, f"{runs} run{'s' if runs > 1 else ''}")
    except ImportError as error:
        raise TunerError(
            f"training needs {error.name or 'scikit-learn'}: pip install 'airflow-spark-tuner[learn]'"
        ) from error
