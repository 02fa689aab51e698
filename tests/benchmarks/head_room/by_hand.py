"""Better plans of TPC-DS's and TPC-H's queries, written by hand: what a lever could gain, before it is built.

A plan by hand is the query's own text with a few places rewritten, or with settings for it alone; its rows are the query's. The
texts themselves come with duckdb's extensions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Lever(StrEnum):
    """What steering could do and does not."""

    SEMI_JOINS = "semi, anti and existence joins in the order"
    FILTER_BY_KEY = "a filter by key before the shuffle"
    PARTIAL_AGGREGATION = "partial aggregation below joins"
    SHARED_SUBPLANS = "shared subplans"
    ONE_PASS = "counts under several conditions in one pass"
    ONE_AGGREGATE = "no aggregation before the shuffle"
    PARTITIONS_40 = "40 shuffle partitions"
    PARTITIONS_8 = "8 shuffle partitions"


@dataclass(frozen=True, slots=True)
class ByHand:
    """A plan by hand of one query; `edits` are pairs of texts, in which any white space stands for any other. Where nearly all is
    rewritten, `whole` is the query."""

    suite: str
    query: int
    lever: Lever
    edits: Sequence[tuple[str, str]] = ()
    conf: Mapping[str, str] = field(default_factory=dict)
    whole: str = ""

    def text(self, written: str) -> str:
        """The query as rewritten. Raises ValueError where a place is not there exactly once."""
        if self.whole:
            return self.whole
        for old, new in self.edits:
            pattern = r"\s+".join(map(re.escape, old.split()))
            found = len(re.findall(pattern, written))
            if found != 1:
                raise ValueError(f"{self.suite} {self.query}: {old!r} is there {found} times")
            written = re.sub(pattern, lambda _, new=new: new, written)
        return written


# Spark's own bloom filters at any size (InjectRuntimeFilter).
BLOOM_FILTERS = {
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "1MB",
    "spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold": "100MB",
    "spark.sql.optimizer.runtime.bloomFilter.expectedNumItems": "1000000",
}
# What holds a subplan together, so that nothing is pushed into it: a filter on a value that is drawn.
_HELD = "rand() held_"
_HOLDS = "held_ < 2"

SEMI, FILTER = Lever.SEMI_JOINS, Lever.FILTER_BY_KEY
PARTIAL, SHARED = Lever.PARTIAL_AGGREGATION, Lever.SHARED_SUBPLANS

_LARGE_ORDERS = "SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300"
_WAITING = """s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F'
    AND l1.l_receiptdate > l1.l_commitdate AND"""
_OF_NATION = "AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA'"


def _held(columns: str, tables: str, condition: str, name: str) -> str:
    return f"(SELECT {columns}, {_HELD} FROM {tables} WHERE {condition}) {name} WHERE {_HOLDS} AND"


_TPCH = (
    ByHand(
        "TPC-H",
        18,
        SEMI,
        [
            (
                f"customer, orders, lineitem WHERE o_orderkey IN ( {_LARGE_ORDERS}) AND",
                f"customer, (SELECT /*+ BROADCAST(b) */ o.* FROM orders o, ({_LARGE_ORDERS}) b"
                " WHERE o_orderkey = b.l_orderkey) orders, lineitem WHERE",
            )
        ],
    ),
    ByHand(
        "TPC-H",
        21,
        SEMI,
        [
            (
                "supplier, lineitem l1, orders, nation WHERE " + _WAITING,
                _held(
                    "s_name, l_orderkey, l_suppkey",
                    "supplier, lineitem l1, orders, nation",
                    _WAITING.removesuffix("AND") + _OF_NATION,
                    "l1",
                ),
            ),
            (_OF_NATION + " GROUP", " GROUP"),
        ],
    ),
    ByHand(
        "TPC-H",
        13,
        PARTIAL,
        [
            ("count(o_orderkey) FROM", "coalesce(max(n), 0) FROM"),
            (
                "orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'",
                "(SELECT o_custkey, count(o_orderkey) n FROM orders WHERE o_comment NOT LIKE '%special%requests%'"
                " GROUP BY o_custkey) ON c_custkey = o_custkey",
            ),
        ],
    ),
    *(ByHand("TPC-H", number, FILTER, conf=BLOOM_FILTERS) for number in range(1, 23)),
)

_SHARED_YEARS = [
    (
        "WITH year_total AS (SELECT",
        "WITH year_total AS (SELECT /*+ REPARTITION(customer_id) */ *, rand() r_ FROM (SELECT",
    ),
]


def _customers(fact: str, date: str, customer: str, value: str) -> Sequence[tuple[str, str]]:
    """Sales of customers added up by customer and year before the customers are joined."""
    return [
        (f"sum({value})", "sum(of_year)"),
        (
            f"customer, {fact}, date_dim WHERE c_customer_sk = {customer} AND {date} = d_date_sk",
            f"customer, (SELECT {customer}, d_year, sum({value}) of_year FROM {fact}, date_dim WHERE {date} = d_date_sk"
            f" GROUP BY {customer}, d_year) WHERE c_customer_sk = {customer}",
        ),
    ]


_STORE = ("store_sales", "ss_sold_date_sk", "ss_customer_sk")
_CATALOG = ("catalog_sales", "cs_sold_date_sk", "cs_bill_customer_sk")
_WEB = ("web_sales", "ws_sold_date_sk", "ws_bill_customer_sk")


def _profit(of: str) -> str:
    return f"((({of}_ext_list_price-{of}_ext_wholesale_cost-{of}_ext_discount_amt)+{of}_ext_sales_price)/2)"


def _names(fact: str, date: str, customer: str) -> Sequence[tuple[str, str]]:
    """Days of customers made distinct before the customers are joined."""
    return [
        (
            f"{fact}, date_dim, customer WHERE {fact}.{date} = date_dim.d_date_sk"
            f" AND {fact}.{customer} = customer.c_customer_sk AND d_month_seq BETWEEN {{months}}",
            f"(SELECT DISTINCT {customer}, d_date FROM {fact}, date_dim WHERE {date} = d_date_sk"
            f" AND d_month_seq BETWEEN {{months}}), customer WHERE {customer} = c_customer_sk",
        )
    ]


def _of_months(edits: Sequence[tuple[str, str]], months: str) -> Sequence[tuple[str, str]]:
    return [(old.format(months=months), new.format(months=months)) for old, new in edits]


_ROLLUP_67 = "i_category, i_class, i_brand, i_product_name, d_year, d_qoy, d_moy,s_store_id"
_ROLLUP_22 = "i_product_name ,i_brand ,i_class ,i_category"
_INVENTORY = """inventory , date_dim , item WHERE inv_date_sk=d_date_sk AND inv_item_sk=i_item_sk
    AND d_month_seq BETWEEN 1200 AND 1200 + 11"""
_SALES_67 = """store_sales, date_dim, store, item WHERE ss_sold_date_sk=d_date_sk AND ss_item_sk=i_item_sk
    AND ss_store_sk = s_store_sk AND d_month_seq BETWEEN 1200 AND 1200+11"""
_SHIPPED_16 = """catalog_sales cs1, date_dim, customer_address, call_center
    WHERE d_date BETWEEN '2002-02-01' AND cast('2002-04-02' AS date) AND cs1.cs_ship_date_sk = d_date_sk
    AND cs1.cs_ship_addr_sk = ca_address_sk AND ca_state = 'GA' AND cs1.cs_call_center_sk = cc_call_center_sk
    AND cc_county = 'Williamson County' AND"""
_SHIPPED_94 = """web_sales ws1 , date_dim , customer_address , web_site
    WHERE d_date BETWEEN '1999-02-01' AND cast('1999-04-02' AS date) AND ws1.ws_ship_date_sk = d_date_sk
    AND ws1.ws_ship_addr_sk = ca_address_sk AND ca_state = 'IL' AND ws1.ws_web_site_sk = web_site_sk
    AND web_company_name = 'pri' AND"""
_CUSTOMER_10 = """customer c, customer_address ca, customer_demographics
    WHERE c.c_current_addr_sk = ca.ca_address_sk
    AND ca_county IN ('Rush County', 'Toole County', 'Jefferson County', 'Dona Ana County', 'La Porte County')
    AND cd_demo_sk = c.c_current_cdemo_sk AND"""
_CUSTOMER_69 = """customer c, customer_address ca, customer_demographics
    WHERE c.c_current_addr_sk = ca.ca_address_sk AND ca_state IN ('KY', 'GA', 'NM')
    AND cd_demo_sk = c.c_current_cdemo_sk AND"""
_CUSTOMER_35 = """customer c, customer_address ca, customer_demographics
    WHERE c.c_current_addr_sk = ca.ca_address_sk AND cd_demo_sk = c.c_current_cdemo_sk AND"""


def _joined_first(block: str, columns: str, name: str) -> Sequence[tuple[str, str]]:
    """A block is joined before the tests of IN and EXISTS above it."""
    tables, _, condition = block.partition(" WHERE ") if " WHERE " in block else block.partition("WHERE")
    return [(block, _held(columns, tables, condition.removesuffix("AND"), name))]


_TPCDS = (
    ByHand(
        "TPC-DS",
        16,
        SEMI,
        _joined_first(_SHIPPED_16, "cs_order_number, cs_warehouse_sk, cs_ext_ship_cost, cs_net_profit", "cs1"),
    ),
    ByHand(
        "TPC-DS",
        94,
        SEMI,
        _joined_first(_SHIPPED_94, "ws_order_number, ws_warehouse_sk, ws_ext_ship_cost, ws_net_profit", "ws1"),
    ),
    ByHand("TPC-DS", 95, SEMI, _joined_first(_SHIPPED_94, "ws_order_number, ws_ext_ship_cost, ws_net_profit", "ws1")),
    ByHand("TPC-DS", 10, SEMI, _joined_first(_CUSTOMER_10, "c_customer_sk, customer_demographics.*", "c")),
    ByHand("TPC-DS", 69, SEMI, _joined_first(_CUSTOMER_69, "c_customer_sk, customer_demographics.*", "c")),
    ByHand("TPC-DS", 35, SEMI, _joined_first(_CUSTOMER_35, "c_customer_sk, ca_state, customer_demographics.*", "c")),
    *(ByHand("TPC-DS", number, FILTER, conf=BLOOM_FILTERS) for number in range(1, 100)),
    ByHand(
        "TPC-DS",
        4,
        PARTIAL,
        [
            *_customers(*_STORE, _profit("ss").removeprefix("(").removesuffix(")")),
            *_customers(*_CATALOG, _profit("cs")),
            *_customers(*_WEB, _profit("ws")),
        ],
    ),
    ByHand(
        "TPC-DS",
        11,
        PARTIAL,
        [
            *_customers(*_STORE, "ss_ext_list_price-ss_ext_discount_amt"),
            *_customers(*_WEB, "ws_ext_list_price-ws_ext_discount_amt"),
        ],
    ),
    ByHand("TPC-DS", 74, PARTIAL, [*_customers(*_STORE, "ss_net_paid"), *_customers(*_WEB, "ws_net_paid")]),
    ByHand(
        "TPC-DS",
        2,
        PARTIAL,
        [
            (
                "(SELECT sold_date_sk, sales_price FROM",
                "(SELECT sold_date_sk, sum(sales_price) sales_price FROM",
            ),
            (") sq1)", ") sq1 GROUP BY sold_date_sk)"),
        ],
    ),
    ByHand(
        "TPC-DS",
        59,
        PARTIAL,
        [
            (
                "store_sales, date_dim WHERE d_date_sk = ss_sold_date_sk",
                "(SELECT ss_sold_date_sk, ss_store_sk, sum(ss_sales_price) ss_sales_price FROM store_sales"
                " GROUP BY ss_sold_date_sk, ss_store_sk), date_dim WHERE d_date_sk = ss_sold_date_sk",
            )
        ],
    ),
    ByHand(
        "TPC-DS",
        38,
        PARTIAL,
        _of_months([*_names(*_STORE), *_names(*_CATALOG), *_names(*_WEB)], "1200 AND 1200 + 11"),
    ),
    ByHand(
        "TPC-DS",
        87,
        PARTIAL,
        _of_months([*_names(*_STORE), *_names(*_CATALOG), *_names(*_WEB)], "1200 AND 1200+11"),
    ),
    ByHand(
        "TPC-DS",
        67,
        PARTIAL,
        [
            ("sum(coalesce(ss_sales_price*ss_quantity,0)) sumsales FROM", "sum(leaf) sumsales FROM"),
            (
                _SALES_67,
                f"(SELECT {_ROLLUP_67}, sum(coalesce(ss_sales_price*ss_quantity,0)) leaf FROM {_SALES_67}"
                f" GROUP BY {_ROLLUP_67})",
            ),
        ],
    ),
    ByHand(
        "TPC-DS",
        22,
        PARTIAL,
        [
            ("avg(inv_quantity_on_hand) qoh FROM", "sum(total) / sum(number) qoh FROM"),
            (
                _INVENTORY,
                f"(SELECT {_ROLLUP_22}, sum(inv_quantity_on_hand) total, count(inv_quantity_on_hand) number"
                f" FROM {_INVENTORY} GROUP BY {_ROLLUP_22})",
            ),
        ],
    ),
    ByHand(
        "TPC-DS",
        23,
        PARTIAL,
        [
            (
                "store_sales, customer, date_dim WHERE ss_customer_sk = c_customer_sk AND ss_sold_date_sk = d_date_sk"
                " AND d_year IN (2000, 2000+1, 2000+2, 2000+3) GROUP BY c_customer_sk",
                "(SELECT ss_customer_sk, sum(ss_quantity*ss_sales_price) s FROM store_sales, date_dim"
                " WHERE ss_sold_date_sk = d_date_sk AND d_year IN (2000, 2000+1, 2000+2, 2000+3)"
                " GROUP BY ss_customer_sk), customer WHERE ss_customer_sk = c_customer_sk GROUP BY c_customer_sk",
            ),
            ("sum(ss_quantity*ss_sales_price) csales", "sum(s) csales"),
            (
                "sum(ss_quantity*ss_sales_price) ssales FROM store_sales, customer,",
                "sum(s) ssales FROM (SELECT ss_customer_sk, sum(ss_quantity*ss_sales_price) s FROM store_sales"
                " GROUP BY ss_customer_sk), customer,",
            ),
            ("HAVING sum(ss_quantity*ss_sales_price) > (50", "HAVING sum(s) > (50"),
        ],
    ),
    ByHand(
        "TPC-DS",
        31,
        PARTIAL,
        [
            ("sum(ss_ext_sales_price) AS store_sales FROM", "sum(s) AS store_sales FROM"),
            (
                "store_sales, date_dim, customer_address WHERE ss_sold_date_sk = d_date_sk AND",
                "(SELECT ss_addr_sk, d_qoy, d_year, sum(ss_ext_sales_price) s FROM store_sales, date_dim"
                " WHERE ss_sold_date_sk = d_date_sk GROUP BY ss_addr_sk, d_qoy, d_year), customer_address WHERE",
            ),
            ("sum(ws_ext_sales_price) AS web_sales FROM", "sum(s) AS web_sales FROM"),
            (
                "web_sales, date_dim, customer_address WHERE ws_sold_date_sk = d_date_sk AND",
                "(SELECT ws_bill_addr_sk, d_qoy, d_year, sum(ws_ext_sales_price) s FROM web_sales, date_dim"
                " WHERE ws_sold_date_sk = d_date_sk GROUP BY ws_bill_addr_sk, d_qoy, d_year), customer_address WHERE",
            ),
        ],
    ),
    *(
        ByHand("TPC-DS", number, SHARED, [*_SHARED_YEARS, (last, last.replace(" d_year)", " d_year))", 1))])
        for number, last in (
            (4, "c_email_address, d_year) SELECT t_s_secyear.customer_id,"),
            (11, "c_email_address, d_year) SELECT t_s_secyear.customer_id,"),
            (74, "c_last_name, d_year) SELECT t_s_secyear.customer_id,"),
        )
    ),
    ByHand(
        "TPC-DS",
        14,
        SHARED,
        [
            (
                "WITH cross_items AS (SELECT i_item_sk ss_item_sk FROM",
                "WITH cross_items AS (SELECT /*+ REPARTITION(4, ss_item_sk) */ ss_item_sk, rand() r_ FROM"
                " (SELECT i_item_sk ss_item_sk FROM",
            ),
            ("AND i_category_id = category_id ),", "AND i_category_id = category_id )),"),
        ],
    ),
    ByHand(
        "TPC-DS",
        23,
        SHARED,
        [
            (
                "WITH frequent_ss_items AS (SELECT itemdesc,",
                "WITH frequent_ss_items AS (SELECT /*+ REPARTITION(4, item_sk) */ *, rand() r_ FROM (SELECT itemdesc,",
            ),
            ("HAVING count(*) >4),", "HAVING count(*) >4)),"),
            (
                "best_ss_customer AS (SELECT c_customer_sk,",
                "best_ss_customer AS (SELECT /*+ REPARTITION(4, c_customer_sk) */ *, rand() r_ FROM"
                " (SELECT c_customer_sk,",
            ),
            ("max(tpcds_cmax)) SELECT", "max(tpcds_cmax))) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        64,
        SHARED,
        [
            (
                "cross_sales AS (SELECT i_product_name",
                "cross_sales AS (SELECT /*+ REPARTITION(4, item_sk) */ *, rand() r_ FROM (SELECT i_product_name",
            ),
            ("d3.d_year) SELECT", "d3.d_year)) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        24,
        SHARED,
        [
            (
                "WITH ssales AS (SELECT c_last_name,",
                "WITH ssales AS (SELECT /*+ REPARTITION(4, c_last_name) */ *, rand() r_ FROM (SELECT c_last_name,",
            ),
            ("i_size) SELECT", "i_size)) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        31,
        SHARED,
        [
            (
                "WITH ss AS (SELECT ca_county,",
                "WITH ss AS (SELECT /*+ REPARTITION(4, ca_county) */ *, rand() r_ FROM (SELECT ca_county,",
            ),
            (
                "d_year), ws AS (SELECT ca_county,",
                "d_year)), ws AS (SELECT /*+ REPARTITION(4, ca_county) */ *, rand() r_ FROM (SELECT ca_county,",
            ),
            ("d_year) SELECT", "d_year)) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        75,
        SHARED,
        [
            (
                "WITH all_sales AS ( SELECT d_year ,",
                "WITH all_sales AS (SELECT /*+ REPARTITION(4, i_brand_id) */ *, rand() r_ FROM (SELECT d_year ,",
            ),
            ("i_manufact_id) SELECT", "i_manufact_id)) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        2,
        SHARED,
        [
            (
                "wswscs AS (SELECT d_week_seq,",
                "wswscs AS (SELECT /*+ REPARTITION(1) */ *, rand() r_ FROM (SELECT d_week_seq,",
            ),
            ("GROUP BY d_week_seq) SELECT", "GROUP BY d_week_seq)) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        59,
        SHARED,
        [
            (
                "WITH wss AS (SELECT d_week_seq,",
                "WITH wss AS (SELECT /*+ REPARTITION(1) */ *, rand() r_ FROM (SELECT d_week_seq,",
            ),
            ("ss_store_sk) SELECT", "ss_store_sk)) SELECT"),
        ],
    ),
    ByHand(
        "TPC-DS",
        39,
        SHARED,
        [
            (
                "WITH inv AS (SELECT w_warehouse_name,",
                "WITH inv AS (SELECT /*+ REPARTITION(4, i_item_sk) */ *, rand() r_ FROM (SELECT w_warehouse_name,",
            ),
            ("END > 1) SELECT", "END > 1)) SELECT"),
        ],
    ),
)


def _counted(cases: Mapping[str, str], relations: str, condition: str) -> str:
    counts = ", ".join(f"count(*) FILTER (WHERE {case}) {name}" for name, case in cases.items())
    either = " OR ".join(f"({case})" for case in cases.values())
    return f"SELECT {counts} FROM {relations} WHERE {condition} AND ({either})"


_HALF_HOURS = {
    f"h{2 * hour + half}": f"t_hour = {hour} AND t_minute {'>=' if half else '<'} 30"
    for hour in range(8, 13)
    for half in (0, 1)
    if (8, 0) < (hour, half) < (12, 1)
}
_DEPENDENTS = " OR ".join(f"(hd_dep_count = {count} AND hd_vehicle_count <= {count + 2})" for count in (4, 2, 0))
_LISTED = [(8, 459, 57), (90, 2323, 31), (142, 12214, 79), (135, 6071, 38), (122, 836, 17), (154, 7326, 7)]
_BUCKETS = [
    f"ss_quantity BETWEEN {5 * at + bool(at)} AND {5 * at + 5} AND (ss_list_price BETWEEN {price} AND {price + 10}"
    f" OR ss_coupon_amt BETWEEN {coupon} AND {coupon + 1000} OR ss_wholesale_cost BETWEEN {cost} AND {cost + 20})"
    for at, (price, coupon, cost) in enumerate(_LISTED)
]
_BY_BUCKET = ", ".join(
    f"avg(ss_list_price) FILTER (WHERE {of}), count(ss_list_price) FILTER (WHERE {of}),"
    f" count(DISTINCT ss_list_price) FILTER (WHERE {of})"
    for of in _BUCKETS
)
_MORNING_AND_EVENING = _counted(
    {"amc": "t_hour BETWEEN 8 AND 9", "pmc": "t_hour BETWEEN 19 AND 20"},
    "web_sales, household_demographics, time_dim, web_page",
    "ws_sold_time_sk = t_time_sk AND ws_ship_hdemo_sk = hd_demo_sk AND ws_web_page_sk = wp_web_page_sk"
    " AND hd_dep_count = 6 AND wp_char_count BETWEEN 5000 AND 5200",
)
_ONE_PASS = (
    ByHand(
        "TPC-DS",
        88,
        Lever.ONE_PASS,
        whole=_counted(
            _HALF_HOURS,
            "store_sales, household_demographics, time_dim, store",
            "ss_sold_time_sk = t_time_sk AND ss_hdemo_sk = hd_demo_sk AND ss_store_sk = s_store_sk"
            f" AND s_store_name = 'ese' AND ({_DEPENDENTS})",
        ),
    ),
    ByHand(
        "TPC-DS",
        28,
        Lever.ONE_PASS,
        whole=f"SELECT {_BY_BUCKET} FROM store_sales WHERE {' OR '.join(f'({of})' for of in _BUCKETS)}",
    ),
    ByHand(
        "TPC-DS",
        90,
        Lever.ONE_PASS,
        whole="SELECT CASE WHEN pmc = 0 THEN NULL ELSE CAST(amc AS DECIMAL(15, 4)) / CAST(pmc AS DECIMAL(15, 4)) END"
        f" FROM ({_MORNING_AND_EVENING})",
    ),
)
_PARTITIONS = tuple(
    ByHand(suite, query, lever, conf={"spark.sql.shuffle.partitions": partitions})
    for suite, queries in (("TPC-H", 22), ("TPC-DS", 99))
    for query in range(1, queries + 1)
    for lever, partitions in ((Lever.PARTITIONS_40, "40"), (Lever.PARTITIONS_8, "8"))
)
# Queries whose groups before a shuffle are nearly as many as its rows, somewhere.
_ONE_AGGREGATE = tuple(
    ByHand("TPC-DS", query, Lever.ONE_AGGREGATE, conf={"spark.sql.execution.bypassPartialAggregation": "true"})
    for query in (23, 38, 65, 67, 78, 87, 97)
)

BY_HAND: Sequence[ByHand] = (*_TPCH, *_TPCDS, *_ONE_PASS, *_ONE_AGGREGATE, *_PARTITIONS)
