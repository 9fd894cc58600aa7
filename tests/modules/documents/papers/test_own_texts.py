"""Texts of the company's own: fields are filled in, and nothing else is read into them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.documents.papers.own_texts import FIELDS, filled, own_text_fault
from tests.modules.documents.native_texts import native_language

RECORD = {
    "ref": "FA-1",
    "ref_client": "{date} <b>",
    "date": 1795219200,
    "total_ttc": "1234.50",
    "multicurrency_code": "EUR",
}
CUSTOMER: Any = SimpleNamespace(name="R&D <Söhne>", code_client=None, address="a\nb")
GERMAN = native_language("de_DE")


def fill(text: str) -> str:
    return filled(text, RECORD, CUSTOMER, GERMAN).replace("\xa0", " ")


@pytest.mark.parametrize(
    "text, told",
    [
        ("{ref} vom {date}: {total_ttc}", "FA-1 vom 21.11.2026: 1.234,50 €"),
        # What a field holds is no field
        ("{ref_client}", "{date} <b>"),
        ("{thirdparty.name}{thirdparty.code_client}", "R&D <Söhne>"),
        ("<p>{thirdparty.name}, {thirdparty.address}</p>", "<p>R&amp;D &lt;Söhne&gt;, a<br>b</p>"),
        # Nothing is due, so there are no days until then
        ("{days}{due_date}", ""),
        ("{unknown} {ref.__class__} {ref!r} {0} {} { ref } {{ref}}", "{unknown} {ref.__class__} {ref!r} {0} {} { ref } {FA-1}"),
    ],
)  # fmt: skip
def test_fields_are_filled_in(text: str, told: str) -> None:
    assert fill(text) == told


@given(st.text(st.sampled_from("{}ref.:! <&é"), max_size=30))
def test_no_text_fails(text: str) -> None:
    fill(text)
    if not own_text_fault("INVOICE_FREE_TEXT", text):
        assert "{ref}" not in fill(text)


@pytest.mark.parametrize("name", ["INVOICE_FREE_TEXT", "ORDER_FREE_TEXT_DE", "CONTRACT_FREE_TEXT_FR_CH"])
def test_fields_that_there_are_not_are_refused(name: str) -> None:
    assert "{refs}" in own_text_fault(name, "{ref} {refs}")
    assert own_text_fault(name, " ".join(f"{{{field}}}" for field in FIELDS) + " { 50 %") == ""
    assert own_text_fault("MAIN_NOTE", "{refs}") == ""
