"""Texts that a module outside the tree brings: on its own PDFs, in a language that natives have and in one they lack."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal

from tests.modules.documents.calls import download, pdf_path, proposal, thirdparty
from tests.modules.documents.native_texts import LANGUAGES
from tests.modules.documents.pdf_text import single_spaced, text_of

SAMPLES = Path(__file__).parents[4] / "tests/samples/modules"
TEMPLATE = """
from ...documents.layout.style import Style
from ...documents.template import Template
from ..contracts import contracts


class Sheet(Template):
    documents = contracts
    title = "Service agreement"
    days = {"date": "Begin of service"}
    style = Style(columns=("text", "qty", "total"))

    def facts(self):
        return [*super().facts(), ("Care by", "Ada")]
"""
SWEDISH = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"

msgid "Service agreement"
msgstr "Serviceavtal"

msgid "Begin of service"
msgstr "Tjänsten börjar"

msgid "Description"
msgstr "Beskrivning"

msgid "Page {page} of {pages}"
msgstr "Sida {page} av {pages}"
"""
#: a language that natives lack, whatever is added to theirs
LACKING, COUNTRY = ("sv", "sv_SE") if "sv" not in LANGUAGES else ("is", "is_IS")
GERMAN = """
msgid "Service agreement"
msgstr "Wartungsvertrag"

msgid "Care by"
msgstr "Betreut von"

msgid "Quantity"
msgstr "Stückzahl"
"""


@pytest.fixture
def served(serve, write, folder):
    """The samples' contracts with a template, from outside of the tree."""
    for file in (SAMPLES / "contracts").rglob("*.py"):
        write(str(file.relative_to(SAMPLES)), file.read_text())
    write("contracts/doctemplates/pdf_sheet.py", TEMPLATE)
    return serve(modules=str(folder))


def contract(client):
    """The reference of a new validated contract."""
    body = {"socid": thirdparty(client), "date": "2026-11-21", "lines": [{"desc": "x", "qty": 1234, "subprice": 1}]}
    return str(client.ask("POST", f"/contracts/{client.ask('POST', '/contracts', body)}/validate", {})["ref"])


def printed(client, ref, language, modulepart="contract"):
    """What a PDF says in a language."""
    body = {"modulepart": modulepart, "original_file": pdf_path(ref), "langcode": language}
    assert client.ask("PUT", "/documents/builddoc", body)["langcode"] == language
    return text_of(download(client, pdf_path(ref), modulepart))


def test_titles_labels_and_headings_are_translated_and_what_is_not_appears_in_english(served, write):
    client = served.client()
    ref = contract(client)
    body = {"modulepart": "contract", "original_file": pdf_path(ref), "langcode": COUNTRY}
    client.refused("PUT", "/documents/builddoc", body, status=400)
    write(f"contracts/texts/{LACKING}.po", SWEDISH)
    served.server.reloader.check()
    text = printed(client, ref, COUNTRY)
    day = format_date(date(2026, 11, 21), "medium", locale=COUNTRY)
    amount = single_spaced(format_decimal(Decimal("1234.00"), "#,##0.00", locale=COUNTRY))
    for said in ("Serviceavtal", f"Tjänsten börjar {day}", "Beskrivning", "Sida 1 av 1", amount):
        assert said in text, said
    # nobody has translated these
    for said in ("Care by", "Quantity", "Total incl. VAT"):
        assert said in text, said


def test_the_modules_own_words_come_first_on_its_own_pdfs_alone(served, write):
    client = served.client()
    ref = contract(client)
    write("contracts/texts/de.po", GERMAN)
    served.server.reloader.check()
    text = printed(client, ref, "de_DE")
    for said in ("Wartungsvertrag", "Betreut von", "Stückzahl", "Bezeichnung", "Seite 1 von 1"):
        assert said in text, said
    draft = f"(PROV{proposal(client, model_pdf='azur')})"
    text = printed(client, draft, "de_DE", "propal")
    assert "Menge" in text and "Stückzahl" not in text


def test_a_module_of_texts_alone_serves_native_pdfs(served, write):
    write(f"swedish/texts/{LACKING}.po", SWEDISH + '\nmsgid "Commercial proposal"\nmsgstr "Offert"\n')
    write(f"contracts/texts/{LACKING}.po", 'msgid "Description"\nmsgstr "Vad"\n')
    served.server.reloader.check()
    client = served.client()
    draft = f"(PROV{proposal(client, model_pdf='azur')})"
    text = printed(client, draft, COUNTRY, "propal")
    assert "Offert" in text and "Sida 1 av 1" in text
    assert "Vad" in printed(client, contract(client), COUNTRY)
