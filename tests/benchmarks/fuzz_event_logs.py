"""Damages real event logs in every way it knows, and checks what reading them must never do.

    python -m tests.benchmarks.fuzz_event_logs --seconds 900 --seed 1 PATH…

Each case is a log, changed and written anew, beside a healthy one. A child process with limits of its own reads both,
from `find_logs` to what `spark-tuner harvest` prints. A case fails that raises, takes too long or too much memory,
loses the healthy log, prints a control character, or calls a log complete that was visibly cut. `--case N` runs one
case of a seed again, and leaves its files at `--keep DIRECTORY`.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from tests.eventlog.framings import FRAMINGS
from tests.eventlog.invariants import is_printable, read_all
from tests.eventlog.samples import whole_log
from tuner.cli.commands.harvest import harvest
from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path, open_log
from tuner.model.application import Completeness

MAX_LOG_BYTES = 3 << 20
SECONDS_PER_CASE = 20
MEMORY_PER_CASE = 1 << 30

Lines = list[bytes]
_PARTS = (
    *("a", "a#", "a#1", "(", "((a AND b) AND ", "[", "a AND ", "cast(", " AS ", "'", '"', "\\", "/*", "a=", "://a:"),
    *(
        "Location: a[",
        "2024-01-01",
        "password",
        "select '",
        "Statistics(sizeInBytes=1",
        "+- Join\n",
        "hashpartitioning(",
    ),
)
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        2**31,
        2**63,
        -(2**63) - 1,
        10**30,
        1e308,
        1.5,
        float("nan"),
        float("inf"),
        "",
        "12",
        "-1",
        "x",
    ),
    *(
        "9" * 5000,
        "1e400",
        [],
        {},
        [[]],
        {"": None},
        [None],
        "\x00",
        "\x1b[2J\x1b]0;x\x07",
        "\x9b2J",
        "\u202eabc",
        "\ud800",
    ),
    *("[red]x[/red]", "[/", "two\nlines\r", "日本語" * 50, "x" * 100_000, ["x"] * 10_000, [1] * 10_000, [{}] * 10_000),
)


@dataclass(frozen=True)
class Case:
    """A changed log, written. `told` says that the reader must see that something is missing."""

    files: tuple[Path, ...]
    did: str
    told: bool


@dataclass(frozen=True)
class Verdict:
    failed: str
    statuses: str
    seconds: float


def load(paths: list[str]) -> list[Lines]:
    """The first lines of each log, so that one case takes a fraction of a second."""
    logs = []
    for path in paths:
        for source in find_logs(log_path(path)):
            with open_log(source.files[0]) as raw, contextlib.suppress(EOFError):
                plain = open_plain(raw, source.files[0].name).read(MAX_LOG_BYTES)
            lines = plain.splitlines(keepends=True)
            if len(lines) > 3 and lines[0].startswith(b"{"):
                logs.append(lines)
    return logs


def hostile_value(rng: random.Random) -> Any:
    if rng.random() < 0.3:
        return rng.choice(_PARTS) * rng.randrange(1, 4000)
    return rng.choice(_VALUES)


def places(value: Any, limit: int = 3000) -> list[tuple[Any, Any]]:
    """The (container, key) pairs of a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < limit:
        current = waiting.pop()
        items = (
            current.items() if isinstance(current, dict) else enumerate(current) if isinstance(current, list) else ()
        )
        for key, inner in items:
            found.append((current, key))
            waiting.append(inner)
    return found


