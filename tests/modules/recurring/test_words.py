"""Words that each invoice says in its own way."""

from datetime import date

import pytest
from babel import Locale

from modules.recurring.periods import period_words, reworded

WORDS = period_words(date(2026, 1, 31), date(2026, 2, 28), (3, 12), Locale("fr"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Care __INVOICE_MONTH__/__INVOICE_YEAR__", "Care 01/2026"),
        ("__INVOICE_PREVIOUS_MONTH_TEXT__, __INVOICE_NEXT_MONTH_TEXT__", "décembre, février"),
        ("__INVOICE_PREVIOUS_MONTH__ __INVOICE_NEXT_YEAR__ __INVOICE_PREVIOUS_YEAR__", "12 2027 2025"),
        ("__INVOICE_DATE_NEXT_INVOICE_AFTER_GEN__", "2026-02-28"),
        ("__INVOICE_DATE_NEXT_INVOICE_BEFORE_GEN__", "2026-01-31"),
        ("__INVOICE_COUNTER_CURRENT__ of __INVOICE_COUNTER_MAX__", "3 of 12"),
        ("__INVOICE_MONTH____INVOICE_YEAR__", "012026"),
        ("__INVOICE_SOMETHING__ __MONTH__ INVOICE_MONTH__", "__INVOICE_SOMETHING__ __MONTH__ INVOICE_MONTH__"),
    ],
)
def test_what_a_word_stands_for(text, expected):
    assert reworded(text, WORDS) == expected


def test_the_first_and_the_last_year_have_neighbours():
    assert period_words(date(1, 1, 1), None, (1, 0), Locale("en"))["__INVOICE_PREVIOUS_MONTH__"] == "12"
    assert period_words(date(9999, 12, 1), None, (1, 0), Locale("en"))["__INVOICE_NEXT_MONTH__"] == "01"
