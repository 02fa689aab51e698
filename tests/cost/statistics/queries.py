"""Tables of small data, and filters made up over them: the same ones on every run."""

from __future__ import annotations

import random

# Times are printed in the session's zone, and kept in UTC.
ZONE = "America/New_York"

FACTS = (
    "SELECT id, cast(if(id % 11 = 0, null, hash(id) % 100) as int) AS i, cast(id % 7 as tinyint) AS b,"
    " cast(id % 300 - 150 as smallint) AS h, if(id % 13 = 0, null, concat('s', pmod(hash(id, 1), 20))) AS s,"
    " date_add(date'2001-01-01', cast(id % 365 as int)) AS d,"
    " timestamp_seconds(978307200 + id * 3600) AS ts, id % 3 = 0 AS flag, id / 8.0d AS f,"
    " cast(id / 4.0 as float) AS g, cast(id / 100.0 as decimal(10,2)) AS dec, cast(null as int) AS n, 5 AS c,"
    " cast(id % 50 as int) AS j, cast(null as string) AS ns FROM range(1000)"
)
DIMS = (
    "SELECT cast(id as int) AS k, cast(id % 40 as int) AS k2, concat('s', id % 9) AS name, cast(id + 5000 as int) AS far,"
    " date_add(date'2001-06-01', cast(id as int)) AS day, id % 2 = 0 AS even, cast(null as int) AS nothing,"
    " cast(id * 3 as bigint) AS big FROM range(137)"
)
TABLES = {
    "facts": FACTS,
    "dims": DIMS,
    "empty": f"{DIMS} WHERE id < 0",
    "rows_only": DIMS,
    "nothing_known": DIMS,
    "some_columns": DIMS,
}
ANALYSES = [
    *(f"ANALYZE TABLE {name} COMPUTE STATISTICS FOR ALL COLUMNS" for name in ("facts", "dims", "empty")),
    "ANALYZE TABLE rows_only COMPUTE STATISTICS",
    "ANALYZE TABLE some_columns COMPUTE STATISTICS FOR COLUMNS k, name",
]
# Parquet would take Spark longer to get going with.
SETUP = [f"CREATE TABLE {name} USING json AS {query}" for name, query in TABLES.items()] + ANALYSES

NUMBERS = {
    "id": (-50, 1050),
    "i": (-120, 120),
    "b": (-1, 8),
    "h": (-160, 160),
    "j": (-3, 53),
    "c": (4, 6),
    "n": (0, 3),
}
STRINGS = [f"s{number}" for number in range(25)] + ["", "x y", "a = b", "it AND that"]
OPERATORS = ["=", "<", "<=", ">", ">=", "<=>", "<>"]


def literal(rng: random.Random, column: str) -> str:
    """A value that a column could be compared with, inside its range, at its ends or outside."""
    if column in NUMBERS:
        return str(rng.randint(*NUMBERS[column]))
    if column == "s":
        return repr(rng.choice(STRINGS))
    if column == "d":
        return f"date'{rng.choice([2000, 2001, 2001, 2001, 2002])}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}'"
    if column == "ts":
        day, hour = rng.randint(1, 28), rng.randint(0, 23)
        return f"timestamp'2001-{rng.choice(['01', '02'])}-{day:02} {hour:02}:{rng.randint(0, 59):02}:00.5'"
    if column == "f":
        return f"{rng.randint(-20, 1200) / 8}d"
    if column == "g":
        return f"cast({rng.randint(-20, 1200) / 4} as float)"
    if column == "dec":
        return f"cast({rng.randint(-100, 1100) / 100} as decimal(10,2))"
    return rng.choice(["true", "false"])


def single(rng: random.Random) -> str:
    """A condition of one column, or two."""
    column = rng.choice([*NUMBERS, "s", "d", "ts", "flag", "f", "g", "dec"])
    shape = rng.random()
    if shape < 0.5:
        return f"{column} {rng.choice(OPERATORS)} {literal(rng, column)}"
    if shape < 0.62:
        values = [literal(rng, column) for _ in range(rng.choice([1, 2, 3, 5, 15]))]
        # Texts in which it is not plain where a list ends are not read.
        values = [value for value in values if "AND" not in value] or ["null"]
        return f"{column} {rng.choice(['IN', 'NOT IN'])} ({', '.join(values)})"
    if shape < 0.75:
        return f"{column} IS {rng.choice(['', 'NOT '])}NULL"
    if shape < 0.85:
        left, right = rng.choice(
            [("i", "j"), ("j", "i"), ("id", "i"), ("i", "c"), ("f", "dec"), ("s", "ns"), ("n", "j")]
        )
        return f"{left} {rng.choice(OPERATORS)} {right}"
    if shape < 0.92:
        return rng.choice(
            ["s LIKE 's1%'", "s LIKE '%1'", "s LIKE '%1%'", "s LIKE 's_1%'", "i + 1 = 5", "upper(s) = 'S1'", "flag"]
        )
    low, high = sorted(rng.sample(range(-100, 1100), 2))
    return f"id BETWEEN {low} AND {high}"


def condition(rng: random.Random, depth: int) -> str:
    """A condition of conditions."""
    shape = rng.random() if depth else 0
    if shape < 0.3:
        return single(rng)
    if shape < 0.65:
        return f"({condition(rng, depth - 1)} AND {condition(rng, depth - 1)})"
    if shape < 0.9:
        return f"({condition(rng, depth - 1)} OR {condition(rng, depth - 1)})"
    return f"NOT ({condition(rng, depth - 1)})"


def filters(count: int) -> list[str]:
    """Filters of a table, and of an aggregate."""
    rng = random.Random(1)
    found = [f"SELECT * FROM facts WHERE {condition(rng, number % 4)}" for number in range(count)]
    found += [
        f"SELECT * FROM (SELECT i, j, max(s) AS s, count(*) AS rows FROM facts GROUP BY i, j) WHERE {text}"
        for text in (
            "i IS NOT NULL AND i > 20",
            "i < j",
            "rows > 5",
            "s = 's1' OR i IN (1, 2)",
            "NOT (i = 5 AND j = 5)",
        )
    ]
    found += [f"SELECT * FROM {name} WHERE k > 20 AND k2 = 3" for name in TABLES if name != "facts"]
    return found
