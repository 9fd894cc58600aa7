"""The languages of PDFs: numbers and dates as Babel writes them, and which one is chosen."""

import random
import re
from datetime import date
from decimal import Decimal

import pytest
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal, format_percent

from core import BadRequest
from core.testing import Served, make_settings
from modules.documents.content.language import choose_language
from tests.modules.documents.native_texts import LANGUAGES, native_language

LOCALES = (
    "en_US", "en_GB", "en_IN", "fr_FR", "fr_BE", "fr_CA", "de_DE", "de_CH", "es_ES", "es_MX", "it_IT", "nl_NL", "nl_BE",
    "pt_PT", "pt_BR", "pl_PL",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def served(tmp_path_factory):
    """The native modules, whose texts are active."""
    served = Served(make_settings(tmp_path_factory.mktemp("language")))
    yield served
    served.close()


@pytest.mark.parametrize("name", LOCALES)
def test_numbers_are_those_of_babel(name):
    words = native_language(name)
    chance = random.Random(name)
    for _ in range(300):
        value = Decimal(chance.randrange(-(10 ** chance.randrange(1, 13)), 10 ** chance.randrange(1, 13))).scaleb(-2)
        assert words.number(value, 2) == format_decimal(
            value, "#,##,##0.00" if name == "en_IN" else "#,##0.00", locale=name
        )
    for value in (Decimal("0"), Decimal("1234.5"), Decimal("-1234.50"), Decimal("0.05")):
        for code in ("EUR", "USD", "PLN"):
            # Babel leaves out that letters stand apart from digits (CLDR, currencySpacing)
            written = re.sub(r"(?<=[A-Z])(?=[0-9])", "\u00a0", format_currency(value, code, locale=name))
            assert words.money(value, code) == written
    assert words.percent(Decimal("20.0000")) == format_percent(Decimal("0.2"), locale=name)
    assert words.percent(Decimal("5.5")) == format_percent(Decimal("0.055"), locale=name, decimal_quantization=False)
    assert words.day(date(2026, 3, 9)) == format_date(date(2026, 3, 9), "medium", locale=name)


@pytest.mark.parametrize(
    "name, code, written",
    [
        ("en_US", "CHF", "CHF\u00a03,617.00"), ("en_GB", "EUR", "€3,617.00"), ("en_GB", "USD", "US$3,617.00"),
        ("de_CH", "CHF", "CHF\u00a03’617.00"), ("fr_FR", "CHF", "3\u202f617,00\u00a0CHF"),
    ],
)  # fmt: skip
def test_letters_stand_apart_from_digits(name, code, written):
    assert native_language(name).money(Decimal(3617), code) == written


def test_no_decimal_is_lost():
    assert choose_language("en_US").number(Decimal("1.23456789"), 2) == "1.23456789"
    assert choose_language("en_US").number(Decimal("1E+3")) == "1,000"
    assert choose_language("en_IN").number(Decimal("1234567.125"), 2) == "12,34,567.125"
    assert (
        choose_language("fr_FR").number(Decimal("9999999999999999.12345678"))
        == "9\u202f999\u202f999\u202f999\u202f999\u202f999,12345678"
    )


def test_the_language_is_the_one_asked_for_else_the_first_there_is():
    assert choose_language("fr_FR", "de_DE").language == "fr_FR"
    assert choose_language("", None, "", "de_DE").language == "de_DE"
    assert choose_language("", "ja_JP", "pl_PL").language == "pl_PL"
    assert choose_language("").language == "en_US"
    assert choose_language("fr-be").language == "fr_BE"
    assert choose_language("nl").say("Invoice") == "Factuur"
    assert choose_language("pl_FR").say("Invoice") == "Faktura"


@pytest.mark.parametrize("asked", ("xx_XX", "ja_JP", "../../etc/passwd", "fr_FR/..", "français", "f", "en_USA", "\x00"))
def test_an_unknown_language_is_refused_by_name(asked):
    with pytest.raises(BadRequest) as caught:
        choose_language(asked)
    assert caught.value.errors[0][0] == "langcode"
    assert ", ".join(LANGUAGES) in str(caught.value)
