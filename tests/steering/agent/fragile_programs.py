"""Programs that break where a join is moved without care: raising, non-deterministic and order-sensitive expressions.

Drawn at random over `fragile_tables`: such expressions stand above, between and below blocks of joins, with ANSI on and
off, or on where a view was made and off where it is read. `steered_app` runs each as written, twice, and steered.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

# Each fails on the bad rows of a table {x}: some with ANSI alone, most without, too.
RAISING = (
    "cast({x}.v AS int)",
    "cast({x}.v AS decimal(5,2))",
    "variant_get(parse_json({x}.js), '$.x', 'int')",
    "from_json({x}.js, 'x int', map('mode', 'FAILFAST')).x",
    "'aby' RLIKE {x}.pat",
    "'aby' LIKE '%a%' AND regexp_replace('aby', {x}.pat, 'z') <> ''",
    "regexp_extract('aby', {x}.pat, 0)",
    "to_binary({x}.v, 'hex')",
    "array_insert(array(1, 2), {x}.zero, 3)[0]",
    "size(slice(array(1, 2, 3), {x}.zero, 1))",
    "element_at(array(1, 2, 3, 4, 5, 6, 7, 8, 9), {x}.zero)",
    "array(1, 2, 3)[{x}.big]",
    "xpath_int({x}.xml, 'a')",
    "make_dt_interval({x}.big, 0, 0, 0)",
    "make_ym_interval({x}.big, 0)",
    "timestampadd(YEAR, {x}.big, timestamp'2020-01-01')",
    "from_utc_timestamp(timestamp'2020-01-01', {x}.tz)",
    "convert_timezone('UTC', {x}.tz, timestamp_ntz'2020-01-01 00:00:00')",
    "date_format(date'2020-01-01', replace({x}.pat, 'b', 'E'))",
    "size(array_repeat(1, if({x}.big > 2, 2147483647, 2)))",
    "add_months(date'2020-01-01', {x}.big)",
    "encode('a', {x}.cs)",
    "10 / {x}.zero",
    "10 % {x}.zero",
    "{x}.big + {x}.big",
    "{x}.big * 2",
    "- ({x}.big + 2000000000)",
    "if({x}.k >= 8, raise_error('bad'), {x}.n)",
    "assert_true({x}.k < 8)",
    "to_date({x}.v, 'd')",
    "to_timestamp({x}.v, 's')",
    "next_day(date'2020-01-01', if({x}.k >= 8, {x}.pat, 'MO'))",
    "conv({x}.v, 40, {x}.big)",
    "make_date({x}.big, 1, 1)",
    "to_number({x}.v, '99')",
    "elt({x}.zero, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i')",
)
# Each may be asked of any row: what the agent lets joins be ordered around.
NEVER_RAISING = (
    "concat({x}.v, '-', {x}.n)",
    "concat_ws('|', {x}.v, {x}.pat, array({x}.js, {x}.v))",
    "replace({x}.v, 'ba', 'x')",
    "translate({x}.js, '{}x', 'ab')",
    "initcap(reverse({x}.xml))",
    "substring({x}.v, 1, {x}.n)",
    "regexp_replace({x}.js, '[^0-9]', '')",
    "{x}.pat RLIKE '^[a-z]$'",
    "md5(concat_ws(',', {x}.v, cast({x}.d AS string)))",
    "crc32({x}.v)",
    "sha2({x}.tz, 256)",
    "round({x}.d, 1)",
    "log10({x}.d) + power({x}.zero, 2)",
    "floor(cast({x}.zero AS decimal(12, 2)) / 3)",
    "shiftleft({x}.big, 1) & {x}.n",
    "bit_count({x}.big) = {x}.n",
    "date_format(timestamp_micros({x}.id * 86400000000), 'yyyy-MM')",
    "size(array({x}.n, {x}.j))",
    "array_contains(array({x}.n, 2), {x}.zero)",
    "coalesce(nullif({x}.v, 'bad'), {x}.cs)",
    "greatest({x}.n, {x}.zero) % 3",
    "CASE WHEN {x}.v LIKE '%a%' THEN length({x}.cs) ELSE ascii({x}.v) END",
)
# What makes of the same row in another place another value.
NOT_DETERMINISTIC = (
    "rand(7)",
    "monotonically_increasing_id()",
    "randn(3)",
    "spark_partition_id()",
    "uuid()",
    "shuffle(array(1, 2, 3))",
)
_ANSI = ("on", "off", "view")


@dataclass(frozen=True, slots=True)
class Fragile:
    """A statement, the views that it reads, and how ANSI is set while those are made and while it runs; of a column `pivot`
    alone the values are taken, as columns are called by them. It may call a `function`, which is declared not to be deterministic
    unless it is `of_each_row`, and have properties of its own."""

    text: str
    views: tuple[str, ...] = ()
    ansi_of_views: bool = False
    ansi: bool = True
    codegen: bool = True
    pivot: str = ""
    function: str = ""
    of_each_row: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)

    def run(self, spark: SparkSession) -> list[Any]:
        spark.conf.set("spark.sql.codegen.wholeStage", str(self.codegen).lower())
        if not self.codegen:  # To compile expressions takes longer than these queries.
            spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        spark.conf.set("spark.sql.ansi.enabled", str(self.ansi_of_views).lower())
        for name, value in self.conf.items():
            spark.conf.set(name, value)
        if self.function:
            function = udf(lambda value: value, "int")
            spark.udf.register(self.function, function if self.of_each_row else function.asNondeterministic())
        for view in self.views:
            spark.sql(view)
        spark.conf.set("spark.sql.ansi.enabled", str(self.ansi).lower())
        frame = spark.sql(self.text)
        return frame.groupBy("j").pivot(self.pivot).count().columns if self.pivot else frame.collect()


def fragile_program(seed: int) -> Fragile:
    """A program by its number: the same for the same one."""
    rng = random.Random(f"fragile {seed}")
    joined = _joined(rng)
    text = rng.choice(_TOPS)(rng, joined)
    ansi = rng.choice(_ANSI)
    return Fragile(text, joined.views, ansi == "view", ansi == "on", rng.random() < 0.35)


@dataclass(frozen=True, slots=True)
class _Joined:
    """A FROM clause with WHERE: `rest`; `aliases` are those of f, always there, and of what is joined to it."""

    rest: str
    views: tuple[str, ...]
    aliases: tuple[str, ...]


def _value(text: str) -> str:
    """A number, 0 to 3, for which an expression is asked of every row; what is put around it cannot fail."""
    return f"least(greatest(hash({text}), 0), 3)"


def _risk(rng: random.Random, alias: str = "x") -> str:
    asked = NEVER_RAISING if rng.random() < 0.4 else RAISING
    return rng.choice(asked).replace("{x}", alias)


def _joined(rng: random.Random) -> _Joined:
    """f first, what drops its bad rows next, then joins that may ask them; or any other way round."""
    views: tuple[str, ...] = ()
    source, computed = "f", ""
    risky = rng.random() < 0.6
    kind = rng.random() if risky else 1.0
    if kind < 0.25:  # below the joins: computed of f
        source, computed = f"(SELECT *, {_value(_risk(rng, 'f'))} AS r FROM f)", "x.r"
    elif kind < 0.4:
        views = (f"CREATE OR REPLACE TEMPORARY VIEW fv AS SELECT *, {_value(_risk(rng, 'f'))} AS r FROM f",)
        source, computed = "fv", "x.r"
    elif kind < 0.47:
        source, computed = f"(SELECT *, {rng.choice(NOT_DETERMINISTIC)} AS u FROM f)", ""
    elif kind < 0.52:
        source = "f TABLESAMPLE (60 PERCENT) REPEATABLE (7)"
    joins = [
        _join_of(rng, name, computed, risky)
        for name in rng.sample(["g", "c", "e", "g2", "c2", "none"], rng.choice((2, 2, 3, 4)))
    ]
    if rng.random() < 0.85:
        joins = [("JOIN g ON x.k = g.k", "g"), *(join for join in joins if join[1] != "g")]
    where = []
    if risky and rng.random() < 0.12:
        where.append(f"{_value(_risk(rng))} >= {rng.randrange(2)}")
    if rng.random() < 0.2:
        where.append(f"x.n {rng.choice(('<', '>=', '<>'))} {rng.randrange(4)}")
    if risky and rng.random() < 0.06:
        where.append("rand(5) < 0.7")
    rest = f"FROM {source} x {' '.join(text for text, _ in joins)}"
    rest += f" WHERE {' AND '.join(where)}" if where else ""
    return _Joined(rest, views, ("x", *dict.fromkeys(alias for _, alias in joins)))


def _join_of(rng: random.Random, name: str, computed: str, risky: bool) -> tuple[str, str]:
    table = name.rstrip("2")
    source = table
    if table in ("c", "e") and rng.random() < 0.2:
        columns = {"c": "m, n, max(cw) AS cw", "e": "j, p, max(ew) AS ew"}[table]
        source = f"(SELECT {columns} FROM {table} GROUP BY {columns.partition(', max')[0]})"
    keys = {"g": ("k", ""), "c": ("n", "m"), "e": ("j", "p"), "none": ("k", "")}[table]
    on = f"x.{keys[0]} = {name}.{keys[0]}"
    risk = rng.random() if risky else 1.0
    if keys[1] and computed and risk < 0.5:
        on = f"{computed} = {name}.{keys[1]}"
    elif keys[1] and risk < 0.8:
        on = f"{_value(_risk(rng))} = {name}.{keys[1]}"
    elif keys[1] and risk < 0.9:
        on += f" AND {_value(_risk(rng))} >= {name}.{keys[1]}"
    kind = rng.choices(("JOIN", "LEFT JOIN", "LEFT SEMI JOIN"), (12, 1, 1))[0]
    if name == "none" and rng.random() < 0.7:
        kind = "LEFT JOIN"
    return f"{kind} {source} {name} ON {on}", "x" if "SEMI" in kind else name


def _row(joined: _Joined) -> str:
    """What tells rows of the joins apart."""
    columns = {"x": "x.id", "g": "g.gw", "g2": "g2.gw", "c": "c.cw", "c2": "c2.cw", "e": "e.ew", "none": "none.nw"}
    return ", ".join(columns[alias] for alias in joined.aliases)


def _rows(rng: random.Random, joined: _Joined) -> str:
    return f"SELECT {_row(joined)} {joined.rest}"


def _digest(rng: random.Random, joined: _Joined) -> str:
    return f"SELECT count(*) AS n, bit_xor(xxhash64({_row(joined)})) AS h {joined.rest}"


def _raising(rng: random.Random, joined: _Joined) -> str:
    return f"SELECT x.id, hash({_risk(rng)}) AS r {joined.rest}"


def _drawn(rng: random.Random, joined: _Joined) -> str:
    return f"SELECT {_row(joined)}, {rng.choice(NOT_DETERMINISTIC[:4])} AS u {joined.rest}"


def _numbered(rng: random.Random, joined: _Joined) -> str:
    """Below other operators: a number of the row's place decides what is kept."""
    inner = f"SELECT x.n, x.id, monotonically_increasing_id() AS u, rand(9) AS s {joined.rest}"
    return f"SELECT n, count(*) AS c, min(u) AS u, sum(cast(s * 1000 AS int)) AS s FROM ({inner}) GROUP BY n"


