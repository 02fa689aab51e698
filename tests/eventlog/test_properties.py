"""What may leave the reader: allow-listed properties, and text without secrets."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tuner.eventlog.properties import allowed, redact

from .least_seconds import least_seconds
from .samples import (
    application_end,
    application_start,
    environment,
    event,
    execution_end,
    execution_start,
    log_start,
    read,
    stage_completed,
    write,
)

SECRET = "hunter2Xq9"
# What people put where Spark's redaction does not look.
TEXTS = [
    f"jdbc:postgresql://etl:{SECRET}@db.example.org:5432/sales",
    f"jdbc:postgresql://db.example.org/sales?user=etl&password={SECRET}&ssl=true",
    f"jdbc:oracle:thin:etl/{SECRET}@//db.example.org:1521/sales",
    f"jdbc:sqlserver://db.example.org;user=etl;password={SECRET};encrypt=true",
    f"mysql://etl:{SECRET}@with@sign@db/sales",
    f"cannot reach s3a://AKIAABCDEFGHIJKLMNOP:{SECRET}@bucket/path",
    f"spark.hadoop.fs.s3a.secret.key={SECRET}",
    f"fs.s3a.access.key = {SECRET}, region=eu",
    f"fs.azure.account.key.lake.dfs.core.windows.net={SECRET}==",
    f"https://lake.blob.core.windows.net/c/f?sv=2022&sig={SECRET}&se=1",
    f"app.py --api-token {SECRET} --day 2024-01-01",
    f"app.py --token={SECRET}",
    f"app.py --db-password '{SECRET}'",
    f"Authorization: Bearer {SECRET}",
    f"curl -H 'Authorization: Basic {SECRET}'",
    f"failed with token: {SECRET}",
    f'{{"password": "{SECRET}", "user": "etl"}}',
    f"client_secret={SECRET}",
    f"SELECT * FROM users WHERE name = '{SECRET}'",
    f'SELECT * FROM users WHERE name = "{SECRET}"',
    f"select * from t where a = 'it''s' and b = '{SECRET}'",
    f"select * from t where a = r'{SECRET}' and b = 1",
    f"Can't find the user '{SECRET}' in the users' table",
    f"select * from t where a = '{SECRET}",
    f"select * from t where a LIKE'{SECRET}' and b = 1",
    f"[PARSE_SYNTAX_ERROR] near: case when a then'{SECRET}' else'{SECRET}' end",
    f"KeyError: b'{SECRET}'",
    f"jdbc:postgresql://etl:{SECRET[:5]}/{SECRET}@db.example.org/sales",
    f"'{'x' * 3900}' then s3a://{'y' * 50}{SECRET * 20}@bucket",
    f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----",
    f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}",
    f"called with eyJhbGciOiJIUzI1NiJ9.{SECRET}.{SECRET}",
    f"https://b.s3.amazonaws.com/k?X-Amz-Credential={SECRET}&X-Amz-Signature={SECRET}&X-Amz-Security-Token={SECRET}",
    f"insert into t values ('{'x' * 3990}{SECRET}')",
    f"select '{'x' * 5000}', '{SECRET}'",
    f"password=abc,{SECRET};{SECRET} x",
    f"login failed (pwd: ab)c&{SECRET}, user etl)",
    f"jdbc:sqlserver://db;user=etl;password={{a;b}}}}c {SECRET}}};encrypt=true",
    f"app.py --db-password a,b;{SECRET} --day 2024-01-01",
    f"CREATE USER etl IDENTIFIED BY {SECRET}",
    f"alter user etl identified by ab,{SECRET};",
    f"Basic {SECRET}==",
    f"header was basic ZXRsO{SECRET}",
    f"{' ' * 4500}s3a://etl:{SECRET}@bucket",
    f"{' ' * 4980}s3a://etl:{SECRET}@bucket",
    f"a://b:c s3a://etl:a://{SECRET}@bucket",
    f"jdbc:oracle:thin:x jdbc:oracle:thin:etl/{SECRET}@host",
    f"x-eyJhbGciOiJIUzI1NiJ9.{SECRET}.{SECRET}",
    f"eyJ-x-eyJhbGciOiJIUzI1NiJ9.{SECRET}",
    *(f"Authorization: {scheme} {SECRET}" for scheme in ("Token", "Digest", "negotiate", "ApiKey", "Bearer")),
    *(f"{name} => {SECRET}" for name in ("token", "db.password", "--token")),
    *(f"{name} := {SECRET}" for name in ("password", "api_key", "--password")),
    f"password == {SECRET}",
    f"options: Map(url -> jdbc:h2:mem, password -> {SECRET})",
    f"Map(password->{SECRET})",
    *(f"etl {name}={SECRET}" for name in ("pass", "PASS", "db_pass", "--pass", "dbpass", "PGPASS", "-Ddb.keypass")),
    f"login with pass: {SECRET}",
    f"app.py --pass {SECRET}",
    f"keytool -storepass {SECRET}",
]
# Tokens that their issuers mark.
TOKENS = [
    "AKIAABCDEFGHIJKLMNOP",
    "ASIAABCDEFGHIJKLMNOP",
    "dapi0123456789abcdef0123456789abcdef",
    "dapi0123456789abcdef0123456789abcdef-2",
    *(f"{prefix}_{'a1B2' * 9}" for prefix in ("ghp", "gho", "ghs", "ghu", "ghr")),
    f"github_pat_{'a1B2' * 5}_{'c3D4' * 10}",
    f"glpat-{'a1-B' * 5}",
    *(f"xox{kind}-123456789012-{'a1B2' * 6}" for kind in "abprs"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_secrets_do_not_show_in_text(text: str) -> None:
    assert SECRET not in redact(text)
    assert SECRET not in redact(text, limit=10_000)


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_that_its_issuer_marks_does_not_show(token: str) -> None:
    assert redact(f"cannot clone https://host/x with {token}, 3 tries") == "cannot clone https://host/x with ?, 3 tries"
    assert token not in redact(f"cannot clone x_{token}")


@pytest.mark.parametrize("text", TEXTS)
def test_secrets_show_nowhere_in_an_application(tmp_path: Path, text: str) -> None:
    properties = {
        "spark.app.name": text,
        "spark.master": f"spark://etl:{SECRET}@host:7077",
        "spark.hadoop.fs.s3a.secret.key": SECRET,
        "spark.redshift.password": SECRET,
        "spark.executor.extraJavaOptions": f"-Dtoken={SECRET}",
        "spark.app.submitArgs": f"--token {SECRET}",
        "spark.sql.shuffle.partitions": "8",
    }
    lines = [
        log_start(),
        application_start(name=text),
        event(
            "SparkListenerEnvironmentUpdate", Spark_Properties=properties, System_Properties={"sun.java.command": text}
        ),
        execution_start(description=text, modifiedConfigs=properties),
        stage_completed(failure=text),
        event("SparkListenerTaskEnd", Stage_ID=text),
        execution_end(error=text),
        application_end(),
    ]
    application = read(write(tmp_path / "local-1", lines))
    assert SECRET not in repr(application)
    assert application.executions[0].description
    assert application.conf["spark.sql.shuffle.partitions"] == "8"


def test_only_listed_properties_are_kept_and_as_they_are() -> None:
    kept = {
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.shuffle.partitions": "200",
        "spark.tuner.cohort": "sales.load password=1",
        "spark.tuner.key": "a/b/1",
    }
    dropped = {"spark.sql.shuffle.partitions.old": "1", "spark.yarn.keytab": "x", "SPARK.MASTER": "y", "": "z"}
    assert allowed({**dropped, **kept}) == kept
    assert allowed({"spark.executor.cores": 4, "spark.sql.cbo.enabled": True}) == {
        "spark.executor.cores": "4",
        "spark.sql.cbo.enabled": "True",
    }


def test_properties_of_a_later_environment_win(tmp_path: Path) -> None:
    lines = [log_start(), application_start(), environment(**{"spark.executor.cores": "2"}), application_end()]
    path = write(tmp_path / "a", [*lines[:-1], environment(**{"spark.executor.cores": "4"}), lines[-1]])
    assert read(path).conf["spark.executor.cores"] == "4"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("count at app.py:12", "count at app.py:12"),
        ("query72", "query72"),
        ("Delta: update 17 of 20 files", "Delta: update 17 of 20 files"),
        ("two\n  lines\tand tabs", "two lines and tabs"),
        ("don't", "don't"),
        ("select * from t where id = 4711 and d >= 2.5", "select * from t where id = ? and d >= ?"),
        ("with x1 as (select 1 as n) select n from x1", "with x1 as (select ? as n) select n from x1"),
        ("-- report\nSELECT 'a', 5", "SELECT '?', ?"),
        ("-- Metabase:: queryHash: 4f\n\n-- it's\nselect 5 -- x", "select ? -- x"),
        ('/* {"app": "dbt"} */ create table shop.orders as select 7', "create table shop.orders as select ?"),
        ("/* a */ (select 7)", "(select ?)"),
        ("-- report of 7 days", "-- report of 7 days"),
        ("from sales |> where id = 4711", "from sales |> where id = ?"),
        ("FROM sales INSERT INTO a SELECT x WHERE y = 7", "FROM sales INSERT INTO a SELECT x WHERE y = ?"),
        ("table sales |> limit 7", "table sales |> limit ?"),
        ("BEGIN DELETE FROM t WHERE id = 4711; END", "BEGIN DELETE FROM t WHERE id = ?; END"),
        ("night: begin\n  set x = 7;\nend night", "night: begin set x = ?; end night"),
        ("/* a tag */ begin update t set x = 7; end", "begin update t set x = ?; end"),
        ("execute immediate concat('select ', x) using 4711", "execute immediate concat('?', x) using ?"),
        ("declare customer int default 4711", "declare customer int default ?"),
        ("declare or replace customer = 4711", "declare or replace customer = ?"),
        ("set var customer = 4711", "set var customer = ?"),
        ("SET spark.sql.shuffle.partitions=8", "SET spark.sql.shuffle.partitions=?"),
        ("cache lazy table t as from s where id = 4711", "cache lazy table t as from s where id = ?"),
        ("alter table t drop partition (id = 4711)", "alter table t drop partition (id = ?)"),
        ("call lake.system.rollback_to_snapshot('t', 4711)", "call lake.system.rollback_to_snapshot('?', ?)"),
        ("explain select 7", "explain select ?"),
        ("explain formatted from t |> limit 7", "explain formatted from t |> limit ?"),
        ("cache 17 files", "cache 17 files"),
        ("from 2024 to 2025: 12 months", "from 2024 to 2025: 12 months"),
        ("table 3 of 7", "table 3 of 7"),
        ("begin batch 3", "begin batch 3"),
        ("Execute step 3 of 7", "Execute step 3 of 7"),
        ("set 3 of 7, day = 5", "set 3 of 7, day = 5"),
        ("call 3 of 7 (again)", "call 3 of 7 (again)"),
        ("explain step 3", "explain step 3"),
        ("local[2]", "local[2]"),
        ("spark://host:7077", "spark://host:7077"),
        ("basic statistics of all tables, basic v2", "basic statistics of all tables, basic v2"),
        ("login(token=abc), retried", "login(token=?), retried"),
        ("http://host:80/a, b://c:d e@f", "http://host:80/a, b://c:d e@f"),
        ("jdbc:oracle:thin:x y@z", "jdbc:oracle:thin:x y@z"),
        ("a-eyJ-eyJhbGciOiJIUzI1NiJ9 b.c", "a-eyJ-eyJhbGciOiJIUzI1NiJ9 b.c"),
        ("jdbc:sqlserver://db;password={a;b};encrypt=true", "jdbc:sqlserver://db;password=?;encrypt=true"),
        ("https://h/f?sv=2&sig=ab,c&se=1", "https://h/f?sv=2&sig=?&se=1"),
        ("token=ab;c, region=eu;", "token=?, region=eu;"),
        ("pass through 3 stages", "pass through 3 stages"),
        ("bypass=true, compass: north, pass_count = 3", "bypass=true, compass: north, pass_count = 3"),
        ("encompass=3, surpass: 2, byPass=1, trespass=0", "encompass=3, surpass: 2, byPass=1, trespass=0"),
        ("the second pass of dapi, ghp_ and glpat-x", "the second pass of dapi, ghp_ and glpat-x"),
        ("a -> b, n => 5", "a -> b, n => 5"),
    ],
)
def test_text_that_is_no_secret_stays(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_text_is_short() -> None:
    assert redact("word " * 1000) == ("word " * 40)[:199] + "…"
    assert len(redact("word " * 1000, limit=50)) == 50


@pytest.mark.parametrize(
    "part",
    [
        *("a", "a-", "password", "password-", "-", "--token", "'", "'\\", '"', "a://", "a://a:", "1.", "--\n", "/**/"),
        *(
            "jdbc:oracle:",
            "-----BEGIN PRIVATE KEY-----",
            "eyJ",
            "select ",
            *("from ", "table ", "begin ", "declare ", "set x", "call ", "call a.", "explain ", "a:", "/**/("),
            "password = ",
            "access_",
            "like'",
            "bearer ",
            *(
                "pass",
                "pass ",
                "pass=",
                "password-",
                "password->",
                "password => ",
                "token: token ",
                "dapi",
                "ghp_a",
                "xoxa-",
                "=",
            ),
            *(
                "password={",
                "password={ ",
                "password=a,",
                "password=a, ",
                "sig=,",
                "sig=a,b",
                "basic a",
                "identified by ",
            ),
        ),
    ],
)
def test_text_made_to_be_slow_is_not(part: str) -> None:
    started = time.process_time()
    for before in ("", "x ", "select ", "from ", "set ", "call ", "a :", " " * 4000):
        redact(before + part * 100_000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "part", ["a://:", "a://a:", "a://a:b@c ", "jdbc:oracle:x:", "eyJ-", "eyJ-aaaaaaaaaaa-", "a", "a b "]
)
def test_text_takes_as_long_as_it_is(part: str) -> None:
    short, long = ((part * length)[:length] for length in (4_000, 16_000))
    assert least_seconds(lambda: redact(long, len(long))) < 8 * least_seconds(lambda: redact(short, len(short)))


def test_blank_space_before_a_text_does_not_count() -> None:
    assert redact(" " * 5000 + "two words") == "two words"
    assert redact(" " * 5000 + "word " * 1000) == redact("word " * 1000)


def test_a_property_is_one_short_printable_line() -> None:
    odd = {"spark.executor.memory": "4g\x1b[2J\n", "spark.executor.cores": "9" * 100_000, "spark.task.cpus": {"x": 1}}
    kept = allowed(odd)
    assert kept["spark.executor.memory"] == "4g\ufffd[2J "
    assert len(kept["spark.executor.cores"]) == 1000
    assert "spark.task.cpus" not in kept
