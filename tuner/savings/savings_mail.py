"""The report of savings as one page of HTML that mail programs show: tables and inline styles, no scripts, images or links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from tuner.model.saved import Saved
from tuner.printable import visible
from tuner.savings.savings_report import SavingsReport, ends
from tuner.units import format_hours, format_money, format_seconds
from tuner.words.counts import counted
from tuner.words.savings import NO_TAG, SIZES, cut_words, losses_words, runs_words, saved_words, sure_words

# A mail of cohorts and changes without end is read by nobody: those that gained most and those that lost most. The JSON has all.
MOST_ROWS = 24
_MOST_CHARACTERS = 200

_PAGE = "font:15px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif;color:#1f2328;background:#ffffff;margin:0;padding:24px"
_TABLE = "border-collapse:collapse;margin:8px 0 24px"
_HEAD = "text-align:{};padding:6px 12px 6px 0;border-bottom:2px solid #d1d9e0;font-weight:600;color:#59636e"
_CELL = "text-align:{};padding:6px 12px 6px 0;border-bottom:1px solid #d1d9e0;vertical-align:top"
_GAIN, _LOSS = "#1a7f37", "#b35900"


def savings_mail(report: SavingsReport, core_hour_price: float | None = None) -> str:
    """The whole page. Texts of logs and DAGs are escaped."""
    return "".join(_parts(report, core_hour_price))


def _parts(report: SavingsReport, price: float | None) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Spark tuner: savings</title></head>'
    yield f'<body style="{_PAGE}"><h1 style="font-size:22px;margin:0 0 8px">Spark tuner: savings since {report.since}</h1>'
    total = report.total
    if not total.runs:
        yield "<p>No run had a change in force that was measured.</p></body></html>"
        return
    sure = f" (90 % sure: {sure_words(total)})" if sure_words(total) else ""
    runs = runs_words(total, len(report.cohorts))
    yield f"<p>{runs} took <strong>{_tone(total)}</strong>{sure}. {losses_words(total)}</p>"
    yield from _table("By week", "Week of", ((one.week, "", one.saved) for one in report.weeks), price)
    if any(one.tag for one in report.tags):
        tags = [(one.tag or NO_TAG, counted(one.cohorts, "cohort"), one.saved) for one in report.tags]
        yield from _ends("By team", "DAG tag", tags, price)
    cohorts = [(one.cohort, ", ".join(one.tags), one.saved) for one in report.cohorts]
    yield from _ends("By cohort", "Cohort", cohorts, price)
    changes = [(one.words or SIZES, one.cohort, one.saved) for one in report.changes]
    yield from _ends("By change", "Change", changes, price, or_more=not report.changes_are_all)
    yield "</body></html>"


def _ends(
    title: str, what: str, rows: Sequence[tuple[str, str, Saved]], price: float | None, *, or_more: bool = False
) -> Iterator[str]:
    """A table of the two ends of sorted rows, and how many there are."""
    shown = ends(rows, MOST_ROWS)
    yield from _table(title, what, shown, price)
    if cut := cut_words(len(shown), len(rows), or_more=or_more):
        yield f'<p style="margin:-16px 0 24px;color:#59636e">{escape(cut)}</p>'


def _table(title: str, what: str, rows: Iterable[tuple[str, str, Saved]], price: float | None) -> Iterator[str]:
    heads = ["Queries took", "90 % sure", "Lost", "Core-hours less", *(["Cost less"] if price is not None else [])]
    yield f'<h2 style="font-size:17px;margin:0">{title}</h2><table style="{_TABLE}"><thead><tr>'
    yield f'<th scope="col" style="{_HEAD.format("left")}">{what}</th>'
    yield from (f'<th scope="col" style="{_HEAD.format("right")}">{head}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for name, below, saved in rows:
        lost = format_seconds(saved.lost_seconds) if saved.lost_seconds else "–"
        cells = [_tone(saved), escape(sure_words(saved)) or "–", lost, format_hours(saved.core_hours)]
        cells += [format_money(saved.core_hours * price)] if price is not None else []
        small = f'<br><span style="color:#59636e">{_text(below)}</span>' if below else ""
        yield f'<tr><th scope="row" style="{_CELL.format("left")};font-weight:400">{_text(name)}{small}</th>'
        yield from (f'<td style="{_CELL.format("right")};white-space:nowrap">{cell}</td>' for cell in cells)
        yield "</tr>"
    yield "</tbody></table>"


def _tone(saved: Saved) -> str:
    colour = _GAIN if saved.seconds >= 0 else _LOSS
    return f'<span style="color:{colour}">{escape(saved_words(saved.seconds))}</span>'


def _text(text: str) -> str:
    return escape(visible(text, _MOST_CHARACTERS))
