"""Join queries at random over t0 to t6: chains, stars, cycles and cliques, with whatever SQL lets stand in a join."""

from __future__ import annotations

import random
from dataclasses import dataclass

TABLES = tuple(f"t{number}" for number in range(7))
_COLUMNS = ("a", "b", "c")


@dataclass(frozen=True, slots=True)
class _Item:
    """Something joined: its alias, and the SQL before it."""

    alias: str
    source: str


def random_query(seed: int) -> str:
    """A statement without ORDER BY or LIMIT: its rows are the same in any order of its joins."""
    rng = random.Random(seed)
    items = [_item(rng, f"x{number}") for number in range(rng.choice((2, 3, 3, 4, 4, 5, 5, 6, 7)))]
    edges = _edges(rng, len(items))
    lines, done = [f"FROM {items[0].source} {items[0].alias}"], {0}
    where: list[str] = []
    for number in range(1, len(items)):
        done.add(number)
        here = [_equality(rng, a, b) for a, b in edges if b == number]
        if len(items) > 2 and rng.random() < 0.2:
            here.append(_theta(rng, sorted(done)))
        # A comma binds its conditions in WHERE, as most generated SQL has it.
        if rng.random() < 0.2:
            where += here
            lines.append(f"CROSS JOIN {items[number].source} {items[number].alias}")
        else:
            lines.append(f"JOIN {items[number].source} {items[number].alias} ON {' AND '.join(here)}")
    shown = [item.alias for item in items]
    lines += _others(rng, shown)
    where += [_filter(rng, rng.choice(items).alias) for _ in range(rng.choice((0, 0, 1, 2)))]
    if where:
        lines.append("WHERE " + " AND ".join(where))
    return _selected(rng, shown, " ".join(lines))


def _item(rng: random.Random, alias: str) -> _Item:
    table = rng.choice(TABLES)
    kind = rng.random()
    if kind < 0.65:
        source = table
    elif kind < 0.75:
        source = f"(SELECT a, max(b) AS b, min(c) AS c, max(s) AS s FROM {table} GROUP BY a)"
    elif kind < 0.82:
        source = f"(SELECT DISTINCT a, b, c, s FROM {table})"
    elif kind < 0.9:
        source = f"(SELECT a + 1 AS a, b, abs(c) AS c, upper(s) AS s FROM {table} WHERE b IS NOT NULL)"
    elif kind < 0.95:
        source = f"(SELECT a, b, c, s FROM {table} UNION ALL SELECT c, b, a, s FROM {rng.choice(TABLES)})"
    else:
        other = rng.choice(TABLES)
        source = f"(SELECT l.a, r.b, l.c, r.s FROM {table} l LEFT JOIN {other} r ON l.a = r.a AND r.c > 2)"
    return _Item(alias, source)


def _edges(rng: random.Random, count: int) -> list[tuple[int, int]]:
    """Pairs of items, the lower number first; each item but the first is joined to one before it."""
    shape = rng.choice(("chain", "star", "cycle", "clique", "tree"))
    if shape == "clique":
        return [(a, b) for b in range(count) for a in range(b)][:8] + [(b - 1, b) for b in range(5, count)]
    if shape == "star":
        return [(0, b) for b in range(1, count)]
    edges = [(b - 1 if shape != "tree" else rng.randrange(b), b) for b in range(1, count)]
    return [*edges, (0, count - 1)] if shape == "cycle" and count > 2 else edges


def _equality(rng: random.Random, one: int, other: int) -> str:
    left, right = f"x{one}.{rng.choice(_COLUMNS)}", f"x{other}.{rng.choice(_COLUMNS)}"
    kind = rng.random()
    if kind < 0.1:
        return f"{left} <=> {right}"
    if kind < 0.17:
        return f"{left} + 1 = {right}"
    if kind < 0.23:
        return f"coalesce({left}, 0) = {right}"
    if kind < 0.27:
        return f"x{one}.s = x{other}.s"
    if kind < 0.31:
        return f"({left} = {right} OR x{one}.a = x{other}.a)"
    return f"{left} = {right}" if rng.random() < 0.5 else f"{right} = {left}"


def _theta(rng: random.Random, items: list[int]) -> str:
    names = [f"x{rng.choice(items)}.{rng.choice(_COLUMNS)}" for _ in range(3)]
    return rng.choice(
        (
            f"{names[0]} <= {names[1]} + 2",
            f"{names[0]} + {names[1]} >= {names[2]}",
            f"{names[0]} + {names[1]} = {names[2]} + 2",
            f"coalesce({names[0]}, {names[1]}, {names[2]}) IS NOT NULL",
            f"({names[0]} IS NULL OR {names[1]} < 5)",
        )
    )


def _filter(rng: random.Random, alias: str) -> str:
    column = f"{alias}.{rng.choice(_COLUMNS)}"
    return rng.choice(
        (f"{column} < 4", f"{column} IN (0, 2, 3, 5)", f"{column} IS NOT NULL", f"({column} IS NULL OR {column} > 1)",
         f"{alias}.s LIKE '%e%'", f"{column} = (SELECT max(a) - 1 FROM t1)")
    )  # fmt: skip


def _others(rng: random.Random, shown: list[str]) -> list[str]:
    """Joins that are not inner, above the block. What they add to the columns is added to `shown`."""
    if rng.random() > 0.45:
        return []
    kind = rng.choice(("LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI", "LEFT"))
    column = rng.choice(shown)
    line = f"{kind} JOIN {rng.choice(TABLES)} y ON {column}.{rng.choice(_COLUMNS)} = y.{rng.choice(_COLUMNS)}"
    if rng.random() < 0.4:
        line += f" AND {column}.b < y.b + 2"
    if "SEMI" not in kind and "ANTI" not in kind:
        shown.append("y")
        if rng.random() < 0.4:
            return [line, f"JOIN {rng.choice(TABLES)} z ON z.a = {column}.b JOIN {rng.choice(TABLES)} w ON w.c = z.c"]
    return [line]


def _selected(rng: random.Random, shown: list[str], rest: str) -> str:
    """Digests of all rows for most, so that few are collected; rows of some columns by groups for the others."""
    columns = [f"{alias}.{column}" for alias in shown for column in (*_COLUMNS, "s")]
    rng.shuffle(columns)
    digest = f"xxhash64({', '.join(columns)})"
    if rng.random() < 0.6:
        return f"SELECT count(*) AS n, bit_xor({digest}) AS x, sum(pmod({digest}, 1000003)) AS total {rest}"
    if rng.random() < 0.5:
        some = columns[: rng.randrange(1, 4)]
        return f"SELECT {', '.join(some)}, count(*) AS n, max({columns[-1]}) AS m {rest} GROUP BY {', '.join(some)}"
    return f"SELECT DISTINCT {', '.join(f'{name} AS c{i}' for i, name in enumerate(columns[:5]))} {rest}"
