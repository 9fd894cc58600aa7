"""The languages of documents: texts from message catalogues, numbers and dates formatted by Babel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from core import BadRequest, shown
from core.for_natives import Catalogue, cached_per_catalogue, default_context

if TYPE_CHECKING:
    from babel import Locale

#: the module whose texts all other modules also use
NATIVE = "documents"
DEFAULT = "en_US"

_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[_-]([A-Za-z]{2}))?")


class Language:
    """A language, optionally of a country: the texts, numbers and dates of documents.

    :param language: such as ``fr_FR``
    :param locale: locale for formatting numbers and dates
    :param texts: context and English text → translation
    """

    def __init__(self, language: str, locale: Locale, texts: Mapping[tuple[str, str], str]) -> None:
        self.language = language
        self.locale = locale
        self._texts = texts

    def say(self, text: str, context: str = "") -> str:
        """Return the translation of a text; the English text if it has none."""
        return self._texts.get((context, text), text)

    def saying(self, instead: Mapping[str, str]) -> Language:
        """Return the same language with some texts replaced.

        :param instead: English text → the English text to use in its place
        """
        others = {("", text): self.say(other) for text, other in instead.items()}
        return Language(self.language, self.locale, {**self._texts, **others})

    @default_context
    def number(self, value: Decimal, least: int = 0) -> str:
        """Return a number with all its decimals, at least `least` of them."""
        from babel.numbers import format_decimal

        pattern = f"{self.locale.decimal_formats[None].pattern.partition('.')[0]}.{'0' * least}".rstrip(".")
        return str(format_decimal(value + 0, pattern, self.locale, decimal_quantization=False))

    @default_context
    def money(self, value: Decimal, currency: str) -> str:
        """Return an amount with its currency and at least two decimals."""
        from babel.numbers import format_currency

        text = format_currency(
            value + 0, currency, locale=self.locale, currency_digits=False, decimal_quantization=False
        )
        # A space separates letters from digits, even if the pattern has none (CLDR: currencySpacing)
        return re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", "\u00a0", text)

    @default_context
    def percent(self, value: Decimal) -> str:
        """Return a rate in percent."""
        from babel.numbers import format_percent

        return str(format_percent(value / 100 + 0, locale=self.locale, decimal_quantization=False))

    def day(self, value: date) -> str:
        """Return a date in the language's medium format."""
        from babel.dates import format_date

        return str(format_date(value, "medium", locale=self.locale))

    def country(self, code: str) -> str:
        """Return the name of a country; its code if the name is not known."""
        return str(self.locale.territories.get(code, code))


def languages() -> tuple[str, ...]:
    """Return the languages with texts in any module, and English, the language of the code."""
    return _known_texts().languages


def choose_language(asked: str, *others: str | None, module: str = NATIVE) -> Language:
    """Return the requested language; if none is requested, the first of the others that is available, or English.

    :param asked: such as ``fr_FR`` or ``fr``
    :param module: the module whose texts take precedence
    :raises BadRequest: the requested language is not available
    """
    known = _known_texts()
    if asked:
        found = known.language(asked[:40], module)
        if found is None:
            reason = f"expected one of {', '.join(languages())}; got {shown(asked)}"
            raise BadRequest(errors=[("langcode", reason)])
        return found
    usable = (known.language(other, module) for other in (*others, DEFAULT) if other)
    return next(found for found in usable if found)


class KnownTexts:
    """The texts of all modules of a catalogue, and the languages made of them."""

    def __init__(self, served: Catalogue) -> None:
        self._files = served.texts
        self.languages = tuple(sorted({"en", *(each.language for each in served.texts)}))
        self.texts = cache(self._texts)
        self.language = lru_cache(maxsize=256)(self._language)

    def _texts(self, language: str, module: str) -> dict[tuple[str, str], str]:
        """Return the texts of a language; a module's own take precedence, then those of `NATIVE`, then all others."""
        found: dict[tuple[str, str], str] = {}
        files = [each for each in self._files if each.language == language]
        for each in sorted(files, key=lambda each: (each.module != module, each.module != NATIVE)):
            found = {**each.messages(), **found}
        return found

    def _language(self, asked: str, module: str) -> Language | None:
        from babel import Locale, UnknownLocaleError

        match = _LANGUAGE.fullmatch(asked.strip())
        if match is None or match[1].lower() not in self.languages:
            return None
        language, territory = match[1].lower(), (match[2] or "").upper()
        if not territory:
            return Language(language, Locale(language), self.texts(language, module))
        try:
            locale = Locale.parse(f"{language}_{territory}")
        except (UnknownLocaleError, ValueError):
            # Babel has no such locale: numbers are formatted as in the language without country
            locale = Locale(language)
        return Language(f"{language}_{territory}", locale, self.texts(language, module))


@cached_per_catalogue
def _known_texts(served: Catalogue) -> KnownTexts:
    return KnownTexts(served)


#: country → the replacements of texts
INSTEAD = {
    "US": {
        "VAT": "Tax",
        "VAT rate": "Tax rate",
        "VAT amount": "Tax amount",
        "Total excl. VAT": "Total before tax",
        "Total VAT": "Sales tax",
        "Total incl. VAT": "Total with tax",
    }
}


def seller_words(words: Language, country: str | None) -> Language:
    """Return a language with the terms that a company of a country uses."""
    return _variant(words, country) if country in INSTEAD else words


@lru_cache(maxsize=64)
def _variant(words: Language, country: str) -> Language:
    return words.saying(INSTEAD[country])
