"""Searching texts: what a word is, how it is looked up, and what the tables and indexes for it are called.

A word is a run of letters and digits; everything else (``@``, ``.``, ``-``, ``_``, quotes, signs) separates words.
Capitals do not count, nor do accents on Latin letters, and the letters of `LIGATURES` count as those they are written
with. A word that is asked for finds each word that begins with it. `words_of` says all of this; each backend says the
same in its own way (`Backend.words_condition`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from .database import backend, quote
from .model import meta_of
from .search_names import TRIGRAMS, WORDS, search_name
from .sqlfilters import LOOKED_INTO
from .values import codec

#: raised where what is made changes, so that it is made anew
FORMAT = 1
#: letters of a word that count: no index takes words of any length
LONGEST_WORD = 60
#: letters that are written with others where a keyboard lacks them, in small letters
LIGATURES = {
    "ß": "ss", "æ": "ae", "ǽ": "ae", "œ": "oe", "ø": "o", "ǿ": "o", "ł": "l", "đ": "d", "ǡ": "a", "µ": "μ",
    "\u0131": "i", "\u017f": "s",
}  # fmt: skip

#: letters outside of ASCII that FTS5 and Unicode make the same small letters of: Latin, Greek, Cyrillic
_KNOWN = (range(0x80, 0x250), range(0x386, 0x3F3), range(0x400, 0x528))
_ASCII = re.compile("[a-z0-9]+")
_LATIN_MARKS = re.compile("([a-z])[\u0300-\u036f]+")
_MARKS = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """A text in which capitals and accents are gone that do not count."""
    folded = text.lower()
    if folded.isascii():
        return folded
    for letter, written in LIGATURES.items():
        folded = folded.replace(letter, written)
    folded = _LATIN_MARKS.sub(r"\1", unicodedata.normalize("NFD", folded))
    return _MARKS.sub("", unicodedata.normalize("NFC", folded))


def words_of(text: str) -> list[str]:
    """The words of a text, in its order."""
    if text.isascii():
        return [word[:LONGEST_WORD] for word in _ASCII.findall(text.lower())]
    spaced = "".join(each if _is_of_word(each) else " " for each in fold(text))
    return [word[:LONGEST_WORD] for word in spaced.split()]


def _is_of_word(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] == "L" or kind == "Nd"


def searched_fields(model: Any) -> list[Any]:
    """The fields that people look into."""
    meta = meta_of(model)
    return [meta.fields[name] for name in meta.searched]


def search_digest(model: Any, *, trigrams: bool = True) -> str:
    """What is made for a model, in one word.

    :param trigrams: whether the database has what finds the middle of words
    """
    key = meta_of(model).primary_key.column_name
    columns = [(field.column_name, _is_long(field)) for field in searched_fields(model)]
    said = (FORMAT, backend().name, meta_of(model).table_name, key, columns, trigrams)
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _is_long(field: Any) -> bool:
    """Whether a column may hold more than is looked into."""
    return codec(field).longest > LOOKED_INTO


class SearchedTable:
    """A table whose texts are searched.

    :ivar name: its name; all other names are quoted for the current database
    :ivar words: the table or index of its words
    :ivar trigrams: the table or index of its trigrams
    :ivar columns: the columns that are searched, in their order
    :ivar is_made: whether the database has what `Backend.make_search` makes
    """

    def __init__(self, model: Any) -> None:
        meta, fields = meta_of(model), searched_fields(model)
        self.name = str(meta.table_name)
        self.table, self.key = quote(self.name), quote(meta.primary_key.column_name)
        self.words, self.trigrams = quote(search_name(WORDS, self.name)), quote(search_name(TRIGRAMS, self.name))
        self.columns = [quote(field.column_name) for field in fields]
        self._are_long = [_is_long(field) for field in fields]
        self.is_made = False

    def texts(self, alias: str) -> list[str]:
        """Return the SQL of what is searched of each column.

        :param alias: what is before a column, with its dot
        """
        return [
            f"SUBSTR({alias}{column}, 1, {LOOKED_INTO})" if long else f"{alias}{column}"
            for column, long in zip(self.columns, self._are_long, strict=True)
        ]

    def trigger(self, event: str) -> str:
        """Return the name of the trigger that keeps the words.

        :param event: INSERT, UPDATE or DELETE
        """
        return quote(search_name(WORDS, self.name, f"_{event.lower()}"))


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


def literal_runs(pattern: str) -> list[str]:
    """The texts that whatever fits a pattern of `like` must hold, cut where a letter has several forms."""
    runs, run, escaped = [], "", False
    for each in pattern:
        if not escaped and each == "\\":
            escaped = True
            continue
        if (each in "%_" and not escaped) or not _has_one_form(each):
            runs.append(run)
            run = ""
        else:
            run += each
        escaped = False
    return [*runs, run]


def _has_one_form(letter: str) -> bool:
    """Whether every database takes the same letters for this one, in capitals and not."""
    if letter.isascii():
        return letter.isprintable()
    small, large = letter.lower(), letter.upper()
    paired = len(small) == len(large) == 1 and small.upper() == large and large.lower() == small
    return paired and any(ord(letter) in letters for letters in _KNOWN)


def trigram_phrases(pattern: str) -> list[str]:
    """What SQLite's trigrams are asked for a pattern; empty: it has no three letters in a row."""
    return ['"' + run.replace('"', '""') + '"' for run in literal_runs(pattern) if len(run) > 2]
