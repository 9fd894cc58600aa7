"""The languages of dictionaries: names from Babel, and texts of modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from core import BadRequest, shown
from core.for_natives import Catalogue, cached_per_catalogue

if TYPE_CHECKING:
    from babel import Locale


class Language:
    """A language.

    :param locale: its data in Babel; None: no language was requested, so entries are returned as stored
    """

    def __init__(self, locale: Locale | None) -> None:
        self._locale = locale

    def say(self, names: str, key: str, text: str) -> str:
        """Return the translation of a predefined text of an entry, or the text itself if it isn't translated.

        :param names: `territories` or `currencies` of Babel; else the context of the texts
        :param key: key of the entry in Babel
        """
        if self._locale is None or not names:
            return text
        if names in ("territories", "currencies"):
            return str(getattr(self._locale, names).get(key, text))
        return _texts()(self._locale.language).get((names, text), text)


@lru_cache(maxsize=64)
def find_language(lang: str) -> Language:
    """Return the language for a code such as fr or fr_FR; empty: English, the stored language.

    :raises BadRequest: the language is unknown
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
    reason = f"expected a language such as fr or fr_FR, got {shown(lang)}"
    raise BadRequest(errors=[("lang", reason)])


@cached_per_catalogue
def _texts(catalogue: Catalogue) -> Callable[[str], Mapping[tuple[str, str], str]]:
    """Return what returns a language's translations by context and English text; a built-in one takes precedence."""
    ordered = sorted(catalogue.texts, key=lambda texts: texts.module == __name__.split(".")[1])

    @cache
    def texts(language: str) -> dict[tuple[str, str], str]:
        return {key: text for each in ordered if each.language == language for key, text in each.messages().items()}

    return texts
