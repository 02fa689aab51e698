"""What the agent takes for an expression that raises no error raises none of extreme values, under ANSI and without; what may is
not taken for one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import AT_LENGTH
from tuner.steering.agent.sources import DIRECTORY

pytestmark = [pytest.mark.spark]
_APP = Path(__file__).with_name("never_fails_app.py")
_NEVER_FAILS = DIRECTORY / "NeverFails.java"


def _split(expressions: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in expressions.split(";"))


TOTAL = _split("""
upper(s); lower(s); trim(s); ltrim(t); length(s); substring(s, i, i); substr(s, -3); s LIKE '%a_'; startswith(s, t);
contains(s, t); s IN ('a', t); s < t; greatest(s, t); coalesce(s, t); nullif(d, 0); year(ts); hour(ts); second(ts);
quarter(dt); weekofyear(dt); dayofyear(dt); weekday(dt); month(dt); date_add(dt, i); date_sub(dt, i); datediff(dt, dt);
cast(ts AS date); cast(dt AS string); cast(d AS string); cast(w AS string); cast(i AS decimal(12, 2));
cast(i / 100 AS decimal(16, 2)); cast(l / 100 AS decimal(21, 2)); cast(i / -1 AS decimal(10, 0));
cast(cast(i AS bigint) / 2 AS decimal(12, 2)); cast(m AS double); cast(l AS float);
d / 2; d * d; m + m; m * 3; isnan(d); nanvl(d, 1); named_struct('x', s).x;
xxhash64(s, d, dt); -d; m % 7; i % 7; CASE WHEN i > 0 THEN s END; concat(s, t); s || ' ' || t || s;
concat_ws('|', s, t, array(s, t)); initcap(s); reverse(s); instr(s, t); locate(t, s, i); translate(s, 'ab', 'x');
ascii(s); replace(s, 'ab', 'c'); md5(s); sha(s); sha2(s, i); crc32(s); md5(concat_ws('|', s, cast(i AS string)));
hash(s, d, a); i & l; i | i; l ^ l; ~i; shiftleft(l, i); shiftright(i, i); bit_count(l); sqrt(d); cbrt(d); exp(d);
ln(d); log10(d); log(2, d); power(d, d); sign(d); sin(d); atan2(d, d); degrees(d); rint(d); floor(l); floor(m);
ceil(w); floor(n); ceil(l); round(d, 2); round(m, 1); round(w, 2); bround(m, 0); round(m, -3); size(a);
array_contains(a, i); arrays_overlap(a, array(i, 1)); map_keys(mp); map_values(mp); s RLIKE '^[a-z]+ *$';
regexp_replace(s, '[^0-9]', ''); regexp_replace(s, 'a*', '-'); date_format(ts, 'yyyyMM');
date_format(ts, 'yyyy-MM-dd HH:mm:ss');
rtrim(s); endswith(s, t); octet_length(s); bit_length(s); minute(ts); day(dt); shiftrightunsigned(l, i); cos(d);
rpad(s, 9, ' '); tan(d); asin(d); acos(d); atan(d); radians(d); expm1(d); log2(d); log1p(d); lpad(s, 18, '0'); mp['a'];
trunc(dt, 'MM'); trunc(dt, 'week'); trunc(dt, 'YEAR'); last_day(dt); cast(ts AS string); cast(ts AS bigint);
cast(ts AS double); cast(i AS boolean); cast(d AS boolean); cast((s = t) AS int); substring_index(s, ' ', -1);
split(s, ' '); regexp_extract(s, '([a-z]+) ([a-z])', 2); s RLIKE '^(a|ab) '; get_json_object(s, '$.a[0]'); from_unixtime(l);
get_json_object(s, '$[*].b[999]');
transform(array(a, a), x -> transform(x, y -> lpad(y, 18, '0')));
s RLIKE '^.{2,400}b{1,}';
unix_timestamp(ts); unix_seconds(ts); unix_millis(ts); unix_micros(ts); unix_date(dt); map_entries(mp).key;
array_position(a, 1); array_min(a); array_max(a); array_distinct(a); array_intersect(a, array(1, i)); array_except(a, array(i));
array_remove(a, 1); sort_array(a); filter(a, x -> x > i); transform(a, x -> x % 7); exists(a, x -> x > 1);
forall(a, x -> x > 1); array_compact(a); array_join(array(s, t), ','); m - m; abs(m); abs(d); d - d; dayofweek(dt); i div 2;
pmod(i, 7); least(s, t); s <=> t; s <= t OR s >= t; i > 0 AND l < 0; s IS NULL; NOT (s IS NULL);
t IS NOT NULL; array_max(map_entries(mp)).key;
i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
""")
# Windows by floating point are by what Spark makes of it.
WINDOWS = tuple(
    f"{function} OVER (PARTITION BY d ORDER BY ts{frame})"
    for function, frame in (
        *((f"{one}()", "") for one in _split("row_number; rank; dense_rank; percent_rank; cume_dist")),
        *((one, "") for one in _split("ntile(3); lag(s); lead(s, 2); nth_value(s, 2); max_by(s, i)")),
        ("sum(m % 7)", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"),
        ("count(s)", " ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING"),
    )
)
# But for sums that leave their type: those raise errors of the same rows in every order.
OF_GROUPS = _split("""
count(DISTINCT s); sum(m % 7); avg(d); min(s); max(ts); first(s); last(s); collect_list(i); collect_set(s); stddev(d);
stddev_pop(d); var_samp(d); var_pop(d); approx_count_distinct(s); max_by(s, ts); min_by(s, d); percentile(d, 0.5);
percentile_approx(d, 0.5); covar_samp(d, d); covar_pop(d, d); bit_and(i); bit_or(i); bit_xor(i); any_value(s);
every(s = t); median(d); count_if(s = t); percentile(d, 0.5, 2); covar_samp(i, 1); var_samp(i % 1)
""")
GENERATED = (
    "extremes LATERAL VIEW OUTER explode(a) x AS x LATERAL VIEW OUTER posexplode(mp) y AS y, k, v "
    "LATERAL VIEW OUTER inline(array(named_struct('z', s))) z AS z"
)
PIVOT = "(SELECT dt, i, d FROM extremes) PIVOT (max(d) AS m, count(d) AS n FOR i IN (0 AS a, 1 AS b))"
BY_SOURCE = {
    "extremes": (*TOTAL, *WINDOWS),
    "extremes GROUP BY dt": OF_GROUPS,
    GENERATED: ("hash(x, y, k, v, z)",),
    PIVOT: ("hash(a_m, a_n, b_m, b_n)", "b_n"),
    "dropped": ("upper(s) AS u, s",),
}
# What raises errors under ANSI alone.
WITHOUT_ANSI = _split("""
cast(s AS int); cast(s AS date); cast(s AS timestamp); cast(s AS double); cast(s AS boolean);
cast(d AS int); cast(d AS decimal(12, 2)); cast(w AS int); cast(l AS tinyint); cast(l AS timestamp); cast(d AS timestamp);
cast(n AS timestamp); cast(n AS decimal(12, 2)); cast(l / 100 AS decimal(16, 2)); cast(i / 0.5D AS decimal(12, 2));
cast(d / 100 AS decimal(38, 2)); i + i; i - l; l * l; n + n; w - n; w * w; -l; abs(i); i / i; d / d; m / m;
n / w; i div l; l div i; i % l; d % d; w % w; pmod(l, i); pmod(d, d); pmod(w, w); w div w; a[i]; element_at(mp, 'a');
element_at(a, -1)
""")
RISKY = _split("""
concat(a, a); replace(s, 'a', 'bcd'); replace(s, t, ''); round(i, -1); round(n, 0); floor(d); s RLIKE t;
s RLIKE '(a|b)*'; regexp_replace(s, 'a', '$0'); regexp_replace(s, '([a-z])*', ''); date_format(ts, s);
date_format(ts, 'MMMM'); date_format(dt, 'dd'); date_trunc('MONTH', ts); trunc(dt, 'QUARTER'); trunc(dt, s); add_months(dt, 1);
months_between(dt, dt); cast(dt AS timestamp); lpad(s, i, '0'); substring_index(s, t, i); split(s, t);
regexp_extract(s, 'a', 1); regexp_extract(s, '(a|b)+', 0); s RLIKE '(?:a|b)'; get_json_object(s, t); from_unixtime(l, s);
n % m; pmod(n, m); n div m;
get_json_object(s, '$[40000]'); get_json_object(s, '$[*][*]'); get_json_object(s, '$[*].b[ * ]');
transform(array(a, a), x -> transform(x, y -> x)); transform(a, x -> lpad(x, 9999, ' '));
cast(s AS decimal(38, 18));
element_at(a, -2147483648);
s RLIKE '^.{1,30000}$'; s RLIKE '\\\\R+b'; s RLIKE '\\\\X';
unix_timestamp(dt); transform(a, x -> s); array_join(array(s, s), t); element_at(a, 0); element_at(a, i)
""")
RISKY_OF_GROUPS = _split("corr(i, 1); skewness(i % 2 * 1e-100D); kurtosis(i % 2 * 1e-100D); percentile(d, 0.5, i)")
# Of these formats by rules of before Spark 3 is nothing known.
BY_FORMAT = _split("date_format(ts, 'yyyyMM'); from_unixtime(l)")
_ANSI = "spark.sql.ansi.enabled"
SETTINGS = {
    "ANSI": {_ANSI: "true"},
    "no ANSI": {_ANSI: "false"},
    "formats of before": {_ANSI: "true", "spark.sql.legacy.timeParserPolicy": "LEGACY"},
}
_ALLOWED = re.compile(r'allow\("([^"]+)"\)')
# In no plan of these: what other Sparks have, what is gone once a plan is optimised, and what stands in subqueries.
_ELSEWHERE = _split(
    "OuterReference; InSubquery; KnownNotNull; KnownNullable; PromotePrecision; UnaryPositive; UnspecifiedFrame$"
)
_EVERY = 1 if AT_LENGTH else 10
Told = dict[str, dict[str, tuple[str | None, list[str]]]]


@dataclass(frozen=True, slots=True)
class Report:
    """By setting, what of each expression may fail, and what it raised; beside that the names in plans."""

    told: Told
    met: frozenset[str]


@pytest.fixture(scope="module")
def report(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Report:
    work = tmp_path_factory.mktemp("never-fails")
    asked, found = work / "asked.json", work / "report.json"
    groups = "extremes GROUP BY dt"
    every = {
        **BY_SOURCE,
        "extremes": (*BY_SOURCE["extremes"], *WITHOUT_ANSI, *RISKY),
        groups: (*BY_SOURCE[groups], *RISKY_OF_GROUPS),
    }
    wanted = {name: {"conf": conf, "by_source": every} for name, conf in SETTINGS.items()}
    wanted["formats of before"]["by_source"] = {"extremes": BY_FORMAT}
    asked.write_text(json.dumps(wanted), encoding="utf-8")
    spark_submit(_APP, asked, _EVERY, found, log_dir=work / "logs", conf=agent_conf)
    report = json.loads(found.read_text(encoding="utf-8"))
    return Report(report["told"], frozenset(report["met"]))


@pytest.mark.parametrize("setting", ["ANSI", "no ANSI"])
def test_what_is_taken_for_it_raises_no_error(report: Report, setting: str) -> None:
    told = report.told[setting]
    total = [*(one for some in BY_SOURCE.values() for one in some), *(WITHOUT_ANSI if setting == "no ANSI" else ())]
    assert {one: told[one] for one in total if told[one] != [None, []]} == {}


@pytest.mark.parametrize("setting", ["ANSI", "no ANSI"])
def test_what_may_fail_is_not_taken_for_it(report: Report, setting: str) -> None:
    risky = [*RISKY, *RISKY_OF_GROUPS, *(WITHOUT_ANSI if setting == "ANSI" else ())]
    assert [one for one in risky if report.told[setting][one][0] is None] == []


def test_formats_by_rules_of_before_are_not_taken_for_it(report: Report) -> None:
    assert [one for one in BY_FORMAT if report.told["formats of before"][one][0] is None] == []


def test_each_that_is_taken_for_it_is_asked(report: Report) -> None:
    allowed = {name for names in _ALLOWED.findall(_NEVER_FAILS.read_text(encoding="utf-8")) for name in names.split()}
    assert allowed - report.met == set(_ELSEWHERE)
