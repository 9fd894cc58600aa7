r"""Texts: how patterns of `like` compare them, the words that searches find, and the names of what finds words.

Patterns of `like` ignore case but not accents, on every database. Two characters differ only in case if they have the
same lower case (`fold`). Each kind of database compares a pattern in its own way (`Backend.like_condition`): over all
of Unicode, PostgreSQL's ``C.utf8`` and MariaDB's ``uca1400`` have the lower case of Python. SQLite's own LIKE ignores
the case of ASCII only. A pattern with another character also becomes a GLOB, in which ``é`` is ``[éÉ]``.

A word is a run of letters and digits; all other characters separate words. Case is ignored, and so are accents on Latin
letters; `LIGATURES` are replaced. A search finds the words that begin with a given one. `words_of` defines all of this
in Python, and each backend in SQL (`Backend.words_condition`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

#: characters outside of ASCII whose lower case is in it: for SQLite's LIKE they are other characters
STRANGERS = {"i": "\u0130", "k": "\u212a"}
#: above the last character that has an upper case
LAST = 0x1F000
#: a text that shows whether a database converts to lower case as `fold` does
PROBE = "ÉİΣЖẞΑΣ i\u212a"
#: increased when search tables change, so that they are made again
FORMAT = 1
#: characters of a word that are compared: no index takes words of any length
LONGEST_WORD = 60
#: characters in lower case, and what replaces them
LIGATURES = {
    "ß": "ss", "æ": "ae", "ǽ": "ae", "œ": "oe", "ø": "o", "ǿ": "o", "ł": "l", "đ": "d", "ǡ": "a", "µ": "μ",
    "\u0131": "i", "\u017f": "s",
}  # fmt: skip

_ASCII = re.compile("[a-z0-9]+")
_LATIN_MARKS = re.compile("([a-z])[\u0300-\u036f]+")
_MARKS = re.compile("[\u0300-\u036f]+")
#: how the names of search tables and indexes begin; the second is only dropped, an older server may have made it
WORDS, TRIGRAMS = "comptoir_words_", "comptoir_trigrams_"


# Patterns -------------------------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Return a text in lower case, with as many characters as before."""
    # In Python, the lower case of a sigma depends on its neighbours, and that of the Turkish I has two characters
    return text.lower() if text.isascii() else text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


