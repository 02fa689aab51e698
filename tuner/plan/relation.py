"""Base tables and paths under names that stay the same every night."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tuner.plan.expression import MORE, argument_list, attributes, bracketed, split_top_level
from tuner.plan.looked_at import once_a_plan
from tuner.plan.memoize_by_text import by_text
from tuner.plan.node import PlanNode
from tuner.printable import identifier

PathRules = tuple[tuple[re.Pattern[str], str], ...]

_LOCATION = re.compile(r"\[([^\],]+)")
# With what other engines put around it: PhotonScan, CometScan [native_datafusion], GpuScan, ScanTransformer.
_SCAN = re.compile(r"^\w*Scan(?:Transformer)?(?: \[\w+\])?\s+")
# How Iceberg describes its scans (SparkBatchQueryScan): before Spark 3.4 nothing else names their table (BatchScanExec).
_DESCRIBED = re.compile(r"\s+([^\s\[\](),:]+\.[^\s\[\](),:]+) (?:\(branch=[^()]*\) )?\[filters=")
_TEXT_LOCATION = re.compile(r"\bLocation: \w{1,100}+ ?(?:\(\d+ paths\))?\[([^\],]{1,2048}+)(?:\]|,)")
# Of a text up to its last @: looking for one that never comes, from each "://", would take quadratic time.
_CREDENTIALS_AT = (
    (re.compile(r"(?<=://)[^/:@]*:(?!\d+(?:/|$))[^@]*@"), ""),
    (re.compile(r"(?<=\bhttps://)[^/@]*@|(?<=\bhttp://)[^/@]*@"), ""),
    (re.compile(r"(?i)\b(jdbc:oracle:\w{1,20}:)[^@]*@"), r"\1@"),
)
_CREDENTIALS = (
    (re.compile(r"(?<=://)[^/:@]*:(?!\d+(?:/|$))[^/]*"), ""),  # a password cut off
    (re.compile(r"(?s)[?;&][\w.%-]*=.*"), ""),  # signed URLs, properties of a JDBC URL
)
_FORMAT = re.compile(r"^(?:parquet|orc|csv|json|text|avro|delta|hive|jdbc|binaryFile|xml)(?:\s+|$)")
_HIVE_PARTITIONS = ", Partition Cols: "
_CATALOG_SCAN = re.compile(r"(?:File)?Scan (?:parquet|orc|csv|json|text|avro|hive) ")
_OTHER_INDEX = re.compile(r"^(?:Prepared)?(?:Delta|Tahoe|Hoodie)\w*")
_TABLE = re.compile(r"[^./\s]+\.[^./\s]+")  # database and table
# Java's Object.toString: a class, and a hash that each object has of its own.
_OBJECT = re.compile(r"([\w.$]+)@[0-9a-f]{1,8}")
_JDBC = re.compile(r"\bJDBCRelation\(")
# What may be a literal in some dialect, or a comment; double quotes are names only where a table stands. `(?!.)` is the end.
_LITERAL = (
    re.compile(
        r"""\bn?q'.*|'(?>(?:[^'\\]++|\\[^']|'')*)(?:'|\\'.*|\\?(?!.))|\$\w*+\$.*?(?:\$\w*+\$|(?!.))"""
        r"""|(?<!from )(?<!join )(?<!into )(?<!table )(?<!\.)"(?>(?:[^"\\]++|\\[^"]|"")*)(?:"|\\".*|\\?(?!.))"""
        r"""|--[^\n]*+|/\*.*?(?:\*/|(?!.))|\b\d[\w.]*+|spark_gen_\w+""",
        re.DOTALL,
    ),
    " ",
)
_WORDS = re.compile(r"[a-z_][\w.]*")
# With a time of day, and behind a whole one milliseconds or microseconds: three digits that stand apart may be a part's number.
_DATE = (
    re.compile(
        r"(?<!\d)(?:19|20)\d{2}[-/_]?(?:0[1-9]|1[0-2])[-/_]?[0-3]\d"
        r"(?:[-/_Tt]?[0-2]\d(?:[-/_]?[0-5]\d){2}(?:[-_.]?\d{6}|\.?\d{3})|(?:[-/_Tt]?\d{2}){0,3})(?!\d)"
    ),
    "*",
)
# A folder, a table or a database of a month; that a number of six digits is none, nothing tells.
_MONTH = (re.compile(r"(?<=[/_])(?:19|20)\d{2}[-_]?(?:0[1-9]|1[0-2])(?=[/.`]|$)"), "*")
# As Airflow names a run (DagRunType, its moment, and eight random characters where it has no logical date), escaped or not; in
# names of tables in small letters, most often with nothing but underscores.
_RUN_ID = (
    re.compile(
        r"(?:manual|scheduled|backfill|(?:operator|asset|dataset)_triggered|asset_materialization)__"
        r"(?:19|20)\d{2}[-_]?\d{2}[-_]?\d{2}[Tt]\d{2}(?:(?::|%3[Aa]|[_.-])?\d{2}){1,2}(?:[_.-]\d{1,6})?"
        r"(?:(?:\+|%2[Bb]|[_-])?\d{2}(?::|%3[Aa]|[_.-])?\d{2}|[Zz])?"
        r"(?:_(?=[a-z]{0,7}[A-Z0-9])[A-Za-z0-9]{8}(?![A-Za-z0-9]))?"
    ),
    "*",
)
_UUID = (
    re.compile(
        r"[0-9a-fA-F]{8}([-_])(?:[0-9a-fA-F]{4}\1){3}[0-9a-fA-F]{12}|(?<![0-9a-fA-F])[0-9a-fA-F]{32}(?![0-9a-fA-F])"
    ),
    "*",
)
# Seconds since 1970, or parts of them: by other numbers tables are told apart, such as those of a customer each.
_EPOCH = (re.compile(r"(?<!\d)1[5-9]\d{8}(?:\d{3}){0,3}(?!\d)"), "*")
# Of YARN and of a standalone cluster, in names of tables with underscores: a moment and a number that counts on.
_APPLICATION_ID = (re.compile(r"(?<![A-Za-z0-9])(?:application_\d{13}_|app([-_])\d{14}\1)\d{4,}(?!\d)"), "*")
# Parts of a table's name that change from run to run.
_OF_TABLES = (_APPLICATION_ID, _RUN_ID, _UUID, _DATE, _MONTH, _EPOCH)
# Parts of a path that change with the date of the run.
_VOLATILE = (
    _APPLICATION_ID,
    _RUN_ID,
    _DATE,
    _MONTH,
    (re.compile(r"(?<=/)\d{4}(?:/\d{1,2}){1,3}(?=/|$)"), "*"),
    (re.compile(r"(?<==)[^/]+"), "*"),
    _UUID,
    (re.compile(r"\d{8,}"), "*"),
    # A file as Spark names those that it writes: of a stream, a batch reads some of a folder.
    (re.compile(r"(?<=/)part-\d{5}-[^/]+"), "*"),
)
_LONGEST_PREFIX = len("GpuFile")
# Rows that a program made, or has in a checkpoint: their columns tell them apart, where the text has each, and as a plain word.
_RDD, _OF_RDD = "Scan ExistingRDD", "existingrdd"
_LONGEST_RDD = 60
_PLAIN_COLUMN = re.compile(r"([A-Za-z0-9_]+)#\d+L?")
# Whoever has the query has these rows, too.
_IN_QUERY = frozenset({"localtablescan", "onerowrelation", "range"})
_REUSED = ("ReusedSubquery", "ReusedExchange", "Subquery")  # shown without what is below them
_LEAVES = frozenset({"Range", "LocalTableScan", "RDDScan", "InMemoryTableScan", "EmptyRelation"})


