"""Small event logs, written by hand."""

from __future__ import annotations

import json
from pathlib import Path


def write_log(file: Path, app_id: str = "app-1", *, ended: bool = True, lines: tuple[str, ...] = ()) -> Path:
    """A plain log of an application with one job of one stage; `lines` come before its end."""
    stage = {"Stage ID": 0, "Stage Attempt ID": 0, "Number of Tasks": 1}
    metrics = {"Executor Run Time": 70, "Shuffle Write Metrics": {"Shuffle Bytes Written": 4096}}
    events = [
        {"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"},
        {
            "Event": "SparkListenerApplicationStart",
            "App Name": "nightly",
            "App ID": app_id,
            "Timestamp": 1000,
            "User": "u",
        },
        {
            "Event": "SparkListenerJobStart",
            "Job ID": 0,
            "Submission Time": 2500,
            "Stage Infos": [stage],
            "Stage IDs": [0],
            "Properties": {"spark.sql.execution.id": "0"},
        },
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage},
        {
            "Event": "SparkListenerTaskEnd",
            "Stage ID": 0,
            "Task End Reason": {"Reason": "Success"},
            "Task Info": {"Index": 0},
            "Task Metrics": metrics,
        },
        {"Event": "SparkListenerStageCompleted", "Stage Info": stage},
        {
            "Event": "SparkListenerJobEnd",
            "Job ID": 0,
            "Completion Time": 7500,
            "Job Result": {"Result": "JobSucceeded"},
        },
    ]
    text = [json.dumps(event) for event in events] + list(lines)
    if ended:
        text.append(json.dumps({"Event": "SparkListenerApplicationEnd", "Timestamp": 9000}))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
    return file