def change_field(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    at = rng.randrange(len(lines))
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(lines[at])
        container, key = rng.choice(places(value))
        if rng.random() < 0.15:
            del container[key]
        else:
            container[key] = hostile_value(rng)
        lines[at] = json.dumps(value, separators=(",", ":")).encode() + b"\n"


def change_text(lines: Lines, rng: random.Random, logs: list[Lines]) -> None:
    """A hostile text where a plan, a description or an error stands."""
    names = (b"simpleString", b"nodeName", b"description", b"errorMessage", b"App Name", b"physicalPlanDescription")
    name = rng.choice(names)
    at = [i for i, line in enumerate(lines) if b'"' + name + b'":"' in line]
    if not at:
        return change_field(lines, rng, logs)
    line = lines[chosen := rng.choice(at)]
    start = line.index(b'"' + name + b'":"') + len(name) + 4
    text = json.dumps(str(hostile_value(rng)))[1:-1].encode()
    cut = line.find(b'"', start) if rng.random() < 0.5 else start
    lines[chosen] = line[:start] + text + line[cut:]
    return None


def drop(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    at = rng.randrange(len(lines))
    del lines[at : at + rng.choice((1, 1, 2, 10, 100))]
    lines or lines.append(b"")


def repeat(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    at = rng.randrange(len(lines))
    lines[at:at] = lines[at : at + rng.choice((1, 1, 5, 100))] * rng.choice((1, 1, 2, 20))


def reorder(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    at = rng.randrange(len(lines))
    part = lines[at : at + rng.choice((2, 10, 1000))]
    rng.shuffle(part)
    lines[at : at + len(part)] = part


def mix(lines: Lines, rng: random.Random, logs: list[Lines]) -> None:
    """Events of another application in between."""
    other = rng.choice(logs)
    start, at = rng.randrange(len(other)), rng.randrange(len(lines) + 1)
    lines[at:at] = other[start : start + rng.choice((1, 10, 1000))]


def renumber(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    """All ids of a kind the same, or out of range."""
    name = rng.choice(
        (b'"Stage ID":', b'"executionId":', b'"accumulatorId":', b'"Index":', b'"Partition ID":', b'"ID":')
    )
    to = rng.choice((b"0", b"1", b"-1", b"4294967296", b"16777215", b"9223372036854775807", b'"7"'))
    for i, line in enumerate(lines):
        if name in line and rng.random() < 0.8:
            head, _, tail = line.partition(name)
            lines[i] = head + name + to + tail.lstrip(b"-0123456789")


def nest(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    depth = rng.choice((100, 450, 520, 5000, 100_000))
    at = rng.randrange(len(lines))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'{"children":[', b"]}")))
    value = opening * depth + (b"1" if opening != b'{"children":[' else b"") + closing * depth
    line = lines[at]
    for name in (b'"sparkPlanInfo":', b'"Properties":', b'"Accumulables":', b'"Timestamp":'):
        if name in line:
            head, _, tail = line.partition(name)
            lines[at] = head + name + value + b',"old":' + tail
            return
    lines[at] = line.rstrip(b"}\n") + b',"x":' + value + b"}\n"


def swell(lines: Lines, rng: random.Random, _: list[Lines]) -> None:
    """One very long line, of a string or of very many small things."""
    count = rng.choice((10_000, 1_000_000))
    event = rng.choice(
        (b"SparkListenerTaskEnd", b"SparkListenerStageCompleted", b"SparkListenerJobStart", b"SparkListenerX")
    )
    fields = (
        b'"Task Info":{"Accumulables":[' + b",".join([b'{"ID":1,"Update":"5","Metadata":"sql"}'] * count) + b"]}",
        b'"Stage Info":{"Accumulables":[' + b",".join([b"{}"] * count) + b"]}",
        b'"Stage IDs":[' + b",".join([b"[]"] * count) + b"]",
        b'"Properties":{"x":"' + b"\\u001b" * count + b'"}',
    )
    lines.insert(rng.randrange(len(lines) + 1), b'{"Event":"' + event + b'",' + rng.choice(fields) + b"}\n")


CHANGES: tuple[Callable[[Lines, random.Random, list[Lines]], None], ...] = (
    *(change_field, change_field, change_field, change_text, change_text, change_text),
    *(drop, repeat, reorder, mix, renumber, nest, swell),
)


def pack(lines: Lines, rng: random.Random) -> tuple[str, bytes]:
    """A log in one of the forms it comes in: the ending of its name, and its bytes."""
    form = rng.choice(("", "", "zstd", "zstd", "gz", "lz4", "snappy", "lzf", "zip"))
    size = rng.choice((1, 50, 1000))
    chunks = [b"".join(lines[i : i + size]) for i in range(0, len(lines), size)]
    if form == "zstd":
        return ".zstd", b"".join(zstandard.compress(chunk, 1) for chunk in chunks)
    if form == "gz":
        return ".gz", gzip.compress(b"".join(chunks), 1)
    if form == "zip":
        into = io.BytesIO()
        with zipfile.ZipFile(
            into, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_STORED))
        ) as archive:
            archive.writestr("local-1", b"".join(chunks))
        return ".zip", into.getvalue()
    if form:
        pieces = [piece[i : i + 30_000] for piece in chunks for i in range(0, len(piece), 30_000)]
        return f".{form}", FRAMINGS[form](pieces)
    return "", b"".join(chunks)


def damage(data: bytes, rng: random.Random) -> tuple[str, bytes]:
    """Bytes that changed on the way."""
    changed = bytearray(data)
    how = rng.choice(("flip", "flip", "flips", "insert", "delete", "zeros", "copy"))
    at = rng.randrange(len(changed) + 1)
    length = min(rng.choice((1, 2, 8, 100, 5000)), len(changed) - at)
    if how in ("flip", "flips"):
        for _ in range(1 if how == "flip" else 20):
            if changed:
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    elif how == "insert":
        changed[at:at] = rng.randbytes(rng.choice((1, 4, 1000)))
    elif how == "delete":
        del changed[at : at + length]
    elif how == "zeros":
        changed[at : at + length] = bytes(length)
    else:
        changed[at:at] = changed[at : at + length]
    return how, bytes(changed)


def write_case(directory: Path, rng: random.Random, logs: list[Lines]) -> Case:
    lines = list(rng.choice(logs))
    did = []
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        change = rng.choice(CHANGES)
        change(lines, rng, logs)
        did.append(change.__name__)
    ending, data = pack(lines, rng)
    did.append(ending or "plain")
    told = False
    if rng.random() < 0.25:
        data = data[: rng.randrange(len(data) + 1)]
        did.append("cut")
        # Only a plain log tells of each cut: in other forms what is cut off may be an empty end of the last frame.
        told = ending == "" and b"SparkListenerApplicationEnd" not in data and "mix" not in did
    elif rng.random() < 0.4:
        how, data = damage(data, rng)
        did.append(how)
    name = rng.choice(("local-1", "local-1", "local-1\x1b[31m", "[red]a", "eventlog_v2_a/events_1_a", "app.inprogress"))
    file = directory / (name + ending if not name.endswith("inprogress") else name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return Case((file,), "+".join(did), told)


def check(directory: Path, case: Case) -> str:
    """What must hold of every case; the statuses it led to."""
    found = read_all(directory)
    healthy = found.pop("healthy")
    assert healthy.status is Completeness.COMPLETE, healthy.problems
    statuses = [application.status.value for application in found.values()]
    assert not (case.told and Completeness.COMPLETE in statuses), "a cut log is called complete"
    check_printed(directory)
    return ",".join(statuses) or "passed over"


def check_printed(directory: Path) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), contextlib.suppress(BaseException):
        harvest([str(directory)], as_json=False)
    shown = printed.getvalue().replace("\n", "")
    assert "nightly (local-1)" in shown, "the healthy log is not shown"
    assert is_printable(shown), "a control character is printed"


def run(directory: Path, case: Case) -> Verdict:
    """The case in a process of its own, which may neither take all memory nor all day."""
    reading, writing = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(_in_child(writing, directory, case))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - started
    if os.WIFSIGNALED(status):
        return Verdict(f"ended by signal {os.WTERMSIG(status)}", "", seconds)
    return Verdict(answer, "", seconds) if os.WEXITSTATUS(status) else Verdict("", answer, seconds)


def _in_child(writing: int, directory: Path, case: Case) -> int:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(6 * SECONDS_PER_CASE)  # of the clock: also where it waits and uses no processor
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_PER_CASE, SECONDS_PER_CASE + 1))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY_PER_CASE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        answer, code = check(directory, case), 0
    except BaseException:
        answer, code = traceback.format_exc(limit=-4), 1
    os.write(writing, answer.encode(errors="replace")[:60_000])
    return code


def cases(seed: int, only: int | None) -> Iterator[tuple[int, random.Random]]:
    number = only or 0
    while True:
        yield number, random.Random(f"{seed}:{number}")
        if only is not None:
            return
        number += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    logs = load(options.paths)
    counts: Counter[str] = Counter()
    failures, slowest, slowest_case, until = 0, 0.0, 0, time.monotonic() + options.seconds
    for number, rng in cases(options.seed, options.case):
        if time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory(prefix="fuzz-") as directory:
            case = write_case(Path(directory), rng, logs)
            Path(directory, "healthy").write_bytes(b"".join(whole_log()))
            verdict = run(Path(directory), case)
            if options.keep:
                shutil.copytree(directory, options.keep, dirs_exist_ok=True)
        if verdict.seconds > slowest:
            slowest, slowest_case = verdict.seconds, number
        counts[verdict.statuses or "FAILED"] += 1
        if verdict.failed:
            failures += 1
            print(f"--seed {options.seed} --case {number}: {case.did}\n{verdict.failed}", flush=True)
    told = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    print(f"{sum(counts.values())} cases, {failures} failed, slowest {slowest:.1f} s (case {slowest_case}): {told}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
