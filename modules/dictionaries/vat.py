"""Rates of VAT by country."""

from __future__ import annotations

from decimal import Decimal

from core.for_natives import cached

from .entries import country_code, entries
from .models import VatRate


@cached
def _rates() -> dict[tuple[str | None, Decimal, str], VatRate]:
    # The last one of equal keys remains in the dict: an active rate, with the lowest ID
    rows = sorted(entries(VatRate).values(), key=lambda row: (row.active, -row.id))
    return {(country_code(row.country_id), row.rate, row.code): row for row in rows}


def vat_row(country: str, rate: Decimal, code: str = "") -> VatRate | None:
    """Return a VAT rate with its local taxes from the dictionary; None if the country doesn't have it. Don't change it.

    :param country: ISO 3166-1 code of two letters
    :param rate: percent
    :param code: distinguishes rates of the same country and percentage; mostly empty
    """
    return _rates().get((country, Decimal(rate), code))
