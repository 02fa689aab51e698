"""The 33 templates of the 113 queries.

Their number, the number of queries of each, and how many relations each joins (4 to 17, on average 9) are those of the Join Order
Benchmark: V. Leis et al., How Good Are Query Optimizers, Really?, VLDB 2015, section 2.2. Tables, texts and literals are our own.
"""

from __future__ import annotations

from tuner.bench.workloads.joins.template import Filter, Shape, Template

_EQUAL, _ONE_OF, _CONTAINS, _STARTS, _PRESENT = Shape.EQUAL, Shape.ONE_OF, Shape.CONTAINS, Shape.STARTS, Shape.PRESENT

_YEARS = Filter("t", "release_year", Shape.AROUND, 12)
_SINCE = Filter("t", "release_year", Shape.AT_LEAST, 15)
_NAMED = Filter("t", "name", _CONTAINS)
_KIND = Filter("tk", "name", _EQUAL)
_KINDS = Filter("tk", "name", _ONE_OF)
_WORD = Filter("k", "word", _EQUAL)
_WORDS = Filter("k", "word", _ONE_OF)
_WORD_LIKE = Filter("k", "word", _CONTAINS)
_MAKER_KIND = Filter("ck", "name", _EQUAL)
_MAKER_NAME = Filter("c", "name", _CONTAINS)
_COUNTRY = Filter("n", "code", _EQUAL)
_COUNTRIES = Filter("n", "code", _ONE_OF)
_MAKER_NOTE = Filter("tc", "note", _PRESENT)
_MAKER_NOTE_LIKE = Filter("tc", "note", _CONTAINS)
_FACT = Filter("ak", "name", _EQUAL)
_VALUE = Filter("ta", "value", _EQUAL)
_VALUE_LIKE = Filter("ta", "value", _STARTS)
_SOURCE = Filter("rs", "name", _EQUAL)
_SCORE = Filter("tr", "score", Shape.AT_LEAST, 1)
_SCORE_BELOW = Filter("tr", "score", Shape.AT_MOST, 1)
_VOTES = Filter("tr", "votes", Shape.AT_LEAST, 100)
_ROLE = Filter("ro", "name", _EQUAL)
_CREDIT_NOTE = Filter("cr", "note", _EQUAL)
_CREDIT_NOTED = Filter("cr", "note", _PRESENT)
_BILLED = Filter("cr", "place", Shape.AT_MOST, 4)
_GENDER = Filter("p", "gender", _EQUAL)
_PERSON = Filter("p", "name", _STARTS)
_LINK = Filter("lk", "name", _EQUAL)
_LINKS = Filter("lk", "name", _ONE_OF)
_GENRE = Filter("g", "name", _EQUAL)
_GENRES = Filter("g", "name", _ONE_OF)
_ALIAS_LIKE = Filter("pn", "name", _STARTS)
_PERSONA_LIKE = Filter("pa", "name", _CONTAINS)

_COMPANY = "title_company.company"
_COMPANY_KIND = "title_company.company_kind"
_KEYWORD = "title_keyword.keyword"
_ATTRIBUTE = "title_attribute.attribute_kind"
_RATING = "title_rating.rating_source"
_PERSON_OF = "credit.person"
_ALIAS_OF = "credit.person.person_name"
_ROLE_OF = "credit.role"
_PERSONA = "credit.persona"
_LINKED = "title_link.link_kind"
_GENRE_OF = "title_genre.genre"