def is_scan(node: PlanNode) -> bool:
    """Whether rows enter the plan here."""
    if not node.children:
        return node.name not in _REUSED
    return node.name in _LEAVES or node.name.startswith(("Scan", "BatchScan", "FileScan"))


def reads_rows(scan: PlanNode) -> bool:
    """Not an empty relation, nor the one row of no columns that late rules of the optimizer put below scalar subqueries."""
    return scan.name != "EmptyRelation" and scan.full_name.strip() != "Scan OneRowRelation"


class ScansBelow:
    """The scans of a plan, by the operators above them."""

    def __init__(self, root: PlanNode) -> None:
        # An operator's scans stand together, for they are listed as the plan is walked; subqueries are walked apart.
        self._scans: list[PlanNode] = []
        self._relations: list[str | None] = []
        self._span: dict[int, slice] = {}
        roots = [root]
        for top in roots:
            for node in reversed(list(top.walk())):
                start = self._span[id(node.children[-1])].start if node.children else len(self._scans)
                if is_scan(node):
                    self._scans.append(node)
                    self._relations.append(relation_name(node) if reads_rows(node) else None)
                self._span[id(node)] = slice(start, len(self._scans))
                roots += node.subqueries

    def scans(self, node: PlanNode) -> list[PlanNode]:
        """The scans below an operator, itself included; not those of subqueries."""
        return self._scans[self._span[id(node)]]

    def relations(self, node: PlanNode) -> tuple[str, ...]:
        """The relations read below an operator, sorted, repeated as often as they are read."""
        return tuple(sorted([r for r in self._relations[self._span[id(node)]] if r is not None]))


