"""The languages of papers: their texts from message catalogues, numbers and dates as Babel writes them."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.messages.pofile import read_po
from babel.numbers import format_currency, format_decimal, format_percent

from core import wrong_fields

FOLDER = Path(__file__).parents[1] / "texts"
DEFAULT = "en_US"

_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[_-]([A-Za-z]{2}))?")


class Language:
    """A language of a country: what papers say in it.

    :param language: such as ``fr_FR``
    :param locale: how numbers and dates are written
    """

    def __init__(self, language: str, locale: Locale, texts: dict[tuple[str, str], str]) -> None:
        self.language = language
        self.locale = locale
        self._texts = texts
        symbols = locale.number_symbols["latn"]
        self._signs = str.maketrans({",": symbols["group"], ".": symbols["decimal"]})
        self._in_thousands = locale.decimal_formats[None].grouping == (3, 3)

    def say(self, text: str, context: str = "") -> str:
        """A text in the language; itself when the catalogue does not know it."""
        return self._texts.get((context, text), text)

    def number(self, value: Decimal, least: int = 0) -> str:
        """A number with all its decimals, and at least so many."""
        exponent = value.normalize().as_tuple().exponent
        places = max(least, -exponent if isinstance(exponent, int) else 0)
        if self._in_thousands:
            return f"{value:,.{places}f}".translate(self._signs)
        pattern = f"{self.locale.decimal_formats[None].pattern.partition('.')[0]}.{'0' * places}"
        return str(format_decimal(value, pattern.rstrip("."), locale=self.locale))

    def money(self, value: Decimal, currency: str) -> str:
        """An amount with its currency, and two decimals at least."""
        before, behind = _around(self.locale, currency, value < 0)
        return f"{before}{self.number(abs(value), 2)}{behind}"

    def percent(self, value: Decimal) -> str:
        """A rate in percent."""
        before, behind = _around(self.locale, "", value < 0)
        return f"{before}{self.number(abs(value))}{behind}"

    def day(self, value: date) -> str:
        """A day, its month as a word where the language is used to that."""
        return _day(self.locale, value)

    def country(self, code: str) -> str:
        """The name of a country."""
        return str(self.locale.territories.get(code, code))


@lru_cache(maxsize=256)
def _around(locale: Locale, currency: str, negative: bool) -> tuple[str, str]:
    """What stands around the digits of an amount, or of a rate in percent when there is no currency."""
    one = -1 if negative else 1
    if currency:
        sample = format_currency(one, currency, locale=locale, currency_digits=False, decimal_quantization=False)
    else:
        sample = format_percent(Decimal(one) / 100, locale=locale)
    found = re.fullmatch(r"(\D*)1(?:\D0+)?(\D*)", sample)
    return (found[1], found[2]) if found else ("-" if negative else "", f" {currency or '%'}")


@lru_cache(maxsize=4096)
def _day(locale: Locale, value: date) -> str:
    return str(format_date(value, "medium", locale=locale))


@cache
def languages() -> tuple[str, ...]:
    """The languages there are catalogues for."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.po")))


@cache
def texts(language: str) -> dict[tuple[str, str], str]:
    """The catalogue of a language: context and English text → text."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    return {
        (message.context or "", str(message.id)): str(message.string)
        for message in catalogue
        if message.id and message.string
    }


@lru_cache(maxsize=256)
def _language(asked: str) -> Language | None:
    match = _LANGUAGE.fullmatch(asked.strip())
    if match is None or match[1].lower() not in languages():
        return None
    language, territory = match[1].lower(), (match[2] or "").upper()
    if not territory:
        return Language(language, Locale(language), texts(language))
    try:
        locale = Locale.parse(f"{language}_{territory}")
    except (UnknownLocaleError, ValueError):
        # A country where the language is not spoken: its own numbers are those of the language
        locale = Locale(language)
    return Language(f"{language}_{territory}", locale, texts(language))


def choose_language(asked: str, *others: str | None) -> Language:
    """The language that is asked for; when none is, the first of the others that there is, else English.

    :param asked: such as ``fr_FR`` or ``fr``
    :raises BadRequest: papers are not written in the language that is asked for
    """
    if asked:
        found = _language(asked[:40])
        if found is None:
            reason = f"Expecting a language such as fr_FR, one of {', '.join(languages())} (got {asked!r:.40})"
            raise wrong_fields([("langcode", reason)])
        return found
    for other in (*others, DEFAULT):
        if other and (found := _language(other)):
            return found
    raise LookupError("there is no catalogue of English")
