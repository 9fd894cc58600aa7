"""Differences that were decided, each with its reason, as a table: `decided.tsv`.

Its columns are patterns (`*` any text, `|` or) of the exchange, of the key and of what differs, and the reason. The first row that
matches a difference explains it; a row that explains none is wrong.
"""

import re
from collections import Counter
from fnmatch import translate
from pathlib import Path

HERE = Path(__file__).parent


class Decisions:
    """A table, and how often each row of it was needed.

    :ivar needed: row → how many differences it explains
    """

    def __init__(self, file):
        lines = (HERE / file).read_text(encoding="utf-8").splitlines()
        self.rows = [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]
        self.needed = Counter()
        self._patterns = [tuple(_compiled(each) for each in row[:3]) for row in self.rows]

    def explains(self, difference):
        """Whether a row matches."""
        number = self._number_of(difference)
        if number is not None:
            self.needed[number] += 1
        return number is not None

    def row_of(self, difference):
        """The row that explains a difference."""
        number = self._number_of(difference)
        return None if number is None else self.rows[number]

    def _number_of(self, difference):
        said = (difference.exchange.place, difference.key, difference.what)
        for number, patterns in enumerate(self._patterns):
            if all(pattern.match(each) for pattern, each in zip(patterns, said, strict=True)):
                return number
        return None

    def without_use(self):
        """The rows that explain nothing."""
        return ["\t".join(row) for number, row in enumerate(self.rows) if not self.needed[number]]

    def unexplained(self, differences):
        """Those that no row matches."""
        return [each for each in differences if not self.explains(each)]


def _compiled(pattern):
    return re.compile("|".join(translate(each) for each in pattern.split("|")))
