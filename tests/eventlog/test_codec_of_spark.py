"""What Spark's own codecs write is what we read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.codec import open_plain
from tuner.model.application import Completeness

from .samples import facts, plan, read, replan, whole_log, write

APPLICATION = Path(__file__).with_name("recompress_app.py")


@pytest.mark.nightly
@pytest.mark.spark
def test_every_codec_of_spark_gives_back_the_plain_log(spark_submit: Callable[..., Path], tmp_path: Path) -> None:
    """Some megabytes of lines that repeat and lines that do not: blocks fill up, and copies reach far back."""
    varied = random.Random(7)
    texts = [varied.randbytes(varied.randint(1, 4000)).hex() * varied.randint(1, 5) for _ in range(300)]
    *lines, end = whole_log()
    plain = write(tmp_path / "plain", [*lines, *(replan(0, plan("Scan orc ", text=text)) for text in texts), end])
    spark_submit(APPLICATION, plain, tmp_path, log_dir=tmp_path / "log")
    expected = read(plain)
    assert plain.stat().st_size > 1 << 20
    for codec in ("lz4", "snappy", "lzf", "zstd"):
        file = tmp_path / f"app.{codec}"
        with file.open("rb") as raw:
            assert open_plain(raw, file.name).read() == plain.read_bytes(), codec
        application = read(file)
        assert (application.status, facts(application)) == (Completeness.COMPLETE, facts(expected))
