"""VAT categories of lines (UNCL 5305), used in PDFs and electronic invoices.

A line with VAT has category S. For a line without VAT, the first matching rule decides:

- the code of the rate in the VAT dictionary is the letter of a category: Z, E, AE, K, G or O;
- the seller has neither VAT number nor registration number: O, not subject to VAT;
- the countries are the same, one is unknown, or the seller has no VAT number: E, exempt;
- both countries are in the Union, and the buyer has no VAT number: E as well;
- both are in the Union, and the buyer has a VAT number: K, a delivery within the Union, for products; AE, the buyer
  owes the VAT, for services;
- Monaco counts as France, and for products Northern Ireland (a number with XI) as a part of the Union;
- otherwise G, an export. Services to other parts of the world have it as well: O would fit better, but it forbids a
  VAT number of the seller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from stdnum.eu import vat as vat_numbers
from stdnum.exceptions import InvalidChecksum, InvalidComponent, ValidationError

from ..dictionaries.union import UNION

CHARGED = "S"
#: the categories of lines without VAT
CATEGORIES = ("Z", "E", "AE", "K", "G", "O")
VAT_NOT_CHARGED = 1
SERVICE = 1
#: prefix of the VAT numbers of Northern Ireland
NORTHERN_IRELAND = "XI"
#: countries and parts of countries in which the Union's VAT applies
TERRITORIES = {*UNION, NORTHERN_IRELAND}
#: countries whose VAT numbers do not begin with the code of the country
VAT_PREFIXES = {"GR": "EL", "MC": "FR"}
#: the beginnings of VAT numbers of the Union
VAT_CODES = {*TERRITORIES, "EL"} - {"GR"}
#: countries whose second professional identifier is the number of the tax office
WITH_TAX_NUMBER = ("DE", "AT")


@dataclass(frozen=True)
class TaxParty:
    """The seller or the buyer, with the data that matter for VAT. Unknown fields are empty.

    :param country: ISO 3166-1 code of two letters
    :param vat: VAT number, with its country prefix
    :param registration: number in the register of companies; in France the SIREN
    :param site: in France the SIRET
    :param tax_number: number of the tax office, in Germany and Austria: it replaces a VAT number
    """

    country: str = ""
    vat: str = ""
    registration: str = ""
    site: str = ""
    tax_number: str = ""


def tax_party(
    country: str | None, vat: str | None, first: str | None, second: str | None, third: str | None = None
) -> TaxParty:
    """Return a party with these fields.

    :param first: professional identifier 1
    :param second: professional identifier 2
    :param third: professional identifier 3
    """
    code = (country or "").upper()
    number = _joined(vat).upper()
    if number and not number[:2].isalpha():
        number = VAT_PREFIXES.get(code, code) + number
    if code in (*UNION, "MC") and not _is_vat_number(number):
        number = ""
    registration, site = (first or "").strip(), ""
    if code in WITH_TAX_NUMBER:
        entry = third or ("" if _is_vat_number(_joined(first).upper()) else first or "")
        return TaxParty(code, number, entry.strip(), "", (second or "").strip())
    if code == "FR":
        registration = _joined(first)
        site = _joined(second) if len(_joined(second)) == 14 else ""
        registration = registration or site[:9]
    return TaxParty(code, number, registration, site)


def _is_vat_number(number: str) -> bool:
    """Return whether a text has the form of a VAT number of the Union; a wrong check digit may be a mistyped one."""
    if number[:2] not in VAT_CODES:
        return False
    try:
        vat_numbers.validate(number)
    except (InvalidChecksum, InvalidComponent):
        return True
    except ValidationError:
        return False
    return True


def _joined(text: str | None) -> str:
    return "".join(each for each in text or "" if each.isalnum())


def is_charged(line: Mapping[str, Any]) -> bool:
    """Return whether VAT is charged on a line."""
    return bool(Decimal(str(line["tva_tx"] or 0))) and not int(line["info_bits"] or 0) & VAT_NOT_CHARGED


def category_of(line: Mapping[str, Any], own: TaxParty, other: TaxParty) -> str:
    """Return the VAT category of a line."""
    if is_charged(line):
        return CHARGED
    code = str(line["vat_src_code"] or "").upper()
    return code if code in CATEGORIES else _by_countries(int(line["product_type"] or 0), own, other)


def _by_countries(product_type: int, own: TaxParty, other: TaxParty) -> str:
    if not (own.vat or own.registration or own.tax_number):
        return "O"
    here, there = _territory(own, product_type), _territory(other, product_type)
    if not own.vat or not here or there in ("", here):
        return "E"
    if {here, there} <= TERRITORIES:
        return ("AE" if product_type == SERVICE else "K") if other.vat else "E"
    return "G"


def _territory(party: TaxParty, product_type: int) -> str:
    """Return the country whose VAT applies at a party."""
    if product_type != SERVICE and party.vat.startswith(NORTHERN_IRELAND):
        return NORTHERN_IRELAND
    return "FR" if party.country == "MC" else party.country
