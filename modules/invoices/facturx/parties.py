"""Seller and buyer of an electronic invoice."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass
from typing import Any
from xml.etree.ElementTree import Element

from ...commercial.vat_category import TaxParty, tax_party
from ...dictionaries.entries import country_code
from ...documents.content.people import people_of, place_of_delivery
from ...documents.content.rich_text import one_line, plain_text
from ...setup.company import company
from ...thirdparties.models import Thirdparty
from .xml import node, single

#: scheme of a registration number (ISO 6523): the SIREN of a French company, the SIRET of one of its sites
SIREN, SIRET = "0002", "0009"
EMAIL = "EM"
#: the element type of invoices in contact links
ELEMENT = "facture"


@dataclass(frozen=True)
class Party(TaxParty):
    """The seller or the buyer. Unknown fields are empty."""

    name: str = ""
    street: str = ""
    zip: str = ""
    town: str = ""
    trade_name: str = ""
    email: str = ""

    def node(self, name: str, *, vat: bool = True, seller: bool = False) -> Element | None:
        """Return the party as an element.

        :param vat: include its VAT number
        :param seller: include the number of the tax office; without one and a VAT number, that of the register
        """
        french = self.country == "FR" and len(self.registration) == 9
        office = (self.tax_number or ("" if self.vat else self.registration)) if seller and vat else ""
        # A seller without a VAT number and an entry in a register is identified by the tax number (BR-CO-26)
        own = self.tax_number if seller and not (self.registration or self.site or (vat and self.vat)) else ""
        return node(
            name,
            node("ram:ID", own),
            node("ram:GlobalID", self.site, schemeID=SIRET),
            node("ram:Name", self.name),
            node(
                "ram:SpecifiedLegalOrganization",
                node("ram:ID", self.registration, **({"schemeID": SIREN} if french else {})),
                node("ram:TradingBusinessName", self.trade_name),
            ),
            self.address(),
            node("ram:URIUniversalCommunication", node("ram:URIID", self.email, schemeID=EMAIL)),
            node("ram:SpecifiedTaxRegistration", node("ram:ID", office, schemeID="FC")),
            node("ram:SpecifiedTaxRegistration", node("ram:ID", self.vat if vat else "", schemeID="VA")),
        )

    def address(self) -> Element:
        """Return its address as an element."""
        lines = [line.strip() for line in self.street.splitlines() if line.strip()]
        first, second, *rest = [*lines, "", ""]
        return single(
            "ram:PostalTradeAddress",
            node("ram:PostcodeCode", self.zip),
            node("ram:LineOne", first),
            node("ram:LineTwo", second),
            node("ram:LineThree", " ".join(rest)),
            node("ram:CityName", self.town),
            node("ram:CountryID", self.country),
        )


def seller() -> Party:
    """Return the company that sends the invoice."""
    own = company()
    return _party(
        own["country_code"], own["tva_intra"], own["idprof1"], own["idprof2"], own["idprof3"],
        name=one_line(own["name"] or ""), street=plain_text(own["address"] or ""), zip=own["zip"] or "",
        town=one_line(own["town"] or ""),
        email=own["email"] or "",
    )  # fmt: skip


def buyer(thirdparty_id: int) -> Party:
    """Return a third party as the buyer."""
    row = Thirdparty.get_by_id(thirdparty_id)
    return _party(
        country_code(row.country_id), row.tva_intra, row.idprof1, row.idprof2, row.idprof3,
        name=one_line(row.name or ""), street=plain_text(row.address or ""), zip=row.zip or "",
        town=one_line(row.town or ""),
        email=row.email or "", trade_name=one_line(row.name_alias or ""),
    )  # fmt: skip


def receiver(record: Mapping[str, Any]) -> Party | None:
    """Return the delivery address of an invoice; None if it is the buyer's."""
    people = people_of(ELEMENT, record)
    found = place_of_delivery(people, Thirdparty.get_by_id(int(record["socid"]))) if people else None
    if found is None:
        return None
    row = found.contact
    return Party(
        country=found.country, name=", ".join(map(one_line, found.names)), street=plain_text(row.address or ""),
        zip=row.zip or "", town=one_line(row.town or ""),
    )  # fmt: skip


def _party(
    country: str | None, vat: str | None, first: str | None, second: str | None, third: str | None, **known: str
) -> Party:
    return Party(**asdict(tax_party(country, vat, first, second, third)), **known)


def wanting(own: Party, other: Party, categories: Set[str]) -> list[tuple[str, str]]:
    """Return the missing data of seller and buyer that the standard requires: field and text of each.

    :param categories: the VAT categories on the invoice
    """
    rules = (
        ("company.name", "the company's name", own.name),
        ("company.country_code", "the company's country", own.country),
        # BR-S-02, BR-Z-02, BR-E-02, BR-AE-02, BR-CO-26; deliveries abroad require the VAT number (BR-IC-02, BR-G-02)
        ("company.tva_intra", "the company's VAT number",
         own.vat if categories & {"K", "G"} else own.vat or own.registration or own.tax_number),
        # Its VAT number is left out (BR-O-02), but something must identify it (BR-CO-26)
        ("company.idprof1", "the company's registration or tax number",
         "O" not in categories or own.registration or own.tax_number),
        ("thirdparty.name", "the third party's name", other.name),
        ("thirdparty.country_id", "the third party's country", other.country),
        ("thirdparty.tva_intra", "the third party's VAT number",
         "K" not in categories or other.vat),
        ("thirdparty.idprof1", "the third party's VAT number or registration number",
         "AE" not in categories or other.vat or other.registration),
    )  # fmt: skip
    return [(field, text) for field, text, known in rules if not known]
