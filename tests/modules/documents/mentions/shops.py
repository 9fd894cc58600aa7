"""Companies of six countries that have set everything, and what the law of each wants to be read on an invoice.

The expected words are those that statutes and authorities use, written down by hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Shop(NamedTuple):
    """A company.

    :param country: code of its country
    :param language: the language of its PDF
    :param company: its other fields
    :param constants: what is set besides
    :param customer: its customer
    :param wanted: what is read on an invoice to it, by rule
    :param absent: what is not
    """

    country: str
    language: str
    company: dict[str, str]
    constants: dict[str, str]
    customer: dict[str, Any]
    wanted: dict[str, str]
    absent: tuple[str, ...] = ()


FRANCE = Shop(
    "FR", "fr_FR",
    {
        "name": "Ateliers Vasseur", "address": "12 rue des Docks", "zip": "69002", "town": "Lyon",
        "forme_juridique_code": "54", "capital": "8000", "idprof1": "123456782", "idprof2": "12345678200010",
        "idprof3": "4332A", "idprof4": "RCS Lyon", "tva_intra": "FR32123456782",
    },
    {"INVOICE_LATE_PAYMENT_RATE": "12.15", "INVOICE_VAT_ON_DEBITS": "1"},
    {"name": "Boulangerie Nord", "address": "3 place du Marché", "zip": "59000", "town": "Lille", "country_id": 1,
     "idprof1": "303265045", "typent_id": 3},
    {
        "fr.name": "Ateliers Vasseur", "fr.address": "12 rue des Docks · 69002 Lyon",
        "fr.capital": "SARL au capital de 8 000,00 €",
        "fr.siren": "SIREN 123456782", "fr.siret": "SIRET 12345678200010", "fr.rcs": "· RCS Lyon 123 456 782 ·",
        "fr.ape": "APE 4332A", "fr.vat": "N° de TVA FR32123456782", "fr.customer": "3 place du Marché",
        "fr.customer_siren": "SIREN 303265045", "fr.nature": "Nature des opérations : prestation de services.",
        "fr.debits": "Option pour le paiement de la taxe d’après les débits", "fr.due": "21 déc. 2026",
        "fr.late": "des pénalités au taux de 12,15 % par an sont exigibles dès le lendemain de la date d’échéance",
        "fr.indemnity": "Indemnité forfaitaire pour frais de recouvrement en cas de retard de paiement : 40,00 €",
        "fr.discount": "Pas d’escompte pour paiement anticipé",
    },
    ("RCS RCS",),
)  # fmt: skip
GERMANY = Shop(
    "DE", "de_DE",
    {
        "name": "Nordlicht GmbH", "address": "Speicherstraße 4", "zip": "20457", "town": "Hamburg",
        "forme_juridique_code": "500", "managers": "Anna Petersen\nJan Holm", "idprof2": "27/123/00456",
        "idprof3": "HRB 98765", "tva_intra": "DE123456789",
    },
    {"MAIN_INFO_REGISTER_PLACE": "Hamburg"},
    {"name": "Bäckerei Süd", "address": "Markt 1", "zip": "80331", "town": "München", "country_id": 5},
    {
        "de.name": "Nordlicht GmbH", "de.address": "Speicherstraße 4 · 20457 Hamburg", "de.form": "GmbH",
        "de.seat": "Sitz: Hamburg", "de.register": "Amtsgericht Hamburg HRB 98765",
        "de.directors": "Geschäftsführer: Anna Petersen, Jan Holm", "de.vat": "USt-IdNr. DE123456789",
        "de.tax_number": "Steuernummer 27/123/00456", "de.customer": "Markt 1",
        "de.supplied_today": "Das Leistungsdatum entspricht dem Rechnungsdatum.",
    },
    ("GmbH · GmbH", "Amtsgericht Amtsgericht"),
)  # fmt: skip
BRITAIN = Shop(
    "GB", "en_GB",
    {
        "name": "Harbour Tools Ltd", "address": "8 Quay Street", "zip": "BS1 4DB", "town": "Bristol",
        "forme_juridique_code": "702", "idprof1": "01234567", "tva_intra": "GB123456789", "currency_code": "GBP",
    },
    {"MAIN_INFO_REGISTER_PLACE": "England and Wales"},
    {"name": "Hill Farm", "address": "Long Lane", "zip": "LS1 1AA", "town": "Leeds", "country_id": 7},
    {
        "gb.name": "Harbour Tools Ltd", "gb.address": "8 Quay Street",
        "gb.company_on_invoices": "Registered in England and Wales, company number 01234567",
        "gb.office_on_invoices": "Registered office: 8 Quay Street, Bristol, BS1 4DB",
        "gb.vat": "VAT number GB123456789",
        "gb.customer": "Long Lane", "gb.tax_point": "21 Nov 2026", "gb.rate": "20%",
    },
)  # fmt: skip
SWITZERLAND = Shop(
    "CH", "de_CH",
    {
        "name": "Bergwerk AG", "address": "Seeweg 2", "zip": "6003", "town": "Luzern", "idprof1": "CHE-123.456.788",
        "tva_intra": "CHE123456788", "currency_code": "CHF", "idprof4": "CH-100.3.000.000-1",
    },
    {},
    {"name": "Chalet Rigi", "address": "Dorf 1", "zip": "6356", "town": "Rigi", "country_id": 6},
    {
        "ch.name": "Bergwerk AG", "ch.place": "6003 Luzern", "ch.vat": "UID CHE-123.456.788 MWST",
        "ch.register": "CH-100.3.000.000-1", "ch.customer": "6356 Rigi", "ch.supplied": "21.11.2026", "ch.rate": "20%",
    },
)  # fmt: skip
BELGIUM = Shop(
    "BE", "nl_BE",
    {
        "name": "Maasdam", "address": "Kaai 5", "zip": "2000", "town": "Antwerpen", "forme_juridique_code": "221",
        "idprof1": "0403.170.701", "tva_intra": "BE0403170701",
    },
    {"MAIN_INFO_REGISTER_PLACE": "RPR Antwerpen", "MAIN_BANK_IBAN": "BE71096123456769"},
    {"name": "Bakkerij Oost", "address": "Plein 9", "zip": "9000", "town": "Gent", "country_id": 2},
    {
        "be.name": "Maasdam", "be.address": "Kaai 5 · 2000 Antwerpen", "be.form": "· BV",
        "be.number": "Ondernemingsnummer 0403.170.701", "be.register": "RPR Antwerpen",
        "be.vat": "Btw-nummer BE0403170701", "be.account": "BE71 0961 2345 6769", "be.customer": "9000 Gent",
        "be.supplied": "21 nov 2026",
    },
    ("RPR RPR",),
)  # fmt: skip
AMERICA = Shop(
    "US", "en_US",
    {
        "name": "Prairie Goods LLC", "address": "100 Main Street", "zip": "68102", "town": "Omaha",
        "idprof1": "12-3456789", "currency_code": "USD",
    },
    {},
    {"name": "River Diner", "address": "5 Oak Avenue", "zip": "68103", "town": "Omaha", "country_id": 11},
    {
        "us.name": "Prairie Goods LLC", "us.address": "100 Main Street", "us.ein": "EIN 12-3456789",
        "us.tax": "Sales tax $200.00",
    },
    ("VAT",),
)  # fmt: skip

SHOPS = {shop.country: shop for shop in (FRANCE, GERMANY, BRITAIN, SWITZERLAND, BELGIUM, AMERICA)}
