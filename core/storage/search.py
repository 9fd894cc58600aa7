"""Searching texts: what a word is, and what is searched of a model.

A word is a run of letters and digits; all other characters separate words. Case is ignored, and so are accents on Latin
letters; `LIGATURES` are replaced. A search finds the words that begin with a given one. `words_of` defines all of this
in Python, and each backend in SQL (`Backend.words_condition`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from .database import backend, quote
from .model import meta_of
from .search_names import SearchedTable
from .sqlfilters import LOOKED_INTO
from .values import codec

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


def fold(text: str) -> str:
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
    spaced = "".join(each if _is_of_word(each) else " " for each in fold(text))
    return [word[:LONGEST_WORD] for word in spaced.split()]


def _is_of_word(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] == "L" or kind == "Nd"


def searched_fields(model: Any) -> list[Any]:
    """Return the fields that are searched."""
    meta = meta_of(model)
    return [meta.fields[name] for name in meta.searched]


def search_digest(model: Any) -> str:
    """Return a digest of what is made to search a model."""
    key = meta_of(model).primary_key.column_name
    columns = [(field.column_name, _is_long(field)) for field in searched_fields(model)]
    said = (FORMAT, backend().name, meta_of(model).table_name, key, columns)
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _is_long(field: Any) -> bool:
    """Return whether a column may hold more characters than are searched."""
    return codec(field).longest > LOOKED_INTO


def searched_table(model: Any) -> SearchedTable:
    """Return what is searched of a model, for the current database."""
    meta = meta_of(model)
    columns = {field.column_name: LOOKED_INTO if _is_long(field) else 0 for field in searched_fields(model)}
    return SearchedTable(str(meta.table_name), meta.primary_key.column_name, columns, quote)


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
