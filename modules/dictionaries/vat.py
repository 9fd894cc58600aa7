"""Rates of VAT by country."""

from __future__ import annotations

from decimal import Decimal

from core import cached

from .entries import country_code, entries
from .models import VatRate


@cached
def _rates() -> dict[tuple[str | None, Decimal, str], VatRate]:
    # Where there are several, the first counts; those that are offered come first
    rows = sorted(entries(VatRate).values(), key=lambda row: (row.active, -row.id))
    return {(country_code(row.country_id), row.rate, row.code): row for row in rows}


def vat_row(country: str, rate: Decimal, code: str = "") -> VatRate | None:
    """The dictionary's rate of VAT, with its local taxes; None when the country has no such rate. Do not change it.

    :param country: ISO 3166-1 code of two letters
    :param rate: percent
    :param code: tells rates of one country and percentage apart; mostly empty
    """
    return _rates().get((country, Decimal(rate), code))
