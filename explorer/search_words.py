"""Synonyms for the search: `search_words.tsv` of a module, and the explorer's own.

Each line consists of a target, a tab, and synonyms separated by commas. The target is a service (`thirdparties`), an
operation (`GET /documents/raw`), or another word with the same meaning. Lines that begin with # are ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.contract.catalogue import Catalogue

from .module_files import folders_of, read_file

FILE = "search_words.tsv"

_OPERATION = re.compile(r"(GET|POST|PUT|PATCH|DELETE) (/\S*)")


@dataclass
class SearchWords:
    """The synonyms of one or several files.

    :param operations: verb and path → synonyms
    :param others: a service or another word → synonyms
    """

    operations: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)

    def take(self, text: str) -> None:
        """Add the lines of a file."""
        for line in text.splitlines():
            target, tabulator, words = line.partition("\t")
            if tabulator and not line.startswith("#"):
                table = self.operations if _OPERATION.fullmatch(target.strip()) else self.others
                told = ", ".join(each.strip().lower() for each in words.split(",") if each.strip())
                key = target.strip() if table is self.operations else target.strip().lower()
                table[key] = f"{table[key]}, {told}" if key in table else told


def words_of(served: Catalogue) -> SearchWords:
    """Return the synonyms of the explorer and of the modules that have services."""
    found = SearchWords()
    found.take(_own())
    for folder in sorted(folders_of(served.services.values())):
        read_file(folder / FILE, found.take)
    return found


@cache
def _own() -> str:
    return (Path(__file__).parent / FILE).read_text(encoding="utf-8")