scans_of = once_a_plan(ScansBelow)


def relation_name(scan: PlanNode) -> str:
    """`database.table`, lower case, or the path; `*` for dates and ids of runs in either, and for partition values in paths;
    `existingrdd:` and the columns of rows without a name.

    One printable line without credentials, at most 500 characters.
    """
    return _identifier(_relation_name(scan))


_identifier = by_text(identifier)


def tells_source(relation: str) -> bool:
    """Whether a name is that of the same rows in other jobs, too: of a table with its database, or a path; of no kind of scan."""
    return relation in _IN_QUERY or (not relation.startswith(_OF_RDD) and any(mark in relation for mark in "./:"))


def catalog_table(scan: PlanNode) -> str | None:
    """The name of a table of the session catalog, of which ANALYZE TABLE gathers statistics; None of any other source.

    A table's scan is named after it, where one of a path names only its format (FileSourceScanExec.nodeName: the table's
    identifier or nothing; HiveTableScanExec: `Scan hive db.table`). Tables of other catalogs and formats with a
    transaction log are read as V2 relations or through their own file index; AnalyzeTableCommand takes neither.
    """
    if (
        scan.children
        or not _CATALOG_SCAN.match(scan.full_name)
        or _OTHER_INDEX.search(scan.metadata.get("Location", ""))
    ):
        return None
    name, _ = _named(scan.full_name)
    return identifier(name) if name and _TABLE.fullmatch(name) else None


def _relation_name(scan: PlanNode) -> str:
    if scan.full_name.strip() == _RDD:
        return _rdd_name(_behind_name(scan))
    relation, path = _named(scan.full_name)
    if relation is not None:
        return normalise_table(relation)
    if path and scan.full_name.startswith("BatchScan"):
        # The text of these is cut, and has no more than the first characters of their location.
        return normalise_path(path)
    location = _LOCATION.search(scan.metadata.get("Location", "")) or _TEXT_LOCATION.search(scan.text)
    if location or path:
        return normalise_path(location[1] if location else path)
    if described := _described(scan):
        return normalise_table(_table_name(described))
    return "cached" if scan.name == "InMemoryTableScan" else scan.name.lower()


@by_text
def _named(full_name: str) -> tuple[str | None, str]:
    """The relation that the name of a scan tells, or the path."""
    if jdbc := _JDBC.search(full_name):
        return _jdbc_name(argument_list(full_name, jdbc.end() - 1) or ""), ""
    name = _FORMAT.sub("", _SCAN.sub("", full_name)).split("[", 1)[0].split("(", 1)[0].strip()
    if "/" in name:
        return None, name.split()[0]
    if name and _SCAN.match(full_name):
        first, *others = name.split()
        nameless = _OBJECT.fullmatch(first)
        return _table_name((others[0] if others else nameless[1]) if nameless else first), ""
    return None, ""


@by_text
def _rdd_name(text: str) -> str:
    found = bracketed(text)
    columns = [_PLAIN_COLUMN.fullmatch(column) for column in found[0].split(",")] if found else [None]
    names = sorted(column[1] for column in columns if column)
    return identifier(f"{_OF_RDD}:{'-'.join(names)}", _LONGEST_RDD) if len(names) == len(columns) else _OF_RDD


def _described(scan: PlanNode) -> str | None:
    """The table that a scan of the second API has behind its columns."""
    columns = bracketed(scan.text) if scan.full_name == "BatchScan" else None
    found = _DESCRIBED.match(scan.text, columns[1]) if columns else None
    return found[1] if found else None


def _table_name(table: str) -> str:
    return table.removeprefix("spark_catalog.").replace("`", "").lower()


def _jdbc_name(source: str) -> str:
    """A table by its name; a query by its columns and functions, for its literals change and may be secret."""
    words = source.strip()
    if not re.search(r"[\s'(]", words):
        return "jdbc:" + re.sub(r'[`"]', "", words).lower()
    literal, replacement = _LITERAL
    return "jdbc:" + "_".join(_WORDS.findall(literal.sub(replacement, words.lower())))[:200]


