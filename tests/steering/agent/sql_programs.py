"""SQL around joins that a rule could get wrong, over the tables of a shop. Each statement's rows are the same in any order.

Several statements of one program are separated by `;`: the rows are those of the last.
"""

from __future__ import annotations

_JOINED = "orders o JOIN customers c ON o.customer = c.id JOIN items i ON o.item = i.id JOIN stores s ON o.store = s.id"

SQL_PROGRAMS: dict[str, str] = {
    "chain": f"SELECT o.id, c.name, i.brand, s.city, g.name FROM {_JOINED} JOIN regions g ON s.region = g.id",
    "where instead of on": """
        SELECT o.id, c.name, i.brand, g.name FROM orders o, customers c, items i, regions g
        WHERE o.customer = c.id AND o.item = i.id AND c.region = g.id AND o.qty > 3 AND i.category IN (1, 2, 3)""",
    "one key from two relations": f"""
        SELECT o.id, c.id, i.id FROM {_JOINED} JOIN regions g ON g.id = s.region AND g.id = c.region""",
    "key computed of two relations": f"""
        SELECT o.id, g.name FROM {_JOINED} JOIN regions g ON g.id = (c.region + i.category) % 6""",
    "theta": f"""
        SELECT o.id, r.qty FROM {_JOINED} JOIN returned r ON o.qty > r.qty AND o.day < r.order_id AND r.item = i.id""",
    "only theta": """
        SELECT count(*), sum(o.id) FROM orders o JOIN stores s ON o.qty > s.region JOIN regions g ON g.id < o.day""",
    "cross with conditions above": """
        SELECT o.id, g.name FROM stores s CROSS JOIN regions g CROSS JOIN orders o CROSS JOIN items i
        WHERE o.store = s.id AND s.region = g.id AND i.id = o.item AND i.price > o.price""",
    "cross without conditions": """
        SELECT count(*), sum(s.id * g.id * i.id) FROM stores s CROSS JOIN regions g CROSS JOIN items i""",
    "condition of all relations": f"""
        SELECT o.id FROM {_JOINED} WHERE coalesce(c.region, i.category, s.region, o.qty) > 2 AND o.qty + i.category < 9""",
    "constant condition": f"SELECT o.id, r.qty FROM {_JOINED} JOIN returned r ON r.item = i.id AND 1 = 1 AND o.qty = 3",
    "false condition": f"SELECT o.id, r.qty FROM {_JOINED} JOIN returned r ON r.item = i.id AND 1 = 2",
    "null-safe keys": """
        SELECT o.id, c.id, i.id FROM orders o JOIN customers c ON o.customer <=> c.id JOIN items i ON o.item <=> i.id
        JOIN regions g ON c.region <=> g.id""",
    "casts in keys": """
        SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer = cast(c.id AS int)
        JOIN items i ON cast(o.item AS string) = cast(i.id AS string) JOIN regions g ON c.region = cast(g.id AS bigint)""",
    "left outer between": f"""
        SELECT o.id, c.name, r.qty, g.name FROM {_JOINED} LEFT JOIN returned r ON r.order_id = o.id
        JOIN regions g ON s.region = g.id JOIN customers c2 ON c2.region = g.id""",
    "left outer keeps its null rows": f"""
        SELECT o.id, r.qty, g.name FROM {_JOINED} LEFT JOIN returned r ON r.order_id = o.id AND r.qty > i.category
        LEFT JOIN regions g ON g.id = r.qty WHERE g.id IS NULL""",
    "right outer": f"SELECT o.id, c.name, r.order_id FROM {_JOINED} RIGHT JOIN returned r ON r.order_id = o.id",
    "full outer": f"""
        SELECT o.id, r.order_id, g.name FROM {_JOINED} FULL JOIN returned r ON r.order_id = o.id
        FULL JOIN regions g ON g.id = r.qty""",
    "outer join inside a block": """
        SELECT o.id, x.city, x.name, i.brand FROM orders o
        JOIN (SELECT s.id, s.city, g.name FROM stores s LEFT JOIN regions g ON s.region = g.id) x ON x.id = o.store
        JOIN items i ON i.id = o.item JOIN customers c ON c.id = o.customer""",
    "semi": f"SELECT o.id FROM {_JOINED} LEFT SEMI JOIN returned r ON r.order_id = o.id AND r.qty > i.category",
    "anti": f"SELECT o.id FROM {_JOINED} LEFT ANTI JOIN returned r ON r.order_id = o.id",
    "exists with joins inside": f"""
        SELECT o.id, c.name FROM {_JOINED} WHERE EXISTS (SELECT 1 FROM returned r JOIN items i2 ON r.item = i2.id
        JOIN regions g ON g.id = i2.category WHERE r.order_id = o.id AND i2.price > 10)""",
    "not exists": f"""
        SELECT o.id FROM {_JOINED} WHERE NOT EXISTS (SELECT 1 FROM returned r JOIN stores s2 ON r.qty = s2.region
        JOIN regions g ON g.id = s2.region WHERE r.item = i.id)""",
    "exists or": f"""
        SELECT o.id FROM {_JOINED} WHERE o.qty > 7 OR EXISTS (SELECT 1 FROM returned r JOIN items i2 ON r.item = i2.id
        JOIN stores s2 ON s2.region = i2.category WHERE r.order_id = o.id)""",
    "in or": f"""
        SELECT o.id FROM {_JOINED} WHERE o.qty IN (SELECT r.qty FROM returned r WHERE r.item = 3) OR i.category = 2""",
    "in with joins inside": f"""
        SELECT o.id FROM {_JOINED} WHERE o.item IN (SELECT r.item FROM returned r JOIN items i2 ON r.item = i2.id
        JOIN regions g ON g.id = i2.category WHERE g.name <> 'west')""",
    "not in with nulls": f"""
        SELECT o.id FROM {_JOINED} WHERE c.region NOT IN (SELECT s2.region FROM stores s2 JOIN regions g
        ON s2.region <=> g.id JOIN items i2 ON i2.category <=> g.id)""",
    "not in without nulls": """
        SELECT o.id FROM orders o JOIN items i ON o.item = i.id JOIN stores s ON o.store = s.id
        WHERE o.customer NOT IN (SELECT c.id FROM customers c WHERE c.id IS NOT NULL AND c.region = 2)""",
    "scalar subquery with joins": f"""
        SELECT o.id, (SELECT max(r.qty) FROM returned r JOIN items i2 ON r.item = i2.id JOIN regions g
        ON g.id = i2.category) AS top FROM {_JOINED} WHERE o.price > (SELECT avg(i3.price) FROM items i3
        JOIN stores s3 ON s3.id = i3.category JOIN regions g3 ON g3.id = s3.region)""",
    "correlated scalar subquery": f"""
        SELECT o.id, (SELECT max(r.qty) FROM returned r JOIN items i2 ON r.item = i2.id JOIN stores s2
        ON s2.region = i2.category WHERE r.order_id = o.id) AS most FROM {_JOINED}""",
    "correlated scalar subquery of one row": f"""
        SELECT o.id, (SELECT g.name FROM regions g WHERE g.id = c.region) AS region,
        (SELECT g.name FROM regions g WHERE g.id = s.region) AS other FROM {_JOINED}""",
    "correlated with an aggregate of the outer query": """
        SELECT o.id, c.id FROM orders o JOIN customers c ON o.customer = c.id JOIN items i ON o.item = i.id
        JOIN stores s ON s.id = o.store WHERE i.price > (SELECT avg(i2.price) FROM items i2 JOIN regions g
        ON g.id = i2.category WHERE i2.category = i.category)""",
    "lateral": """
        SELECT c.id, l.n, g.name FROM customers c JOIN regions g ON c.region = g.id, LATERAL (SELECT count(*) AS n
        FROM orders o JOIN items i ON o.item = i.id JOIN stores s ON o.store = s.id WHERE o.customer = c.id) l""",
    "lateral with a join of outer columns": """
        SELECT c.id, l.x FROM customers c JOIN regions g ON c.region = g.id,
        LATERAL (SELECT c.id + g.id AS x) l JOIN stores s ON s.region = g.id""",
    "explode": f"SELECT o.id, t.tag, i.brand FROM {_JOINED} LATERAL VIEW explode(o.tags) t AS tag",
    "explode below joins": """
        SELECT x.id, x.tag, i.brand, s.city FROM (SELECT id, item, store, explode_outer(tags) AS tag FROM orders) x
        JOIN items i ON x.item = i.id JOIN stores s ON x.store = s.id JOIN regions g ON g.id = s.region""",
    "self-joins": """
        SELECT a.id, b.id, c.id FROM orders a JOIN orders b ON a.customer = b.customer AND a.id < b.id
        JOIN orders c ON c.customer = b.customer AND c.item = a.item JOIN customers k ON k.id = c.customer""",
    "self-joins alike but for a literal": """
        SELECT a.id, b.id, c.id FROM orders a JOIN orders b ON a.item = b.item JOIN orders c ON c.item = b.item
        JOIN items i ON i.id = c.item WHERE a.qty = 1 AND b.qty = 2 AND c.qty = 3""",
    "using": """
        SELECT * FROM (SELECT id AS item, category, brand FROM items) i JOIN orders o USING (item)
        JOIN (SELECT item, qty AS back FROM returned) r USING (item) JOIN (SELECT id AS store, city FROM stores) USING (store)""",
    "natural": """
        SELECT * FROM (SELECT id AS item, brand FROM items) NATURAL JOIN orders NATURAL JOIN
        (SELECT id AS store, city FROM stores) NATURAL JOIN (SELECT id AS customer, name FROM customers)""",
    "same name twice in the output": f"SELECT o.id, c.id, i.id, s.id, o.id FROM {_JOINED}",
    "star": f"SELECT * FROM {_JOINED} JOIN regions g ON s.region = g.id",
    "no columns": f"SELECT count(*) FROM {_JOINED} JOIN regions g ON s.region = g.id",
    "a view": f"""
        CREATE OR REPLACE TEMP VIEW wide AS SELECT o.id, o.store, c.name, i.category FROM {_JOINED};
        SELECT w.id, w.name, g.name, s2.city FROM wide w JOIN regions g ON w.category = g.id
        JOIN stores s2 ON s2.id = w.store JOIN wide w2 ON w2.id = w.id""",
    "a cte twice": f"""
        WITH wide AS (SELECT o.id, o.customer, i.category, s.region FROM {_JOINED})
        SELECT x.id, y.id FROM wide x JOIN wide y ON x.customer = y.customer AND x.category = 1 AND y.category = 2
        JOIN regions g ON g.id = x.region""",
    "a cte of rand": """
        WITH drawn AS (SELECT o.id, o.customer, o.item, rand(3) AS r FROM orders o JOIN items i ON o.item = i.id
        JOIN stores s ON o.store = s.id)
        SELECT x.id, x.r = y.r FROM drawn x JOIN drawn y ON x.id = y.id JOIN customers c ON c.id = x.customer""",
    "rand in an item": """
        SELECT x.id, x.r, i.brand FROM (SELECT id, item, store, customer, rand(5) AS r FROM orders) x
        JOIN items i ON x.item = i.id JOIN stores s ON x.store = s.id JOIN customers c ON c.id = x.customer WHERE x.r > 0.2""",
    "rand above the joins": f"SELECT o.id, c.name FROM {_JOINED} WHERE rand() >= 0 AND length(uuid()) = 36",
    "rand between the joins": """
        SELECT x.id, g.name FROM (SELECT o.id, s.region FROM orders o JOIN items i ON o.item = i.id
        JOIN stores s ON o.store = s.id WHERE rand() >= 0) x JOIN regions g ON x.region = g.id
        JOIN customers c ON c.region = g.id""",
    "rand in a selected column between the joins": """
        SELECT x.id, g.name, x.r BETWEEN 0 AND 1 FROM (SELECT o.id, s.region, rand() AS r FROM orders o JOIN items i
        ON o.item = i.id JOIN stores s ON o.store = s.id) x JOIN regions g ON x.region = g.id
        JOIN customers c ON c.region = g.id""",
    "number of the row in an item": """
        SELECT x.n, i.brand, c.name FROM (SELECT monotonically_increasing_id() AS n, item, customer, store FROM orders) x
        JOIN items i ON x.item = i.id JOIN customers c ON x.customer = c.id JOIN stores s ON s.id = x.store""",
    "aggregates as items": """
        SELECT c.name, t.total, r.back, g.name FROM (SELECT customer, sum(qty) AS total FROM orders GROUP BY customer) t
        JOIN customers c ON c.id = t.customer JOIN (SELECT o.customer, count(*) AS back FROM returned r JOIN orders o
        ON r.order_id = o.id JOIN items i ON i.id = r.item GROUP BY o.customer) r ON r.customer = c.id
        JOIN regions g ON g.id = c.region""",
    "distinct items": """
        SELECT o.id, d.customer FROM (SELECT DISTINCT customer, item FROM orders) d JOIN orders o ON o.item = d.item
        JOIN items i ON i.id = d.item JOIN customers c ON c.id = d.customer WHERE o.qty = 1""",
    "limited items": """
        SELECT o.id, t.id FROM (SELECT id, category FROM items WHERE id IS NOT NULL ORDER BY id, price LIMIT 9) t
        JOIN orders o ON o.item = t.id JOIN customers c ON c.id = o.customer JOIN regions g ON g.id = t.category""",
    "windows as items": """
        SELECT x.id, x.k, c.name FROM (SELECT id, customer, item, rank() OVER (PARTITION BY item ORDER BY id) AS k
        FROM orders) x JOIN customers c ON c.id = x.customer JOIN items i ON i.id = x.item JOIN regions g
        ON g.id = c.region WHERE x.k <= 3""",
    "windows above": f"""
        SELECT o.id, rank() OVER (PARTITION BY c.region ORDER BY o.qty, o.id) AS k, sum(o.qty) OVER (PARTITION BY i.id)
        FROM {_JOINED}""",
    "rollup": f"""
        SELECT c.region, i.category, count(*), sum(o.qty), count(DISTINCT s.city) FROM {_JOINED}
        GROUP BY ROLLUP (c.region, i.category)""",
    "having with a join": f"""
        SELECT c.region, max(o.price) FROM {_JOINED} GROUP BY c.region HAVING max(o.price) > (SELECT avg(price) FROM items)""",
    "union of blocks alike": f"""
        SELECT o.id, c.name FROM {_JOINED} WHERE o.qty = 1 UNION ALL SELECT o.id, c.name FROM {_JOINED} WHERE o.qty = 2
        UNION ALL SELECT o.id, i.brand FROM {_JOINED} WHERE i.category = 3""",
    "union as an item": """
        SELECT u.k, i.brand, g.name FROM (SELECT item AS k, qty FROM orders UNION ALL SELECT item, qty FROM returned) u
        JOIN items i ON i.id = u.k JOIN regions g ON g.id = u.qty JOIN stores s ON s.region = g.id""",
    "intersect and except": f"""
        SELECT o.item FROM {_JOINED} INTERSECT SELECT r.item FROM returned r JOIN items i ON r.item = i.id
        JOIN regions g ON g.id = i.category EXCEPT SELECT id FROM items WHERE category = 4""",
    "hint of the user's": f"""
        SELECT /*+ BROADCAST(i), MERGE(s) */ o.id, c.name, g.name FROM {_JOINED} JOIN regions g ON s.region = g.id""",
    "hint of the user's inside": """
        SELECT x.id, g.name, s.city FROM (SELECT /*+ SHUFFLE_HASH(c) */ o.id, o.store, c.region FROM orders o
        JOIN customers c ON o.customer = c.id JOIN items i ON i.id = o.item) x JOIN regions g ON g.id = x.region
        JOIN stores s ON s.id = x.store""",
    "partition hint": """
        SELECT o.id, i.brand, c.name FROM (SELECT /*+ REPARTITION(3, item) */ * FROM orders) o JOIN items i
        ON o.item = i.id JOIN customers c ON c.id = o.customer JOIN stores s ON s.id = o.store""",
    "values as an item": f"""
        SELECT o.id, v.word FROM {_JOINED} JOIN VALUES (1, 'one'), (2, 'two'), (2, NULL), (NULL, 'none') AS v(k, word)
        ON v.k = i.category JOIN range(0, 9, 1, 2) n ON n.id = o.qty""",
    "an empty item": f"SELECT o.id, x.id FROM {_JOINED} JOIN (SELECT * FROM regions WHERE id > 100) x ON x.id = c.region",
    "an item of one row": f"""
        SELECT o.id, x.top FROM {_JOINED} CROSS JOIN (SELECT max(id) AS top FROM regions) x
        JOIN regions g ON g.id = x.top - i.category""",
    "struct keys": """
        SELECT o.id, i.brand FROM orders o JOIN items i ON named_struct('a', o.item, 'b', o.qty) =
        named_struct('a', i.id, 'b', i.category) JOIN stores s ON s.id = o.store JOIN customers c ON c.id = o.customer""",
    "double keys": """
        SELECT o.id, i.brand FROM orders o JOIN items i ON o.item = i.id JOIN items i2 ON i2.price = i.price
        JOIN (SELECT cast(id AS double) AS d, name FROM regions UNION ALL SELECT double('NaN'), 'nan') g
        ON g.d = cast(i.category AS double) JOIN stores s ON s.id = o.store""",
    "several keys between two": """
        SELECT o.id, r.qty FROM orders o JOIN returned r ON o.id = r.order_id AND o.item = r.item JOIN items i
        ON i.id = r.item AND i.id = o.item JOIN customers c ON c.id = o.customer""",
    "partition pruning": """
        CREATE OR REPLACE TEMP VIEW west AS SELECT * FROM regions WHERE name = 'west';
        SELECT d.id, w.name, i.brand FROM dated d JOIN west w ON d.qty = w.id JOIN items i ON i.id = d.item
        JOIN stores s ON s.id = d.store JOIN customers c ON c.id = d.customer""",
    "order and limit": f"SELECT o.id, c.id AS k FROM {_JOINED} ORDER BY o.id, c.id, i.price, s.city LIMIT 25",
}

# Statements of which each needs a name of its own for what it writes: `{name}` is one.
WRITING_PROGRAMS: dict[str, str] = {
    "create table as select": f"""
        CREATE TABLE {{name}} USING parquet AS SELECT o.id, c.name, i.brand, s.city FROM {_JOINED};
        SELECT * FROM {{name}}""",
    "insert": f"""
        CREATE TABLE {{name}} (id bigint, name string, total bigint) USING parquet;
        INSERT INTO {{name}} SELECT o.id, c.name, count(*) FROM {_JOINED} JOIN regions g ON g.id = c.region GROUP BY o.id, c.name;
        INSERT INTO {{name}} SELECT o.id, c.name, i.category FROM {_JOINED} JOIN {{name}} t ON t.id = o.id;
        SELECT * FROM {{name}}""",
}