def _aggregated(rng: random.Random, joined: _Joined) -> str:
    function = rng.choice(
        ("first(x.id)", "last(x.d)", "collect_list(x.id)", "any_value(x.v)", "max_by(x.id, x.n)", "collect_set(x.n)",
         "sum(x.d)", "avg(x.d)", "stddev(x.d)", "sort_array(collect_list(x.id))", "approx_percentile(x.d, 0.5)",
         "sum(x.n)", "corr(x.d, x.n)", "listagg(x.v)")
    )  # fmt: skip
    group = rng.choice(("", "", " GROUP BY x.j", " GROUP BY x.n, x.j"))
    return f"SELECT {'x.j, ' if 'j' in group else ''}{function} AS a, count(*) AS n {joined.rest}{group}"


def _windowed(rng: random.Random, joined: _Joined) -> str:
    function = rng.choice(
        ("row_number()", "rank()", "lag(x.id)", "first_value(x.id)", "sum(x.n)", "ntile(3)", "sum(x.d)")
    )
    over = f"PARTITION BY x.j ORDER BY {rng.choice(('x.n', 'x.n, x.id', 'x.v'))}"
    if function.startswith("sum") and rng.random() < 0.5:
        over += " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"
    return f"SELECT x.id, {function} OVER ({over}) AS w {joined.rest}"


