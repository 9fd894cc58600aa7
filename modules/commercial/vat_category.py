"""Why a line bears no VAT: the category (UNCL 5305), which papers and electronic invoices both take from here.

Where VAT is charged the category is S. Where none is it follows from the two countries:

- the VAT dictionary's code of the rate counts first, where it is the letter of a category: Z, E, AE, K, G or O;
- the seller has neither VAT number nor registration number: O, not subject to VAT;
- both are in one country, or one of the countries is not known, or the seller has no VAT number, or the buyer's country
  is in the Union with the seller's and the buyer has no VAT number: E, exempt;
- both are in the Union, and the buyer has a VAT number: K, a delivery within the Union, for products; AE, the buyer
  owes the VAT, for services;
- otherwise G, an export. Services to other parts of the world get it as well: O would be nearer, and forbids the
  seller to name a VAT number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..dictionaries.union import UNION

CHARGED = "S"
#: the categories of lines without VAT
CATEGORIES = ("Z", "E", "AE", "K", "G", "O")
VAT_NOT_CHARGED = 1
SERVICE = 1
#: countries whose VAT numbers do not begin with the code of the country
VAT_PREFIXES = {"GR": "EL"}


@dataclass(frozen=True)
class TaxParty:
    """Who sells or buys, as far as VAT is concerned. What is not known is empty.

    :param country: ISO 3166-1 code of two letters
    :param vat: VAT number, its country in front
    :param registration: number in the register of companies; in France the SIREN
    :param site: in France the SIRET
    """

    country: str = ""
    vat: str = ""
    registration: str = ""
    site: str = ""


def tax_party(country: str | None, vat: str | None, first: str | None, second: str | None) -> TaxParty:
    """A party by its fields.

    :param first: professional identifier 1
    :param second: professional identifier 2
    """
    code = (country or "").upper()
    number = _joined(vat).upper()
    if number and not number[:2].isalpha():
        number = VAT_PREFIXES.get(code, code) + number
    registration, site = (first or "").strip(), ""
    if code == "FR":
        registration = _joined(first)
        site = _joined(second) if len(_joined(second)) == 14 else ""
        registration = registration or site[:9]
    return TaxParty(code, number, registration, site)


def _joined(text: str | None) -> str:
    return "".join(each for each in text or "" if each.isalnum())


def is_charged(line: Mapping[str, Any]) -> bool:
    """Whether VAT is charged on a line."""
    return bool(Decimal(str(line["tva_tx"] or 0))) and not int(line["info_bits"] or 0) & VAT_NOT_CHARGED


def category_of(line: Mapping[str, Any], own: TaxParty, other: TaxParty) -> str:
    """The category of a line."""
    if is_charged(line):
        return CHARGED
    code = str(line["vat_src_code"] or "").upper()
    return code if code in CATEGORIES else _by_countries(int(line["product_type"] or 0), own, other)


def _by_countries(product_type: int, own: TaxParty, other: TaxParty) -> str:
    if not own.vat and not own.registration:
        return "O"
    if not own.vat or not own.country or other.country in ("", own.country):
        return "E"
    if own.country in UNION and other.country in UNION:
        return ("AE" if product_type == SERVICE else "K") if other.vat else "E"
    return "G"
