"""What the agent takes for an expression that raises no error raises none of extreme values; what may is not taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import AT_LENGTH

pytestmark = [pytest.mark.spark]
_APP = Path(__file__).with_name("never_fails_app.py")


def _split(expressions: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in expressions.split(";"))


TOTAL = _split("""
upper(s); lower(s); trim(s); ltrim(t); length(s); substring(s, i, i); substr(s, -3); s LIKE '%a_'; startswith(s, t);
contains(s, t); s IN ('a', t); s < t; greatest(s, t); coalesce(s, t); nullif(d, 0); year(ts); hour(ts); second(ts);
quarter(dt); weekofyear(dt); dayofyear(dt); weekday(dt); month(dt); date_add(dt, i); date_sub(dt, i); datediff(dt, dt);
cast(ts AS date); cast(dt AS string); cast(d AS string); cast(w AS string); cast(i AS decimal(12, 2));
cast(m AS double); cast(l AS float); d / 2; d * d; m + m; m * 3; isnan(d); nanvl(d, 1); named_struct('x', s).x;
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
rpad(s, 9, ' '); tan(d); asin(d); acos(d); atan(d); radians(d); expm1(d); log2(d); log1p(d)
""")
RISKY = _split("""
concat(a, a); replace(s, 'a', 'bcd'); replace(s, t, ''); round(i, -1); round(n, 0); floor(d); abs(i); s RLIKE t;
s RLIKE '(a|b)*'; regexp_replace(s, 'a', '$0'); regexp_replace(s, '([a-z])*', ''); date_format(ts, s);
date_format(ts, 'MMMM'); date_format(dt, 'dd'); date_trunc('MONTH', ts); cast(s AS int); i + i
""")


ASKED = TOTAL if AT_LENGTH else TOTAL[::3]


@pytest.fixture(scope="module")
def told(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[str | None, list[str]]]:
    work = tmp_path_factory.mktemp("never-fails")
    asked, report = work / "asked.json", work / "report.json"
    asked.write_text(json.dumps([*ASKED, *RISKY]), encoding="utf-8")
    spark_submit(_APP, asked, report, log_dir=work / "logs", conf=agent_conf)
    found: dict[str, tuple[str | None, list[str]]] = json.loads(report.read_text(encoding="utf-8"))
    return found


def test_what_is_taken_for_it_raises_no_error(told: dict[str, tuple[str | None, list[str]]]) -> None:
    assert {one: told[one] for one in ASKED if told[one] != [None, []]} == {}


def test_what_may_fail_is_not_taken_for_it(told: dict[str, tuple[str | None, list[str]]]) -> None:
    assert [one for one in RISKY if told[one][0] is None] == []
