"""The native texts of PDFs: complete, translated, and all that the code says."""

import ast
import csv
from pathlib import Path

import pytest

from modules.documents.content.language import INSTEAD
from modules.documents.layout.columns import HEADINGS
from modules.documents.template import DAYS
from modules.invoices.template import PAID, TITLES
from tests.modules.documents.native_texts import LANGUAGES, native_texts

ROOT = Path(__file__).parents[4]
#: what several languages have in common with English
INTERNATIONAL = {
    ("", "Bank"), ("", "Cheque"), ("", "Factoring"), ("", "Option"), ("", "Tel."), ("", "Total"), ("", "{what}: {amount}"),
    ("unit", "h"), ("unit", "min"), ("unit", "set"),
}  # fmt: skip
#: language → what else it has in common with English
COMMON = {"fr": {("", "Capital"), ("", "Date"), ("", "Note")}, "nl": {("", "Contract")}, "pl": {("", "VAT")}}


def test_there_are_the_languages_that_are_promised():
    assert {"en", "fr", "de", "es", "it", "nl", "pt", "pl"} <= set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_are_complete(language):
    english = native_texts("en")
    mine = native_texts(language)
    assert mine.keys() == english.keys()
    for key, text in mine.items():
        names = {word for word in ("{page}", "{pages}", "{start}", "{end}") if word in key[1]}
        assert {word for word in names if word in text} == names, f"{language} {key}"


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_nothing_was_copied_instead_of_translated(language):
    copied = {key for key, text in native_texts(language).items() if text == key[1]}
    assert copied - INTERNATIONAL - COMMON.get(language, set()) == set()


def _said():
    """Every text that the code says: constants given to `say`, and the labels in functions that return labels."""
    found = set()
    folders = [ROOT / "modules/documents", *(ROOT / f"modules/{name}" for name in ("proposals", "orders", "invoices"))]
    for file in (file for folder in folders for file in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "say":
                arguments = ast.walk(node.args[0])
                found |= {each.value for each in arguments if isinstance(each, ast.Constant) and each.value}
            elif isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node).startswith("list[tuple[str, "):
                pairs = (each.elts for each in ast.walk(node) if isinstance(each, ast.Tuple) and len(each.elts) > 1)
                labels = {first.value for first, *_ in pairs if isinstance(first, ast.Constant)}
                found |= {label for label in labels if isinstance(label, str) and label[:1].isupper()}
    return found


def test_everything_that_is_said_is_in_the_catalogues():
    said = _said() - {"unit", "IBAN", "BIC"}
    assert {"DRAFT", "Page {page} of {pages}", "Sub-total", "Payment terms", "Mandate reference", "Stamp duty"} <= said
    said |= {*HEADINGS.values(), *DAYS.values(), *TITLES.values(), *(label for label, _ in PAID)}
    said |= {text for texts in INSTEAD.values() for pair in texts.items() for text in pair}
    said |= {"Commercial proposal", "Order", "Invoice", "Total excl. VAT", "Total incl. VAT", "Remaining to pay"}
    known = native_texts("en").keys() | native_texts("en", "mandates").keys()
    assert {text for text in said if ("", text) not in known} == set()


@pytest.mark.parametrize("name", ("llx_c_payment_term", "llx_c_paiement"))
def test_the_words_of_the_dictionaries_are_in_the_catalogues(name):
    with (ROOT / f"modules/dictionaries/data/{name}.csv").open() as file:
        # Names of firms are the same in every language
        words = {row.get("descr") or row["label"] for row in csv.DictReader(file) if int(row["active"])}
    assert words
    assert {("", each) for each in words} <= native_texts("en").keys()
