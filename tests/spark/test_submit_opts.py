"""SPARK_SUBMIT_OPTS as Spark's launcher splits it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.spark.submit_opts import VARIABLE, as_options, joined, properties_of, split

NAMES = st.from_regex(r"spark\.[A-Za-z.]{1,9}", fullmatch=True)
# A carriage return, NUL and what lies beyond the Basic Multilingual Plane do not get through.
VALUES = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"], exclude_characters="\r\0"))
AWKWARD = {
    "spark.x.blanks": " a  b ",
    "spark.x.quotes": 'it\'s "so"',
    "spark.x.json": '{"a":["$HOME","`x`",{"b":"\\u0024"}]}',
    "spark.x.backslash": "a\\b\\\\c\\",
    "spark.x.lines": "a\nb\tc",
    "spark.x.shell": "* ? ! ; & | # ~ %d",
    "spark.x.empty": "",
}


@given(st.dictionaries(NAMES, VALUES))
def test_properties_come_back_as_they_are(properties: dict[str, str]) -> None:
    assert properties_of(as_options(properties)) == properties


@given(st.dictionaries(NAMES, VALUES), st.dictionaries(NAMES, VALUES))
def test_the_users_own_win(ours: dict[str, str], own: dict[str, str]) -> None:
    assert properties_of(joined(as_options(ours), as_options(own))) == {**ours, **own}


@pytest.mark.parametrize("value", ["a\rb", "a\0b", "\N{GRINNING FACE}"])
def test_what_would_not_arrive_as_it_is_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"SPARK_SUBMIT_OPTS does not carry all characters of spark\.x"):
        as_options({"spark.x": value})


@pytest.mark.parametrize("options", ["'-Dspark.x=1", '"', "a \\", "-Dspark.x='"])
def test_what_is_not_closed_has_no_properties(options: str) -> None:
    with pytest.raises(ValueError, match="no end of what is quoted"):
        split(options)
    assert properties_of(options) == {}


def test_only_properties_of_spark_count() -> None:
    own = "-Xss4m -Dspark.a=1 -Djava.io.tmpdir=/t -Dspark.b -verbose:gc -Dspark.a=2"
    assert properties_of(own) == {"spark.a": "2", "spark.b": ""}


_LAUNCHER = """
import java.io.*; import java.nio.charset.StandardCharsets; import java.util.*;
public class Split {
  public static void main(String[] args) throws Exception {
    var parse = Class.forName("org.apache.spark.launcher.CommandBuilderUtils")
        .getDeclaredMethod("parseOptionString", String.class);
    parse.setAccessible(true);
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      var text = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
      var out = new StringBuilder();
      try {
        for (Object option : (List<?>) parse.invoke(null, text))
          out.append(Base64.getEncoder().encodeToString(option.toString().getBytes(StandardCharsets.UTF_8))).append(',');
      } catch (Exception refused) { out.append('!'); }
      System.out.println(out);
    }
  }
}
"""


@pytest.mark.spark
@pytest.mark.nightly
def test_sparks_launcher_splits_the_same_way(tmp_path: Path) -> None:
    source = tmp_path / "Split.java"
    source.write_text(_LAUNCHER)
    texts: list[str] = []

    @settings(max_examples=2_000, deadline=None)
    @given(st.text(st.sampled_from("ab \t\n\"'\\$é=漢"), max_size=14))
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    jars = Path(find_spark_submit()).parent.parent.glob("lib/python3*/site-packages/pyspark/jars/spark-launcher_*.jar")
    told = subprocess.run(
        ["java", "-cp", str(next(jars)), str(source)],
        input="".join(base64.b64encode(text.encode()).decode() + "\n" for text in texts),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert len(told) == len(texts)
    for text, line in zip(texts, told, strict=True):
        theirs = None if line == "!" else [base64.b64decode(word).decode() for word in line.split(",")[:-1]]
        assert _ours(text) == theirs, text


def _ours(text: str) -> list[str] | None:
    try:
        return split(text)
    except ValueError:
        return None


_APPLICATION = """
import json, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.y.builder", "user").getOrCreate()
with open(sys.argv[1], "w") as file:
    json.dump(dict(spark.sparkContext.getConf().getAll()), file)
spark.stop()
"""


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.parametrize("by", ["spark-submit", "python"])
def test_spark_has_the_values_and_the_users_own_win(by: str, tmp_path: Path) -> None:
    application, conf = tmp_path / "app.py", tmp_path / "conf.json"
    application.write_text(_APPLICATION)
    (tmp_path / "spark-defaults.conf").write_text("spark.y.defaults user\n")
    program = find_spark_submit()
    wanted = {**AWKWARD, "spark.x.letters": "é漢"}
    users = {"spark.y.builder": "user", "spark.y.defaults": "user", "spark.y.options": "user"}
    ours = as_options({**wanted, **dict.fromkeys([*users, "spark.y.conf"], "ours"), "spark.ui.enabled": "false"})
    command = (
        [program, "--conf", "spark.y.conf=user"] if by == "spark-submit" else [str(Path(program).parent / "python")]
    )
    environment = {
        **environment_for(program),
        "LC_ALL": "C.UTF-8",
        "SPARK_CONF_DIR": str(tmp_path),
        VARIABLE: joined(ours, f"{os.environ[VARIABLE]} -Dspark.y.options=user"),
    }
    subprocess.run([*command, str(application), str(conf)], env=environment, check=True, capture_output=True)
    found = json.loads(conf.read_text())
    assert {name: found[name] for name in wanted} == wanted
    assert {name: found[name] for name in users} == users
    assert found["spark.y.conf"] == ("user" if by == "spark-submit" else "ours")
