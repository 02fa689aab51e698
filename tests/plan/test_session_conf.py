"""What all queries of an application had of their session, and not of its environment."""

from __future__ import annotations

from tuner.plan.session_conf import SessionConf

PARTITIONS, ADAPTIVE = "spark.sql.shuffle.partitions", "spark.sql.adaptive.enabled"


def test_it_is_what_every_query_had_with_one_value() -> None:
    found = SessionConf()
    assert found.properties == {}
    found.take({PARTITIONS: "64", ADAPTIVE: "false", "spark.executor.memory": "8g"})
    assert found.properties == {PARTITIONS: "64", ADAPTIVE: "false"}
    found.take({PARTITIONS: "64"})
    assert found.properties == {PARTITIONS: "64"}
    found.take({PARTITIONS: "65"})
    found.take({PARTITIONS: "64"})
    assert found.properties == {}
