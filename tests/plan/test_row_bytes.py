"""Bytes of a row in memory, by the columns a relation puts out."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from tuner.plan.node import PlanNode
from tuner.plan.row_bytes import row_bytes

from .trees import plan


def scan(columns: str, schema: str) -> PlanNode:
    return replace(plan(f"Scan parquet t.a | [{columns}]"), metadata={"ReadSchema": schema})


def test_a_word_for_each_column_and_for_each_64_of_them() -> None:
    assert row_bytes(scan("a#1,b#2L", "struct<a:int,b:bigint>")) == 8 * (1 + 2)
    many = ",".join(f"c{i}#{i}" for i in range(65))
    assert row_bytes(scan(many, "")) == 8 * (2 + 65)


def test_texts_take_what_they_hold_besides() -> None:
    assert row_bytes(scan("a#1,b#2", "struct<a:int,b:string>")) == 8 * (1 + 2) + 24
    assert row_bytes(scan("a#1", "struct<a:int,b:string>")) == 8 * (1 + 1)


def test_columns_of_several_words_are_as_wide_where_the_list_is_cut() -> None:
    schema = "struct<order id:bigint,first name:string,name:int>"
    assert row_bytes(scan("order id#1L, ... 2 more fields", schema)) == 8 * (1 + 3) + 24


@pytest.mark.parametrize(
    ("type_", "besides"),
    [
        pytest.param("array<bigint>", 16 + 8, id="an array: its length, its nulls, an element"),
        pytest.param("array<string>", 16 + 8 + 24, id="of texts"),
        pytest.param("map<string,int>", 40 + 8 + 24 + 8, id="a map is two arrays"),
        pytest.param("struct<x:int,y:decimal(10,2),z:string>", 8 + 3 * 8 + 24, id="a struct is a row"),
        pytest.param("array<struct<x:int,y:array<int>>>", 16 + 16 + 8 + 24 + 8, id="nested"),
        pytest.param("decimal(18,2)", 0, id="a number"),
        pytest.param("decimal(19,2)", 16, id="a number of more digits than a long has"),
        pytest.param("array<decimal(38,18)>", 16 + 8 + 16, id="of such"),
        pytest.param("variant", 2048, id="a variant"),
    ],
)
def test_collections_take_one_element_besides(type_: str, besides: int) -> None:
    assert row_bytes(scan("a#1,b#2,c#3", f"struct<a:int,b:{type_},c:bigint>")) == 8 * (1 + 3) + besides


def test_the_last_projection_tells_what_goes_on() -> None:
    text = """
        Exchange | hashpartitioning(k#1, 8)
          Project | [k#1, (v#2 + 1) AS w#3]
            Filter | (v#2 > 4)
              Scan parquet t.a | [k#1,v#2,x#4,y#5]
    """
    assert row_bytes(plan(text)) == 8 * (1 + 2)


def test_an_aggregate_puts_out_its_keys_and_functions() -> None:
    text = """
        HashAggregate | (keys=[k#1], functions=[sum(v#2), count(1)])
          Scan parquet t.a | [k#1,v#2]
    """
    assert row_bytes(plan(text)) == 8 * (1 + 3)


def test_a_join_puts_out_the_columns_of_both_sides() -> None:
    text = """
        SortMergeJoin | [a#1], [b#3], LeftOuter
          Scan parquet t.a | [a#1,v#2]
          Scan parquet t.b | [b#3]
    """
    assert row_bytes(plan(text)) == 8 * (1 + 3)


def test_a_hostile_schema_is_read_in_linear_time() -> None:
    began = time.process_time()
    row_bytes(scan("a#1", "a" * 1_000_000))
    row_bytes(scan("a#1", "a:" * 500_000))
    row_bytes(scan("a#1", "struct<" * 200_000))
    assert time.process_time() - began < 5


def test_a_list_that_is_cut_has_as_many_columns_as_it_leaves_out() -> None:
    cut = "a#1L, b#2L, ... 36 more fields"
    assert row_bytes(scan(cut, "struct<a:bigint,b:bigint,c:string>")) == 8 * (1 + 3) + 24, "its schema tells them"
    assert row_bytes(plan(f"Project | [{cut}]\n  " + "Scan parquet t.a | [a#1L,b#2L]")) == 8 * (1 + 38)
    hostile = plan("Project | [a#1L, ... 999999 more fields]\n  Scan parquet t.a | [a#1L]")
    assert row_bytes(hostile) < 100_000


def test_of_a_scan_that_tells_no_types_half_of_the_columns_are_taken_for_texts() -> None:
    """Iceberg's, Hive's, JDBC's: what Spark prints as bigint is none."""
    assert row_bytes(plan("BatchScan cat.db.t | [a#1L,b#2,c#3] cat.db.t")) == 8 * (1 + 3) + 2 * 12
