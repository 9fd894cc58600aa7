"""Records with texts of dictionary entries, in the requested language."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self, TypeVar

from core import Model, Records

from .language import find_language
from .lists import DICTIONARIES

M = TypeVar("M", bound=Model)


class TranslatedRecords(Records[M]):
    """Records with texts from dictionaries.

    :cvar words: key of the text in the record → name of the dictionary, and the field that references an entry
    """

    words: Mapping[str, tuple[str, str]] = {}
    _lang = ""

    def in_language(self, lang: str) -> Self:
        """Return the same records in a language; empty: in English.

        :raises BadRequest: the language is unknown
        """
        find_language(lang)
        made = copy(self)
        made._lang = lang
        return made

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the texts."""
        super().complete(records)
        for key, (dictionary, field) in self.words.items():
            DICTIONARIES[dictionary].in_language(self._lang).add_words(records, key, field)
