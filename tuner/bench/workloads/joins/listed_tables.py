"""The eleven tables whose rows are listed."""

from __future__ import annotations

from tuner.bench.workloads.joins.listed import (
    ATTRIBUTE_KINDS,
    AWARDS,
    COMPANY_KINDS,
    COUNTRIES,
    GENRES,
    LANGUAGES,
    LINK_KINDS,
    RATING_SOURCES,
    REGIONS,
    ROLES,
    TITLE_KINDS,
)
from tuner.bench.workloads.joins.table import Column, Table


def _listed(name: str, alias: str, names: tuple[str, ...]) -> Table:
    return Table(name, alias, (Column("name", ""),), listed=tuple((one,) for one in names))


LISTED_TABLES = (
    _listed("region", "rg", REGIONS),
    Table(
        "country",
        "n",
        (
            Column("code", ""),
            Column("name", ""),
            Column("region_id", "", "region"),
            Column("language_id", "", "language"),
        ),
        listed=COUNTRIES,
    ),
    _listed("language", "l", LANGUAGES),
    _listed("genre", "g", GENRES),
    Table("title_kind", "tk", (Column("name", ""), Column("first_year", "")), listed=TITLE_KINDS),
    _listed("company_kind", "ck", COMPANY_KINDS),
    _listed("role", "ro", ROLES),
    _listed("link_kind", "lk", LINK_KINDS),
    _listed("rating_source", "rs", RATING_SOURCES),
    _listed("attribute_kind", "ak", ATTRIBUTE_KINDS),
    Table("award", "a", (Column("name", ""), Column("country_id", "", "country")), listed=AWARDS),
)
