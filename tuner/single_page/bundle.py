"""JavaScript modules as one script: a page opened from a file may not load modules from other files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_IMPORT_NAMES = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.MULTILINE)
_IMPORT_ALL = re.compile(r'^import \* as (\w+) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_LEFT_OVER = re.compile(r"^\s*(?:import|export)\b.*|\bimport(?:\.meta|\()", re.MULTILINE)


def bundle(entry: str, folders: Sequence[Path]) -> str:
    """The module `entry` and all that it imports, each as a function of its own that gives what it exports.

    A module is taken from the first folder that has it. Imports and exports are those that the panel is written with:
    `import { a, b as c } from "./x.js"`, `import * as x from "./x.js"`, and exported declarations; ValueError for others,
    and for modules that import one another in a circle.
    """
    return "\n".join(_wrapped(name, source) for name, source in _in_order(entry, folders))


def imports_of(source: str) -> list[str]:
    """The names of the modules that a module imports."""
    found = [*_IMPORT_NAMES.finditer(source), *_IMPORT_ALL.finditer(source)]
    return list(dict.fromkeys(match[2] for match in sorted(found, key=re.Match.start)))


def _in_order(entry: str, folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Each module after all that it imports."""
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        if name in above:
            raise ValueError(f"modules import one another in a circle: {' → '.join((*above, name))}")
        if name in done:
            return
        source = _read(name, folders)
        for imported in imports_of(source):
            yield from visit(imported, (*above, name))
        done.add(name)
        yield name, source

    yield from visit(entry, ())


def _read(name: str, folders: Sequence[Path]) -> str:
    found = next((file for folder in folders if (file := folder / f"{name}.js").is_file()), None)
    if found is None:
        raise ValueError(f"no module {name}.js in {', '.join(map(str, folders))}")
    return found.read_text(encoding="utf-8")


def _wrapped(name: str, source: str) -> str:
    exported = [match[2] for match in _EXPORT.finditer(source)]
    body = _IMPORT_NAMES.sub(lambda m: f"const {{{m[1].replace(' as ', ': ')}}} = ${m[2]};", source)
    body = _IMPORT_ALL.sub(r"const \1 = $\2;", body)
    body = _EXPORT.sub(r"\1 \2", body)
    if left := _LEFT_OVER.search(body):
        raise ValueError(f"{name}.js: this form of import or export cannot be put into one script: {left[0].strip()}")
    return f"const ${name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"
