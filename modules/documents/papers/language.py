"""The languages of documents: texts from message catalogues, numbers and dates formatted by Babel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

from core import Catalogue, cached_per_catalogue, default_context, shown, wrong_fields

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
        symbols = locale.number_symbols["latn"]
        self._signs = str.maketrans({",": symbols["group"], ".": symbols["decimal"]})
        self._around = lru_cache(64)(partial(_around, locale))
        self._day = lru_cache(512)(partial(_day, locale))
        self._in_thousands = locale.decimal_formats[None].grouping == (3, 3)

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
        exponent = value.normalize().as_tuple().exponent
        places = max(least, -exponent if isinstance(exponent, int) else 0)
        if self._in_thousands:
            return f"{value:,.{places}f}".translate(self._signs)
        from babel.numbers import format_decimal

        pattern = f"{self.locale.decimal_formats[None].pattern.partition('.')[0]}.{'0' * places}"
        return str(format_decimal(value, pattern.rstrip("."), locale=self.locale))

    @default_context
    def money(self, value: Decimal, currency: str) -> str:
        """Return an amount with its currency and at least two decimals."""
        before, behind = self._around(currency, value < 0)
        return f"{before}{self.number(abs(value), 2)}{behind}"

    @default_context
    def percent(self, value: Decimal) -> str:
        """Return a rate in percent."""
        before, behind = self._around("", value < 0)
        return f"{before}{self.number(abs(value))}{behind}"

    def day(self, value: date) -> str:
        """Return a date in the language's medium format."""
        return self._day(value)

    def country(self, code: str) -> str:
        """Return the name of a country; its code if the name is not known."""
        return str(self.locale.territories.get(code, code))


def _around(locale: Locale, currency: str, negative: bool) -> tuple[str, str]:
    """Return the text before and after the digits of an amount, or of a percentage if the currency is empty."""
    from babel.numbers import format_currency, format_percent

    one = -1 if negative else 1
    if currency:
        sample = format_currency(one, currency, locale=locale, currency_digits=False, decimal_quantization=False)
    else:
        sample = format_percent(Decimal(one) / 100, locale=locale)
    found = re.fullmatch(r"(\D*)1(?:\D0+)?(\D*)", sample)
    if not found:
        return "-" if negative else "", f"\u00a0{currency or '%'}"
    before, behind = found.groups()
    # A space separates letters from digits, even if the pattern has none (CLDR: currencySpacing)
    return (f"{before}\u00a0" if before[-1:].isalpha() else before), (
        f"\u00a0{behind}" if behind[:1].isalpha() else behind
    )


def _day(locale: Locale, value: date) -> str:
    from babel.dates import format_date

    return str(format_date(value, "medium", locale=locale))


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
            raise wrong_fields([("langcode", reason)])
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