def _limited(rng: random.Random, joined: _Joined) -> str:
    """Without ties: with them, the first rows of all tasks are merged in the order in which these end (RDD.takeOrdered)."""
    order = rng.choice(("", "", f" ORDER BY {_row(joined)}"))
    return f"SELECT {_row(joined)} {joined.rest}{order} LIMIT {rng.choice((1, 5, 9))}"


def _limited_groups(rng: random.Random, joined: _Joined) -> str:
    """The order covers the grouping keys: no ties."""
    return f"SELECT x.j, count(*) AS n, max(x.id) AS m {joined.rest} GROUP BY x.j ORDER BY x.j LIMIT 3"


def _between(rng: random.Random, joined: _Joined) -> str:
    """Joined once more above what depends on the order of rows."""
    inner = f"SELECT x.id, x.k, x.j {joined.rest} LIMIT {rng.choice((4, 11))}"
    return f"SELECT y.id, e9.ew, g9.gw FROM ({inner}) y JOIN e e9 ON y.j = e9.j JOIN g g9 ON y.k = g9.k"


def _shared(rng: random.Random, joined: _Joined) -> str:
    """Groups that are read several times, with conditions on what they are grouped by, on what they compute, or with none."""
    functions = ["count(*)", "sum(x.n)", "min(x.id)", "sum(x.d)", "max(x.v)", "count(DISTINCT x.id)", "first(x.id)"]
    functions.append(f"sum({_value(_risk(rng))})")
    computed = ", ".join(f"{f} AS f{i}" for i, f in enumerate(rng.sample(functions, 3)))
    keys = rng.choice(("x.n", "x.n, x.j", "x.n, x.j, x.k", "x.n, x.j"))
    groups = f"SELECT {keys}, {computed} {joined.rest} GROUP BY {keys}"
    if rng.random() < 0.2:
        groups = f"SELECT n, sum(f0) AS f0, max(f1) AS f1, count(f2) AS f2 FROM ({groups}) GROUP BY n"
    elif rng.random() < 0.2:
        groups = f"{groups} UNION ALL {groups.replace('x.n', 'x.n + 1', 1)}"
    copies = "abc"[: rng.choice((2, 2, 3))]
    where = {one: rng.choice(_OF_GROUPS).replace("g.", f"{one}.") for one in copies}
    if rng.random() < 0.3:
        return f"WITH g AS ({groups}) " + " UNION ALL ".join(
            f"SELECT {one}.n, {one}.f{i} FROM g {one} WHERE {where[one]}" for i, one in enumerate(copies)
        )
    kind = rng.choice(("JOIN", "JOIN", "LEFT JOIN", "FULL JOIN", "LEFT ANTI JOIN"))
    shown = ", ".join(f"{one}.n, {one}.f{i}" for i, one in enumerate(copies[:1] if "ANTI" in kind else copies))
    others = " ".join(
        f"{kind} (SELECT * FROM g {one} WHERE {where[one]}) {one} ON a.n <=> {one}.n" for one in copies[1:]
    )
    return f"WITH g AS ({groups}) SELECT {shown} FROM (SELECT * FROM g a WHERE {where['a']}) a {others}"


