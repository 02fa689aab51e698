"""The catalogue's 28 tables. Columns depend on one another as they do in IMDb, whose own are not used.

Fame decides how many rows a title has in every other table. Country and year follow from fame, language from country, genre from
country and years, companies and persons from country and era, keywords from genre, values from year, country and genre.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tuner.bench.workloads.joins.listed import COUNTRIES, LANGUAGES, TITLE_KINDS
from tuner.bench.workloads.joins.listed_tables import LISTED_TABLES
from tuner.bench.workloads.joins.part_tables import PART_TABLES
from tuner.bench.workloads.joins.table import Table
from tuner.bench.workloads.joins.vocabulary import ADJECTIVES, COMPANY_WORDS, FAMILIES, GIVEN_F, GIVEN_M, NOUNS
from tuner.bench.workloads.joins.whole_tables import WHOLE_TABLES

# Those that others are parts of come first.
TABLES: Mapping[str, Table] = {table.name: table for table in (*LISTED_TABLES, *WHOLE_TABLES, *PART_TABLES)}

# What columns pick from, by the name of the macro that gives it.
LISTS: Mapping[str, Sequence[str | int]] = {
    "adjectives": ADJECTIVES,
    "nouns": NOUNS,
    "families": FAMILIES,
    "given_f": GIVEN_F,
    "given_m": GIVEN_M,
    "company_words": COMPANY_WORDS,
    "countries": [name for _, name, _, _ in COUNTRIES],
    "codes": [code for code, _, _, _ in COUNTRIES],
    "languages": LANGUAGES,
    "languages_of": [language for _, _, _, language in COUNTRIES],
    "first_years": [year for _, year in TITLE_KINDS],
}
