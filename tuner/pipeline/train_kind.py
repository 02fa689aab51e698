"""Training on the workers: the rows of one kind of cluster in, its model out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tuner.cost.learned.operator_times import read_model, write_model
from tuner.cost.learned.train_operator_times import train_operator_times
from tuner.pipeline.stage_work import samples_of

if TYPE_CHECKING:
    import pandas as pd

# `missing` is what the worker lacks, where it has no model for that.
TRAINED = pa.schema({"kind": pa.string(), "model": pa.binary(), "missing": pa.string()})


def train_kind(key: tuple[str], frame: pd.DataFrame, prior: bytes) -> pd.DataFrame:
    """A row of TRAINED for the rows of `training_sample` of one kind. `prior` is a model as JSON."""
    import pandas as pd

    (kind,) = key
    rows = frame.to_dict("records")
    runs = len({row["log"] for row in rows})
    model, missing = None, None
    try:
        trained = train_operator_times(samples_of(rows), read_model(prior, "the prior"), f"{runs} runs of {kind}")
        model = write_model(trained)
    except ImportError as error:
        missing = error.name or "scikit-learn"
    return pd.DataFrame([(kind, model, missing)], columns=TRAINED.names)
