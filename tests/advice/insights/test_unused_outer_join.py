"""Insight: unused outer join."""

from __future__ import annotations

import pytest

from tuner.advice.insights.unused_outer_join import unused_outer_joins

from .plans import facts, joined, only, values, with_key

UNUSED = """
    HashAggregate | (keys=[amount#2], functions=[partial_count(1)]) | number of output rows=9
      Project | [amount#2]
        SortMergeJoin | [c#1], [c#11], LeftOuter | number of output rows=1000
          Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=100
            Exchange | hashpartitioning(c#1, 4) | shuffle records written=1000; shuffle bytes written=5
              Scan parquet db.orders | [c#1,amount#2] | number of output rows=1000
          Sort | [c#11 ASC NULLS FIRST], false, 0 | sort time=10000
            Exchange | hashpartitioning(c#11, 4) | shuffle records written=90000; shuffle bytes written=5
              Scan parquet db.customers | [c#11] | number of output rows=90000
"""


def test_an_outer_join_of_which_nothing_is_used() -> None:
    found = only(unused_outer_joins, facts(UNUSED))
    assert found.numbers == {"relation": "customers"}
    # The stage that shuffles customers, and their sort's half of the time of the stage that joins.
    assert found.seconds == 15
    assert values(found)["rows read to be joined"] == 90_000


KEEPS_AMOUNT = "Project | [amount#2]"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(joined("LeftOuter", 1000, 100, 1001, KEEPS_AMOUNT), id="it multiplied a row"),
        pytest.param(joined("Inner", 1000, 100, 1000, KEEPS_AMOUNT), id="an inner join may drop rows"),
        pytest.param(
            with_key("LeftOuter", joined("Inner", 1000, 100, 1000, KEEPS_AMOUNT)), id="a column called as a type is"
        ),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, "Project | [amount#2, name#12]"), id="a column is used"),
        pytest.param(
            joined("LeftOuter", 1000, 100, 1000, "Project | [upper(name#12) AS n#5]"), id="a column is used in"
        ),
        pytest.param(joined("LeftOuter", 1000, 100, 1000), id="all columns go out"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, "Project | [amount#2, n#99]"), id="of unknown origin"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, "Project | [a#2, ... 3 more fields]"), id="cut short"),
        pytest.param(
            joined("LeftOuter", 1000, 100, 1000, f"{KEEPS_AMOUNT}\nFilter | isnull(name#12) | number of output rows=5"),
            id="a filter asks for it",
        ),
    ],
)
def test_outer_joins_that_are_used(text: str) -> None:
    assert not list(unused_outer_joins(facts(text)))
