"""Texts of the company's own: fields are filled in, and nothing else is read into them."""

import re
from contextlib import suppress
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.documents.content import own_texts
from modules.documents.content.own_texts import FIELDS, check_text, filled
from modules.documents.content.paragraphs import BOLD, RichText
from modules.documents.content.rich_text import rich_text
from tests.modules.documents.native_texts import native_language

RECORD = {
    "ref": "FA-1",
    "ref_client": "{date} <b>",
    "date": 1795219200,
    "total_ttc": "1234.50",
    "multicurrency_code": "EUR",
}
CUSTOMER = SimpleNamespace(name="R&D <Söhne>", code_client=None, address="a\nb")
GERMAN = native_language("de_DE")


def fill(text):
    return filled(text, RECORD, CUSTOMER, GERMAN).replace("\xa0", " ")


@pytest.fixture(autouse=True)
def own_company(monkeypatch):
    monkeypatch.setattr(own_texts, "company", lambda: {"name": "<i>Nous</i> &eacute;"})


def printed(text):
    """What is read of a text on the page."""
    return str(rich_text(fill(text)))


@pytest.mark.parametrize(
    "text, told",
    [
        ("{ref} vom {date}: {total_ttc}", "FA-1 vom 21.11.2026: 1.234,50 €"),
        # What a field holds is no field
        ("{ref_client}", "{date} <b>"),
        ("{thirdparty.name}{thirdparty.code_client}", "R&D <Söhne>"),
        # Nor is it markup, in a text that has some or in one that has none
        ("<p>{thirdparty.name}, {thirdparty.address}</p>", "R&D <Söhne>, a\nb"),
        ("<b>{ref}</b> {ref_client} {company.name}", "FA-1 {date} <b> <i>Nous</i> &eacute;"),
        ("{company.name}: {ref_client}\nx < y", "<i>Nous</i> &eacute;: {date} <b>\nx < y"),
        ("R&D, {thirdparty.address} {company.name}", "R&D, a\nb <i>Nous</i> &eacute;"),
        # Nothing is due, so there are no days until then
        ("{days}{due_date}", ""),
        ("{unknown} {ref.__class__} {ref!r} {0} {} { ref } {{ref}}", "{unknown} {ref.__class__} {ref!r} {0} {} { ref } {FA-1}"),
    ],
)  # fmt: skip
def test_fields_are_filled_in(text, told):
    assert printed(text) == told


def test_what_is_markup_stays_markup():
    found = rich_text(fill("<b>{ref}</b> {ref_client}"))
    assert isinstance(found, RichText)
    assert [run for paragraph in found.paragraphs for run in paragraph.runs] == [("FA-1", BOLD), (" {date} <b>", 0)]


@given(st.text(st.sampled_from("{}ref.:! <&é"), max_size=30))
def test_no_text_fails(text):
    fill(text)
    with suppress(ValueError):
        check_text("INVOICE_FREE_TEXT", text)
        assert "{ref}" not in fill(text)


def test_fields_that_there_are_not_are_refused():
    with pytest.raises(ValueError, match=re.escape("; got {refs}")):
        check_text("INVOICE_FREE_TEXT", "{ref} {refs}")
    check_text("INVOICE_FREE_TEXT", " ".join(f"{{{field}}}" for field in FIELDS) + " { 50 %")
