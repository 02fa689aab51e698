"""The rules for paths as the agent gets them."""

from __future__ import annotations

import json

from tuner.plan.relation import path_rules
from tuner.steering.agent.path_rules import path_rules_json


def test_every_rule_in_order_with_what_java_takes_for_unicode_and_for_groups() -> None:
    document = json.loads(path_rules_json())
    at, rules = path_rules()
    assert [len(at), len(rules)] == [len(document["at"]), len(document["rules"])] == [3, 7]
    for (pattern, replacement), (java, java_replacement) in zip(
        (*at, *rules), (*document["at"], *document["rules"]), strict=True
    ):
        assert java == f"(?U){pattern.pattern}"
        assert java_replacement == replacement.replace("\\1", "$1")


def test_no_rule_says_what_java_reads_otherwise() -> None:
    document = json.loads(path_rules_json())
    for pattern, replacement in (*document["at"], *document["rules"]):
        assert not any(construct in pattern for construct in (r"\Z", "(?P", "(?x)", "(?a", "(?L"))
        assert "\\" not in replacement and replacement.count("$") == replacement.count("$1")
