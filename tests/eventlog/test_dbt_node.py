"""What dbt runs a statement for is its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.eventlog.samples import (
    application_end,
    application_start,
    execution_end,
    execution_start,
    log_start,
    read,
    write,
)
from tuner.eventlog.dbt_node import dbt_node
from tuner.plan.job_description import job_description

UNIQUE, NOT_NULL = "test.shop.unique_orders_order_id.fed79b3a6e", "test.shop.not_null_orders_order_id.cf6c17daed"
TESTING = (
    "select\n      count(*) as failures,\n      count(*) != 0 as should_warn\n    from (select 1) dbt_internal_test"
)


def tagged(node: str, night: int = 1, statement: str = TESTING) -> str:
    told = {
        "app": "dbt",
        "dbt_version": "1.9.0",
        "target_name": "prod",
        "node_id": node,
        "invocation_id": f"19b1bfd8-{night}",
    }
    return f"/* {json.dumps(told)} */\n{statement}"


@pytest.mark.parametrize(("night", "first"), [(1, 0), (2, 40)])
def test_tests_of_dbt_have_names_of_their_own_and_the_same_each_night(tmp_path: Path, night: int, first: int) -> None:
    lines = [log_start(), application_start()]
    for id_, node in enumerate((UNIQUE, NOT_NULL), first):
        lines += [execution_start(id_, description=tagged(node, night)), execution_end(id_)]
    application = read(write(tmp_path / "local-1", [*lines, application_end()]))
    assert [job_description(e.description) for e in application.executions] == [UNIQUE, NOT_NULL]


@pytest.mark.parametrize(
    ("statement", "node"),
    [
        (tagged("model.shop.fct_orders"), "model.shop.fct_orders"),
        ("\n " + tagged("operation.shop.shop-on-run-end-0"), "operation.shop.shop-on-run-end-0"),
        (TESTING, ""),
        (f"select '{tagged('model.shop.quoted')}'", ""),
        (tagged("model.shop.it's mine"), ""),
        (tagged("model.shop.orders").replace('"dbt"', '"other"'), ""),
        ('/* {"app": "dbt", "connection_name": "master"} */ select 1', ""),
        ('/* {"app": "dbt", "node_id": 7} */ select 1', ""),
        ("/* {app: dbt} */ select 1", ""),
    ],
)
def test_a_node_is_told_by_the_comment_of_dbt_alone(statement: str, node: str) -> None:
    assert dbt_node(statement) == node