def sqlite_like(subject: str, pattern: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition for a pattern of `like` in SQLite, and the values it binds."""
    like = f"{subject} LIKE ? ESCAPE '\\'"
    strangers = [other for each, other in STRANGERS.items() if each in fold(pattern)]
    if pattern.isascii() or all(each.isascii() or len(_forms(each)) == 1 for each in pattern):
        if not strangers:
            return like, (pattern,)
        held = " OR ".join([f"INSTR({subject}, ?)"] * len(strangers))
        return f"({like} OR (({held}) AND {subject} GLOB ?))", (pattern, *strangers, glob(pattern))
    # LIKE searches for a text and leaves few rows to GLOB, which tries each position
    return f"({like} AND {subject} GLOB ?)", (_rough(pattern), glob(pattern))


def glob(pattern: str) -> str:
    """Return a pattern of `like` as one of GLOB."""
    made = []
    for each, wild in characters(pattern):
        forms = _forms(each)
        if wild:
            made.append("*" if each == "%" else "?")
        else:
            made.append(f"[{forms}]" if len(forms) > 1 or each in "*?[" else each)
    return "".join(made)


def _rough(pattern: str) -> str:
    """Return a pattern of LIKE that finds at least the same texts; `_` replaces characters whose case LIKE compares."""
    return "".join(
        each if wild else "_" if not _forms(each).isascii() else f"\\{each}" if each in "\\%_" else each
        for each, wild in characters(pattern)
    )


def characters(pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield the characters of a pattern, and whether each is a wildcard."""
    escaped = False
    for each in pattern:
        if each == "\\" and not escaped:
            escaped = True
            continue
        yield each, each in "%_" and not escaped
        escaped = False


def _forms(letter: str) -> str:
    """Return a character and those that differ from it only in case."""
    return _classes().get(fold(letter), letter)


@cache
def _classes() -> dict[str, str]:
    found = defaultdict(list)
    for number in range(LAST):
        letter = chr(number)
        if letter.lower() != letter:
            found[fold(letter)].append(letter)
    return {small: small + "".join(others) for small, others in found.items()}


# Words ----------------------------------------------------------------------------------------------------------------


def unaccented(text: str) -> str:
    """Return a text in lower case, without accents on Latin letters and without ligatures."""
    folded = text.lower()
    if folded.isascii():
        return folded
    for letter, written in LIGATURES.items():
        folded = folded.replace(letter, written)
    folded = _LATIN_MARKS.sub(r"\1", unicodedata.normalize("NFD", folded))
    return _MARKS.sub("", unicodedata.normalize("NFC", folded))


def words_of(text: str) -> list[str]:
    """Return the words of a text, in its order."""
    if text.isascii():
        return [word[:LONGEST_WORD] for word in _ASCII.findall(text.lower())]
    spaced = "".join(each if _is_of_word(each) else " " for each in unaccented(text))
    return [word[:LONGEST_WORD] for word in spaced.split()]


def _is_of_word(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] == "L" or kind == "Nd"


def joined(texts: Sequence[str]) -> str:
    """Return the SQL of several texts in one, NULL left out."""
    return " || ' ' || ".join(f"COALESCE({text}, '')" for text in texts)


def without_ligatures(sql: str) -> str:
    """Return the SQL of a text whose ligatures are written with other letters."""
    capitals = {letter.upper(): written for letter, written in LIGATURES.items()} | {"ẞ": "ss"}
    for each, written in (LIGATURES | capitals).items():
        if len(each) == 1 and not each.isascii():
            sql = f"REPLACE({sql}, '{each}', '{written}')"
    return sql


# Names for searches ---------------------------------------------------------------------------------------------------


def search_name(start: str, table: str, end: str = "") -> str:
    """Return the name of a search table, index or trigger, short enough for every database."""
    name = f"{start}{table}{end}"
    if len(name) <= 55:
        return name
    return f"{name[:46]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def is_search_name(name: str) -> bool:
    """Return whether a table or an index, or a part of one, is for searching."""
    return name.startswith((WORDS, TRIGRAMS))


def kept_name(table: str) -> str:
    """Return the name of the row of `comptoir_table` about what is made to search a table."""
    return f"{table} search"


class SearchedTable:
    """A table whose texts are searched.

    :param columns: the columns that are searched, and how many of their characters; 0: all
    :param quote: quotes a name for the current database
    :ivar name: its name; all other names are quoted
    :ivar words: the table or index of its words
    :ivar is_made: whether the database has what `Backend.make_search` makes
    """

    def __init__(self, name: str, key: str, columns: Mapping[str, int], quote: Callable[[str], str]) -> None:
        self.name, self._quote = name, quote
        self.table, self.key = quote(name), quote(key)
        self.words = quote(search_name(WORDS, name))
        self.columns = [quote(column) for column in columns]
        self._lengths = [*columns.values()]
        self.is_made = False

    def texts(self, alias: str) -> list[str]:
        """Return the SQL of what is searched of each column.

        :param alias: what is before a column, with its dot
        """
        return [
            f"SUBSTR({alias}{column}, 1, {length})" if length else f"{alias}{column}"
            for column, length in zip(self.columns, self._lengths, strict=True)
        ]

    def trigger(self, event: str) -> str:
        """Return the name of the trigger that keeps the words.

        :param event: INSERT, UPDATE or DELETE
        """
        return self._quote(search_name(WORDS, self.name, f"_{event.lower()}"))
