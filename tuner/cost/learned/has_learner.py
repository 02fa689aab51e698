"""Whether what prices are learned with is installed."""

from __future__ import annotations

NO_LEARNER = "scipy is not installed (pip install 'airflow-spark-tuner[learn]')"


def has_learner() -> bool:
    """Whether scipy can be imported, which the first call in a process takes some 0.3 s for."""
    try:
        import scipy.optimize  # noqa: F401
    except ImportError:
        return False
    return True
