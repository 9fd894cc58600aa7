"""What people look for that is called otherwise here: `search_words.tsv` beside a module, and the explorer's own.

Each line is a target, a tabulator, and words for it, separated by commas: a service (`thirdparties`), an operation
(`GET /documents/raw`), or another word, of which the words then mean the same. Lines that begin with # say nothing.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core import Catalogue

_log = logging.getLogger("comptoir")

FILE, LARGEST = "search_words.tsv", 100_000

_OPERATION = re.compile(r"(GET|POST|PUT|PATCH|DELETE) (/\S*)")


@dataclass
class SearchWords:
    """The words of one file or of many.

    :param operations: verb and path → words for it
    :param others: a service or another word → words for it
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
    """What the explorer and the modules that serve something say."""
    found = SearchWords()
    found.take(_own())
    folders = {each.file.parent.parent for each in served.services.values() if each.file.parent.name == "class"}
    for text in _texts(sorted(folders)):
        found.take(text)
    return found


@cache
def _own() -> str:
    return (Path(__file__).parent / FILE).read_text(encoding="utf-8")


def _texts(folders: Iterable[Path]) -> Iterable[str]:
    """The files there are; one that cannot be read costs the module nothing else."""
    for folder in folders:
        file = folder / FILE
        try:
            if file.stat().st_size > LARGEST:
                raise ValueError(f"the file has more than {LARGEST} bytes")
            yield file.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            _log.warning("the search words in %s are ignored: %s", file, error)
