"""As whom a job writes, and whether that is who writes here."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tuner.loop.hadoop_user import named_user, ticket_holder, writes_as


def cache(version: int, *parts: str) -> bytes:
    """A credential cache without tickets, as MIT's krb5 writes it."""

    def text(value: str) -> bytes:
        return struct.pack(">I", len(value)) + value.encode()

    header = struct.pack(">HHHii", 12, 1, 8, 0, 0) if version == 4 else b""
    return (
        bytes((5, version)) + header + struct.pack(">II", 1, len(parts)) + b"".join(map(text, ("CORP.EXAMPLE", *parts)))
    )


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("parts", [("svc_airflow",), ("svc_airflow", "worker.example")])
@pytest.mark.parametrize("prefix", ["FILE:", ""])
def test_a_tickets_holder_writes_here(tmp_path: Path, version: int, parts: tuple[str, ...], prefix: str) -> None:
    (tmp_path / "krb5cc").write_bytes(cache(version, *parts))
    environ = {"KRB5CCNAME": f"{prefix}{tmp_path / 'krb5cc'}"}
    assert ticket_holder(environ) == "svc_airflow"
    assert writes_as("svc_airflow", environ)
    assert not writes_as("etl", environ)


@pytest.mark.parametrize(
    "broken", [b"", b"\x05", b"\x05\x04\xff\xff", b"\x04\x03 what else", cache(4, "svc")[:-1], cache(3)]
)
def test_what_is_no_cache_of_a_file_has_no_holder(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "krb5cc").write_bytes(broken)
    assert ticket_holder({"KRB5CCNAME": str(tmp_path / "krb5cc")}) == ""
    assert ticket_holder({"KRB5CCNAME": "KEYRING:persistent:0"}) == ""
    assert ticket_holder({"KRB5CCNAME": str(tmp_path)}) == ""


def test_who_hadoop_is_told_to_be_writes_here(tmp_path: Path) -> None:
    environ = {"HADOOP_USER_NAME": "me", "KRB5CCNAME": str(tmp_path / "none")}
    assert writes_as("me", environ)
    assert not writes_as("root", environ)


@pytest.mark.parametrize(
    ("runs_as", "conf", "named"),
    [
        ("etl", {"spark.kerberos.principal": "other@X"}, "etl"),
        ("", {"spark.kerberos.principal": "etl/host@X"}, "etl"),
        ("", {"spark.yarn.principal": "etl@X"}, "etl"),
        ("", {"spark.yarn.appMasterEnv.HADOOP_USER_NAME": "etl"}, "etl"),
        ("", {"spark.kubernetes.driverEnv.HADOOP_USER_NAME": "etl"}, "etl"),
        ("", {"spark.app.name": "etl"}, ""),
    ],
)
def test_whom_a_job_is_said_to_be(runs_as: str, conf: dict[str, str], named: str) -> None:
    assert named_user(runs_as, conf) == named
