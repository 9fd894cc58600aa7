"""The banned phrases: the table of `core/WRITING.md`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "core/WRITING.md"

_CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Pattern:
    """A row of the table: what not to write, what to write, and the expression that finds it."""

    wrong: str
    better: str
    expression: re.Pattern[str]


def read_patterns(page=PAGE):
    """Return the rows under "Banned"; the page writes a `|` of an expression as Markdown needs it, with a backslash."""
    _, _, section = page.read_text(encoding="utf-8").partition("\n## Banned\n")
    section, _, _ = section.partition("\n## ")
    rows = [[cell.strip() for cell in _CELLS.split(line)[1:-1]] for line in section.splitlines() if line[:1] == "|"]
    return [
        Pattern(wrong, better, re.compile(found.strip("`").replace("\\|", "|"), re.M))
        for wrong, better, found in rows[2:]
    ]