@by_text
def normalise_path(path: str) -> str:
    """A path or URL without what changes from run to run, and without credentials."""
    path = path.rstrip("/")
    end = path.rfind("@") + 1
    if end:
        before, after = path[:end], path[end:]
        for pattern, replacement in _CREDENTIALS_AT:
            before = pattern.sub(replacement, before)
        path = before + after
    for pattern, replacement in (*_CREDENTIALS, *_VOLATILE):
        path = pattern.sub(replacement, path)
    end = len(path)
    while path.endswith("/*", 0, end):
        end -= 2
    return identifier(path[:end])


@by_text
def normalise_table(name: str) -> str:
    """A table's name without what changes from run to run: `staging.orders_20240131` is another each night, of the same query."""
    for pattern, replacement in _OF_TABLES:
        name = pattern.sub(replacement, name)
    return name


@by_text
def without_dates(name: str) -> str:
    """A name with `*` for each date in it."""
    pattern, replacement = _DATE
    return pattern.sub(replacement, name)


def without_run(name: str) -> str:
    """A name that a template gives in each run, with `*` for Airflow's id of the run and for each date in it."""
    pattern, replacement = _RUN_ID
    return without_dates(pattern.sub(replacement, name))


def path_rules() -> tuple[PathRules, PathRules]:
    """The patterns and replacements of `normalise_path`, in order: those up to the last @ of a path, those of all of it."""
    return _CREDENTIALS_AT, (*_CREDENTIALS, *_VOLATILE)


def table_rules() -> PathRules:
    """Those of `normalise_table`."""
    return _OF_TABLES


def jdbc_rules() -> PathRules:
    """Those of what is taken out of a query that is sent to a database, in small letters; a dot is any character."""
    return (_LITERAL,)


def short_name(relation: str) -> str:
    """The last part of a relation's name, for sentences and tables."""
    return (
        relation.rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[-1] if "/" in relation else relation.rsplit(".", 1)[-1]
    )


def scan_columns(scan: PlanNode) -> list[tuple[str, int]]:
    """The columns a scan puts out, as (name, expression id)."""
    # A path in a scan's name can hold brackets of its own: the list of columns starts after the name.
    columns = _columns(_behind_name(scan))
    return list(_columns(scan.text) or () if columns is None else columns)


def scanned_columns(scans: Iterable[PlanNode]) -> Iterator[int]:
    """The expression ids of the columns that scans put out."""
    return (id_ for scan in scans for _, id_ in scan_columns(scan))


def hive_partition_columns(scan: PlanNode) -> list[tuple[str, int]]:
    """The columns of a Hive table's partitions, which its filters name and it may not put out."""
    _, told, columns = scan.text.partition(_HIVE_PARTITIONS)
    found = bracketed(columns) if told else None
    return [(name, id_) for name, id_ in attributes(found[0])] if found else []


def columns_cut(scan: PlanNode) -> bool:
    """Whether a scan has more columns than it prints."""
    found = bracketed(_behind_name(scan)) if MORE in scan.text else None
    return found is not None and found[0].endswith(MORE)


def _behind_name(scan: PlanNode) -> str:
    name, text = scan.full_name.strip(), scan.text
    start = text.find(name, 0, len(name) + _LONGEST_PREFIX)
    return text if start < 0 else text[start + len(name) :]


@by_text
def _columns(text: str) -> tuple[tuple[str, int], ...] | None:
    found = bracketed(text)
    return tuple(a for part in split_top_level(found[0]) for a in attributes(part)[:1]) if found else None


_READ_BYTES = "size of files read"
# FileSourceScanExec's, with and without partitions to be pruned as the query runs; Iceberg's TotalDataFileSize, and before it
# TotalFileSize.
_FILES_BYTES = (
    "static size of files read",
    _READ_BYTES,
    "total data file size (bytes)",
    "total file size",
)


def files_bytes(scan: PlanNode) -> int | None:
    """Bytes of the files a scan was planned to read, before dynamic pruning, which comes and goes with the plan."""
    metrics = scan.metrics
    return next((metrics[name] for name in _FILES_BYTES if name in metrics), None)


def bytes_left_to_read(scan: PlanNode) -> int | None:
    """As `files_bytes`, after dynamic pruning, which may leave nothing."""
    return scan.metrics.get(_READ_BYTES, files_bytes(scan))
