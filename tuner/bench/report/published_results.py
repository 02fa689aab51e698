"""What others have published of tuners like this one, with the conditions that it holds for: to print beside results, not to
compare with them. Of Databricks' figures those that its blog's summary lacks (1.288x, 41 %) were read in digests of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """`claim` is the number as its authors count it, `counted` what that counts; `budget` is what tuning took. What was not told
    where it was read is "". `url` is the source's, or of the system's documentation."""

    system: str
    claim: str
    counted: str
    workload: str
    scale: str
    hardware: str
    budget: str
    year: int
    source: str
    url: str


PUBLISHED_RESULTS = (
    PublishedResult(
        system="Databricks' agent for join orders (a prototype, with UPenn)",
        claim="1.288x; 41 % less at the 90th percentile; 80 % of the queries improved",
        counted="latency against the Databricks optimizer, geometric mean over queries, each with the best order that was tried",
        workload="Join Order Benchmark, 113 queries",
        scale="IMDb, scaled ten times",
        hardware="",
        budget="15 executions of each query, offline",
        year=2026,
        source="E. Liang, R. Marcus, S. Taneja, Y. Zhang: Are LLM agents good at join order optimization? "
        "Databricks blog, 22 April 2026",
        url="https://www.databricks.com/blog/are-llm-agents-good-join-order-optimization",
    ),
    PublishedResult(
        system="Microsoft Fabric's Autotune (Rockhopper)",
        claim="about 20 %",
        counted="performance improvement of customers' queries in production, by three properties set for each query",
        workload="customers' recurring Spark queries",
        scale="",
        hardware="Microsoft Fabric",
        budget="most often 20 to 25 runs of a query, by its documentation",
        year=2025,
        source="Y. Zhu et al.: Rockhopper: A Robust Optimizer for Spark Configuration Tuning in Production Environment. "
        "SIGMOD Companion 2025, abstract",
        url="https://learn.microsoft.com/en-us/fabric/data-engineering/autotune",
    ),
)
