"""The HTML around a page's data: the panel's sheets and modules, its libraries, and a policy that allows just these."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tuner.panel.assets import FOLDER as PANEL
from tuner.panel.assets import PLOT_STYLE
from tuner.single_page.bundle import bundle

SHARED = Path(__file__).parent / "static"
_ENDS_SCRIPT = re.compile(r"</script|<!--|<script|\r", re.IGNORECASE)
_ENDS_STYLE = re.compile(r"</style|\r", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before a page's data, and behind it."""

    head: str
    tail: str


@cache
def frame(title: str, own: Path, entry: str) -> Frame:
    """The page without its data: `own` holds the folders `js`, with the module `entry` that it starts with, and `css`.

    ValueError where a file that goes into it could end its own element.
    """
    theme, d3, plot = (
        _script(PANEL / name) for name in ("js/theme_first.js", "vendor/d3.min.js", "vendor/plot.umd.min.js")
    )
    modules = bundle(entry, (own / "js", SHARED / "js", PANEL / "js"))
    _refuse(_ENDS_SCRIPT, modules, "a module")
    style = _style(own)
    head = _HEAD.format(policy=_policy([theme, d3, plot, modules], style), theme=theme, style=style, title=title)
    return Frame(head, _TAIL.format(d3=d3, plot=plot, modules=modules))


def sheets(own: Path) -> list[Path]:
    """In the order in which the panel's page has them, and the page's own behind those."""
    named = re.findall(r'href="static/(css/\w+\.css)"', (PANEL / "index.html").read_text(encoding="utf-8"))
    return [*(PANEL / name for name in named), *sorted((own / "css").glob("*.css"))]


def _script(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    _refuse(_ENDS_SCRIPT, text, file.name)
    return text


def _style(own: Path) -> str:
    text = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets(own))
    _refuse(_ENDS_STYLE, text, "a sheet")
    return text


def _refuse(pattern: re.Pattern[str], text: str, what: str) -> None:
    if found := pattern.search(text):
        raise ValueError(f"{what} holds {found[0]!r} and cannot stand in a page")


def _policy(scripts: list[str], style: str) -> str:
    """Nothing from any host, and of what is in the page only these: what a log holds cannot run, whatever is done with it."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {_hash(style)} {PLOT_STYLE}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


_HEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<script>{theme}</script>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header id="top" class="top"></header>
<main id="main" tabindex="-1"></main>
<div id="said" class="unseen" role="status" aria-live="polite"></div>
<noscript><p class="notice">This page needs JavaScript. It loads nothing from anywhere.</p></noscript>
"""

_TAIL = """\
<script>{d3}</script>
<script>{plot}</script>
<script type="module">{modules}</script>
</body>
</html>
"""
