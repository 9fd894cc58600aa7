"""The languages of documents: complete catalogues, numbers and dates as Babel writes them."""

from __future__ import annotations

import ast
import csv
import random
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal, format_percent

from core import BadRequest
from modules.documents.layout.columns import HEADINGS
from modules.documents.papers.language import choose_language, languages, texts
from modules.documents.template import DAYS
from modules.invoices.papers import PAID, TITLES

ROOT = Path(__file__).parents[3]
LOCALES = (
    "en_US", "en_GB", "en_IN", "fr_FR", "fr_BE", "fr_CA", "de_DE", "de_CH", "es_ES", "es_MX", "it_IT", "nl_NL", "nl_BE",
    "pt_PT", "pt_BR", "pl_PL",
)  # fmt: skip


def test_there_are_the_languages_that_are_promised() -> None:
    assert {"en", "fr", "de", "es", "it", "nl", "pt", "pl"} <= set(languages())


@pytest.mark.parametrize("language", languages())
def test_catalogues_are_complete(language: str) -> None:
    english = texts("en")
    mine = texts(language)
    assert mine.keys() == english.keys()
    for key, text in mine.items():
        names = {word for word in ("{page}", "{pages}", "{start}", "{end}") if word in key[1]}
        assert {word for word in names if word in text} == names, f"{language} {key}"


def _said() -> set[str]:
    """Every text that the code says: constants that begin with a capital letter, given to `say` or listed for it."""
    found = set()
    folders = [ROOT / "modules/documents", *(ROOT / f"modules/{name}" for name in ("proposals", "orders", "invoices"))]
    for file in (file for folder in folders for file in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "say":
                arguments = ast.walk(node.args[0])
                found |= {each.value for each in arguments if isinstance(each, ast.Constant) and each.value}
    return found


def test_everything_that_is_said_is_in_the_catalogues() -> None:
    said = _said() - {"unit"}
    assert {"DRAFT", "Page {page} of {pages}", "Sub-total"} <= said
    said |= {*HEADINGS.values(), *DAYS.values(), *TITLES.values(), *(label for label, _ in PAID)}
    said |= {"Commercial proposal", "Order", "Invoice", "Total excl. VAT", "Total incl. VAT", "Remaining to pay"}
    assert {text for text in said if ("", text) not in texts("en")} == set()


@pytest.mark.parametrize("name", ("llx_c_payment_term", "llx_c_paiement"))
def test_the_words_of_the_dictionaries_are_in_the_catalogues(name: str) -> None:
    with (ROOT / f"modules/dictionaries/data/{name}.csv").open() as file:
        for row in csv.DictReader(file):
            # Names of firms are the same in every language
            if int(row["active"]):
                assert ("", row.get("descr") or row["label"]) in texts("en")


@pytest.mark.parametrize("name", LOCALES)
def test_numbers_are_those_of_babel(name: str) -> None:
    words = choose_language(name)
    chance = random.Random(name)
    for _ in range(300):
        value = Decimal(chance.randrange(-(10 ** chance.randrange(1, 13)), 10 ** chance.randrange(1, 13))).scaleb(-2)
        assert words.number(value, 2) == format_decimal(
            value, "#,##,##0.00" if name == "en_IN" else "#,##0.00", locale=name
        )
    for value in (Decimal("0"), Decimal("1234.5"), Decimal("-1234.50"), Decimal("0.05")):
        for code in ("EUR", "USD", "PLN"):
            assert words.money(value, code) == format_currency(value, code, locale=name)
    assert words.percent(Decimal("20.0000")) == format_percent(Decimal("0.2"), locale=name)
    assert words.percent(Decimal("5.5")) == format_percent(Decimal("0.055"), locale=name, decimal_quantization=False)
    assert words.day(date(2026, 3, 9)) == format_date(date(2026, 3, 9), "medium", locale=name)


def test_no_decimal_is_lost() -> None:
    assert choose_language("en_US").number(Decimal("1.23456789"), 2) == "1.23456789"
    assert choose_language("en_US").number(Decimal("1E+3")) == "1,000"
    assert choose_language("en_IN").number(Decimal("1234567.125"), 2) == "12,34,567.125"
    assert (
        choose_language("fr_FR").number(Decimal("9999999999999999.12345678"))
        == "9\u202f999\u202f999\u202f999\u202f999\u202f999,12345678"
    )


def test_the_language_is_the_one_asked_for_else_the_first_there_is() -> None:
    assert choose_language("fr_FR", "de_DE").language == "fr_FR"
    assert choose_language("", None, "", "de_DE").language == "de_DE"
    assert choose_language("", "ja_JP", "pl_PL").language == "pl_PL"
    assert choose_language("").language == "en_US"
    assert choose_language("fr-be").language == "fr_BE"
    assert choose_language("nl").say("Invoice") == "Factuur"
    assert choose_language("pl_FR").say("Invoice") == "Faktura"


@pytest.mark.parametrize("asked", ("xx_XX", "ja_JP", "../../etc/passwd", "fr_FR/..", "français", "f", "en_USA", "\x00"))
def test_an_unknown_language_is_refused_by_name(asked: str) -> None:
    with pytest.raises(BadRequest) as caught:
        choose_language(asked)
    assert caught.value.errors[0][0] == "langcode"
    assert "de, en, es, fr, it, nl, pl, pt" in str(caught.value)
