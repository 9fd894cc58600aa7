"""The languages in which dictionaries are read: names of Babel's, and the texts of modules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from core import Catalogue, cached_per_catalogue, wrong_fields

if TYPE_CHECKING:
    from babel import Locale


class Language:
    """A language.

    :param locale: what Babel knows of it; None: none was asked for, so entries are shown as they are kept
    """

    def __init__(self, locale: Locale | None) -> None:
        self._locale = locale

    def say(self, names: str, key: str, text: str) -> str:
        """A text of an entry as it was shipped, in the language; the text itself where nobody has translated it.

        :param names: `territories` or `currencies` of Babel; else the context of the texts
        :param key: what Babel knows the entry by
        """
        if self._locale is None or not names:
            return text
        if names in ("territories", "currencies"):
            return str(getattr(self._locale, names).get(key, text))
        return _texts().get(self._locale.language, {}).get((names, text), text)


@lru_cache(maxsize=64)
def find_language(lang: str) -> Language:
    """The language of a code such as fr or fr_FR; empty: English, as entries are kept.

    :raises BadRequest: there is no such language
    """
    if not lang:
        return Language(None)
    from babel import Locale, UnknownLocaleError

    language, _, rest = lang.replace("-", "_").partition("_")
    for each in (f"{language}_{rest}", language) if rest else (language,):
        try:
            return Language(Locale.parse(each))
        except (UnknownLocaleError, ValueError):
            continue
    reason = f"expected a language such as fr or fr_FR, got {lang!r:.20}"
    raise wrong_fields([("lang", reason)])


@cached_per_catalogue
def _texts(catalogue: Catalogue) -> dict[str, dict[tuple[str, str], str]]:
    """Language → context and English text → translation; a native one counts more than one of another module."""
    found: dict[str, dict[tuple[str, str], str]] = {}
    for each in sorted(catalogue.texts, key=lambda texts: texts.module == __name__.split(".")[1]):
        messages: Mapping[tuple[str, str], str] = each.messages
        found.setdefault(each.language, {}).update(messages)
    return found