TEMPLATES: tuple[Template, ...] = (
    Template(1, 4, (_COMPANY_KIND, _COMPANY, "title_rating"), (_MAKER_KIND, _MAKER_NOTE, _SCORE), ("t.name", "c.name")),
    Template(2, 4, (_COMPANY, _KEYWORD), (_MAKER_NAME, _WORD), ("t.name",)),
    Template(3, 3, (_KEYWORD, "title_attribute"), (_WORD_LIKE, _VALUE, _SINCE), ("t.name",)),
    Template(4, 3, (_RATING, _KEYWORD), (_SOURCE, _SCORE, _WORD_LIKE, _SINCE), ("tr.score", "t.name")),
    Template(5, 3, (_COMPANY_KIND, _ATTRIBUTE), (_MAKER_KIND, _MAKER_NOTE_LIKE, _VALUE, _SINCE), ("t.name",)),
    Template(6, 6, (_PERSON_OF, _KEYWORD), (_WORDS, _PERSON, _SINCE), ("k.word", "p.name", "t.name")),
    Template(
        7, 3, (_ALIAS_OF, "credit.person.person_attribute.attribute_kind", _LINKED),
        (_FACT, _LINK, _GENDER, _ALIAS_LIKE, _YEARS), ("p.name", "t.name"),
    ),
    Template(
        8, 4, (_ALIAS_OF, _ROLE_OF, _COMPANY), (_ROLE, _CREDIT_NOTE, _MAKER_NAME, _YEARS), ("pn.name", "t.name"),
    ),
    Template(
        9, 4, (_ALIAS_OF, _ROLE_OF, _PERSONA, _COMPANY),
        (_ROLE, _GENDER, _CREDIT_NOTED, _MAKER_NAME, _YEARS), ("pn.name", "pa.name", "t.name"),
    ),
    Template(
        10, 3, (_PERSONA, _ROLE_OF, _COMPANY, _COMPANY_KIND), (_ROLE, _CREDIT_NOTED, _MAKER_KIND, _SINCE, _NAMED),
        ("pa.name", "t.name"),
    ),
    Template(
        11, 4, (_COMPANY, _COMPANY_KIND, _LINKED, _KEYWORD), (_MAKER_KIND, _LINKS, _WORD_LIKE, _YEARS, _MAKER_NOTE),
        ("c.name", "lk.name", "t.name"),
    ),
    Template(
        12, 3, (_COMPANY, _COMPANY_KIND, _ATTRIBUTE, _RATING),
        (_MAKER_KIND, _FACT, _VALUE, _SOURCE, _SCORE, _YEARS), ("c.name", "tr.score", "t.name"),
    ),
    Template(
        13, 4, ("title_kind", _COMPANY, _COMPANY_KIND, _ATTRIBUTE, _RATING),
        (_KIND, _MAKER_KIND, _FACT, _SOURCE, _VALUE_LIKE, _NAMED), ("ta.value", "tr.score", "t.name"),
    ),
    Template(
        14, 3, ("title_kind", _ATTRIBUTE, _RATING, _KEYWORD),
        (_KINDS, _FACT, _VALUE, _SOURCE, _SCORE_BELOW, _WORDS, _SINCE), ("tr.score", "t.name"),
    ),
    Template(
        15, 4, ("title_name", _COMPANY, _COMPANY_KIND, _ATTRIBUTE, _KEYWORD),
        (_FACT, _VALUE_LIKE, _MAKER_NOTE_LIKE, _SINCE, _WORD_LIKE), ("tn.name", "ta.value", "t.name"),
    ),
    Template(
        16, 4, ("title_name", _PERSON_OF, _COMPANY, _KEYWORD), (_WORD, _MAKER_NAME, _BILLED), ("p.name", "tn.name"),
    ),
    Template(17, 6, (_PERSON_OF, _COMPANY, _KEYWORD), (_WORD, _PERSON, _MAKER_NAME), ("p.name", "t.name")),
    Template(
        18, 3, (_PERSON_OF, _ATTRIBUTE, _RATING), (_FACT, _VALUE, _SOURCE, _CREDIT_NOTE, _GENDER, _VOTES),
        ("ta.value", "tr.votes", "t.name"),
    ),
    Template(
        19, 4, (_ALIAS_OF, _PERSONA, _ROLE_OF, _COMPANY, _ATTRIBUTE),
        (_FACT, _VALUE, _ROLE, _CREDIT_NOTED, _GENDER, _ALIAS_LIKE, _MAKER_NAME, _YEARS), ("p.name", "t.name"),
    ),
    Template(
        20, 3, ("title_kind", _PERSON_OF, _PERSONA, _KEYWORD, _GENRE_OF, "language"),
        (_KIND, _PERSONA_LIKE, _WORD_LIKE, _GENRE, Filter("l", "name", _EQUAL), _SINCE), ("pa.name", "t.name"),
    ),
    Template(
        21, 3, (_COMPANY, _COMPANY_KIND, _LINKED, _KEYWORD, "title_attribute"),
        (_MAKER_KIND, _MAKER_NAME, _LINKS, _WORD_LIKE, _VALUE, _YEARS), ("c.name", "lk.name", "t.name"),
    ),
    Template(
        22, 4, ("title_kind", _COMPANY, _COMPANY_KIND, _ATTRIBUTE, _RATING, _KEYWORD),
        (_KINDS, _MAKER_NOTE_LIKE, _FACT, _VALUE, _SOURCE, _SCORE_BELOW, _WORDS, _SINCE), ("c.name", "tr.score", "t.name"),
    ),
    Template(
        23, 3, ("title_kind", _COMPANY, _COMPANY_KIND, "title_release.country", _ATTRIBUTE, _KEYWORD),
        (
            _KIND, _FACT, _VALUE, Filter("re", "released", Shape.AT_LEAST, 900), Filter("re", "medium", _EQUAL), _COUNTRY,
            _WORD_LIKE, _MAKER_KIND,
        ),
        ("tk.name", "re.released", "t.name"),
    ),
    Template(
        24, 2, (_ALIAS_OF, _PERSONA, _ROLE_OF, _COMPANY, _ATTRIBUTE, _KEYWORD),
        (_FACT, _VALUE, _ROLE, _CREDIT_NOTED, _GENDER, _MAKER_NAME, _WORDS, _SINCE), ("pa.name", "p.name", "t.name"),
    ),
    Template(
        25, 3, (_PERSON_OF, _ATTRIBUTE, _RATING, _KEYWORD),
        (_FACT, _VALUE, _SOURCE, _VOTES, _WORDS, _GENDER, _CREDIT_NOTE), ("ta.value", "tr.votes", "p.name", "t.name"),
    ),
    Template(
        26, 3, ("title_kind", _PERSON_OF, _PERSONA, _RATING, _KEYWORD, _GENRE_OF, "language"),
        (_KINDS, _PERSONA_LIKE, _SOURCE, _SCORE, _WORDS, _GENRES, _SINCE), ("pa.name", "p.name", "tr.score", "t.name"),
    ),
    Template(
        27, 3, (_COMPANY, _COMPANY_KIND, _LINKED, _KEYWORD, _ATTRIBUTE, _GENRE_OF),
        (_MAKER_KIND, _MAKER_NAME, _LINKS, _WORD_LIKE, _FACT, _VALUE, _GENRES, _YEARS), ("c.name", "lk.name", "t.name"),
    ),
    Template(
        28, 3, ("title_kind", "title_company.company.country", _COMPANY_KIND, _ATTRIBUTE, _RATING, _KEYWORD, _GENRE_OF),
        (_KINDS, _COUNTRIES, _MAKER_NOTE, _FACT, _VALUE, _SOURCE, _SCORE_BELOW, _WORDS, _GENRES, _SINCE),
        ("c.name", "tr.score", "t.name"),
    ),
    Template(
        29, 3,
        (
            _ALIAS_OF, "credit.person.person_attribute.attribute_kind", _PERSONA, _ROLE_OF, _COMPANY, _KEYWORD, _ATTRIBUTE,
            "title_award.award", "title_genre",
        ),
        (
            _FACT, Filter("ak2", "name", _EQUAL), _VALUE, _ROLE, _GENDER, _CREDIT_NOTED, _WORD, _MAKER_NAME, _YEARS,
            Filter("a", "name", _EQUAL),
        ),
        ("pa.name", "p.name", "t.name"),
    ),
    Template(
        30, 3, (_PERSON_OF, _ATTRIBUTE, _RATING, _KEYWORD, _GENRE_OF, "country"),
        (_FACT, _VALUE, _SOURCE, _VOTES, _WORDS, _GENDER, _CREDIT_NOTE, _GENRES, _COUNTRY), ("ta.value", "p.name", "t.name"),
    ),
    Template(
        31, 3, (_PERSON_OF, _COMPANY, _ATTRIBUTE, _RATING, _KEYWORD),
        (_FACT, _VALUE, _SOURCE, _VOTES, _WORDS, _CREDIT_NOTE, _MAKER_NAME), ("ta.value", "tr.votes", "p.name", "t.name"),
    ),
    Template(
        32, 2, ("title_link.link_kind", "title_link.title", _KEYWORD), (_WORD,), ("lk.name", "t.name", "t2.name"),
    ),
    Template(
        33, 3,
        (
            "title_kind", _COMPANY, _RATING, _LINKED, "title_link.title.title_kind", "title_link.title.title_company.company",
            "title_link.title.title_rating.rating_source",
        ),
        (
            _KINDS, _MAKER_NAME, _SOURCE, Filter("rs2", "name", _EQUAL), Filter("tr2", "score", Shape.AT_LEAST, 1), _LINKS,
            Filter("t2", "release_year", Shape.AROUND, 10),
        ),
        ("c.name", "c2.name", "t.name", "t2.name"),
    ),
)  # fmt: skip