def _counted(rng: random.Random, joined: _Joined) -> str:
    """Functions of all rows together, each of some under conditions of their own."""
    functions = [
        "count(*)",
        "count(n)",
        "min(id)",
        "max(v)",
        "sum(n)",
        "sum(d)",
        "avg(n)",
        "count(DISTINCT n)",
        "count(*) FILTER (WHERE n > 1)",
    ]
    conditions = (
        "n = 1",
        "n <> 1",
        "n IS NULL",
        "j < 3",
        "j < 3 AND n = 2",
        "k IN (1, 2)",
        "id = -1",
        "true",
        f"{_value(_risk(rng))} = 1",
    )
    rows = f"SELECT x.* {joined.rest}"
    parts = [
        f"(SELECT {', '.join(f'{f} AS {one}{i}' for i, f in enumerate(rng.sample(functions, 2)))} FROM ({rows}) x "
        f"WHERE {rng.choice(conditions)}) {one}"
        for one in "abc"[: rng.choice((2, 3))]
    ]
    return f"SELECT * FROM {' CROSS JOIN '.join(parts)}"


_OF_GROUPS = (
    *(
        "g.n = 1",
        "g.n = 2",
        "g.n IN (0, 2)",
        "g.n IS NULL",
        "g.n <> 1",
        "g.n < 2 OR g.n IS NULL",
        "g.n >= 0 AND g.n < 3",
    ),
    *("true", "true", "g.f0 IS NOT NULL", "g.n = 1 AND g.f1 IS NOT NULL", "g.n = (SELECT min(n) FROM f)"),
)

_TOPS: tuple[Callable[[random.Random, _Joined], str], ...] = (
    _rows, _rows, _digest, _digest, _raising,
    _drawn, _numbered, _aggregated, _aggregated, _windowed, _limited, _limited_groups, _between,
    _shared, _shared, _shared, _counted, _counted
)  # fmt: skip
