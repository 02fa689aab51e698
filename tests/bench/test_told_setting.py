"""Settings of a bench as they are told, as in the command that measures it anew."""

from __future__ import annotations

import pytest

from tuner.bench.told_setting import told_setting


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("spark.sql.shuffle.partitions=8", "spark.sql.shuffle.partitions=8"),
        ("spark.hadoop.fs.s3a.secret.key=hunter2", "spark.hadoop.fs.s3a.secret.key=?"),
        ("spark.my.catalog.user=hunter2", "spark.my.catalog.user=?"),
        ("spark.my.url=https://host/?x=hunter2", "spark.my.url=?"),
        ("spark.sql.shuffle.partitions=password=hunter2", "spark.sql.shuffle.partitions=?"),
    ],
)
def test_values_of_settings_are_told_only_where_they_are_known_to_be_no_secrets(setting: str, told: str) -> None:
    assert told_setting(setting) == told
