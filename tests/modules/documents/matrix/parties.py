"""Who sends and who receives: companies with complete data of five countries, and customers of five.

Numbers are ones that their countries' rules call valid; none belongs to the name beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Company:
    """A company that sends PDFs.

    :param data: as PUT /setup/company takes it
    :param constants: name → value, all that differ between companies
    :param language: the one it writes its lines in
    :param rates: of VAT, the usual one first
    :param facts: texts that each of its invoices must show
    """

    data: dict[str, str]
    constants: dict[str, str]
    language: str
    rates: tuple[str, ...]
    facts: tuple[str, ...]


def _bank(language, name="", iban="", bic=""):
    return {"MAIN_LANG_DEFAULT": language, "MAIN_BANK_NAME": name, "MAIN_BANK_IBAN": iban, "MAIN_BANK_BIC": bic}


COMPANIES = {
    "FR": Company(
        {
            "name": "Ateliers Lumière", "address": "12 rue de la République", "zip": "69002", "town": "Lyon",
            "country_id": "1", "country_code": "FR", "phone": "+33 4 72 00 00 00", "email": "factures@lumiere.example",
            "url": "https://lumiere.example", "capital": "50000", "forme_juridique_code": "5710",
            "managers": "Camille Moreau", "idprof1": "732829320", "idprof2": "73282932000074", "idprof3": "3109B",
            "idprof4": "RCS Lyon 732 829 320", "tva_intra": "FR44732829320", "currency_code": "EUR",
        },
        _bank("fr_FR", "Banque du Rhône", "FR7630006000011234567890189", "AGRIFRPP"),
        "fr", ("20", "10", "5.5", "2.1", "0"),
        ("Ateliers Lumière", "69002", "FR44732829320", "73282932000074", "3109B", "RCS Lyon 732 829 320"),
    ),
    "DE": Company(
        {
            "name": "Möbelwerk Brandt GmbH", "address": "Werftstraße 7", "zip": "20457", "town": "Hamburg",
            "country_id": "5", "country_code": "DE", "phone": "+49 40 000000", "email": "rechnung@brandt.example",
            "url": "https://brandt.example", "capital": "25000", "managers": "Jonas Brandt, Ute Sommer",
            "idprof1": "DE136695976", "idprof2": "48/123/45678", "idprof3": "Amtsgericht Hamburg HRB 123456",
            "tva_intra": "DE136695976", "currency_code": "EUR",
        },
        _bank("de_DE", "Hanseatische Beispielbank", "DE89370400440532013000", "COBADEFFXXX"),
        "de", ("19", "7", "16", "5", "0"),
        ("Möbelwerk Brandt GmbH", "20457", "DE136695976", "HRB 123456"),
    ),
    "GB": Company(
        {
            "name": "Thistle & Oak Ltd", "address": "14 Canal Street", "zip": "M1 3HE", "town": "Manchester",
            "country_id": "7", "country_code": "GB", "phone": "+44 161 496 0000", "email": "accounts@thistle.example",
            "url": "https://thistle.example", "managers": "Fiona Reid", "idprof1": "09876543",
            "tva_intra": "GB980780684", "currency_code": "GBP",
        },
        _bank("en_GB", "Example Bank plc", "GB82WEST12345698765432", "WESTGB22"),
        "en", ("20", "5", "12.5", "17.5", "0"),
        ("Thistle & Oak Ltd", "M1 3HE", "GB980780684", "09876543"),
    ),
    "CH": Company(
        {
            "name": "Falegnameria del Lago SA", "address": "Via Nassa 5", "zip": "6900", "town": "Lugano",
            "country_id": "6", "country_code": "CH", "phone": "+41 91 000 00 00", "email": "fatture@lago.example",
            "url": "https://lago.example", "capital": "100000", "managers": "Chiara Bernasconi",
            "idprof1": "CHE-100.155.212", "tva_intra": "CHE-100.155.212 IVA", "currency_code": "CHF",
        },
        _bank("it_CH", "Banca d'Esempio", "CH9300762011623852957", "POFICHBEXXX"),
        "it", ("8.1", "3.8", "2.6", "7.7", "0"),
        ("Falegnameria del Lago SA", "6900", "CHE-100.155.212"),
    ),
    "US": Company(
        {
            "name": "Prairie Woodworks, Inc.", "address": "500 West Madison Street\nSuite 1000", "zip": "60661",
            "town": "Chicago, IL", "country_id": "11", "country_code": "US", "phone": "+1 312 555 0100",
            "email": "billing@prairie.example", "url": "https://prairie.example", "managers": "Dana Whitfield",
            "idprof1": "91-1144442", "currency_code": "USD",
        },
        # Accounts have no IBAN there
        _bank("en_US"),
        "en", ("10.25", "8.875", "6.25", "2.25", "0"),
        ("Prairie Woodworks, Inc.", "Chicago", "60661"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Recipient:
    """A customer.

    :param data: as POST /thirdparties takes it
    :param person: whom PDFs are addressed to, and where goods go: as POST /contacts takes it
    """

    data: dict[str, Any]
    person: dict[str, Any] = field(default_factory=dict)


RECIPIENTS = {
    # There are no PDFs in Japanese: they come in the company's language
    "JP": Recipient(
        {
            "name": "株式会社さくら商会", "address": "丸の内1-1-1\nさくらビル5階", "zip": "100-0005",
            "town": "東京都千代田区", "country_id": 123, "email": "keiri@sakura.example",
        },
        {"lastname": "山田", "firstname": "花子", "address": "芝公園4-2-8", "zip": "105-0011", "town": "東京都港区"},
    ),
    "US": Recipient(
        {
            "name": "Hudson Valley Interiors LLC", "address": "230 Park Avenue\nFloor 12", "zip": "10169",
            "town": "New York, NY", "country_id": 11, "default_lang": "en_US", "email": "ap@hudson.example",
        },
        {"lastname": "Alvarez", "firstname": "Maria", "address": "88 Dock Street", "zip": "12401", "town": "Kingston, NY"},
    ),
    "DE": Recipient(
        {
            "name": "Buchhandlung Käthe Groß GmbH & Co. KG", "address": "Torstraße 49\nHinterhaus", "zip": "10119",
            "town": "Berlin", "country_id": 5, "default_lang": "de_DE", "tva_intra": "DE129273398",
            "email": "einkauf@gross.example",
        },
        {"lastname": "Öztürk", "firstname": "Deniz", "address": "Lagerweg 3", "zip": "14482", "town": "Potsdam"},
    ),
    "IE": Recipient(
        {
            "name": "O'Connell & Daughters Furniture Ltd", "address": "Unit 4, Liffey Quay", "zip": "D02 X285",
            "town": "Dublin 2", "country_id": 8, "default_lang": "en_IE", "tva_intra": "IE6433435F",
            "email": "orders@oconnell.example",
        },
        {"lastname": "Ní Bhriain", "firstname": "Aoife", "address": "The Old Mill", "zip": "T12 X70A", "town": "Cork"},
    ),
    "BE": Recipient(
        {
            "name": "Meubelhandel Van den Berghe BV", "address": "Meir 48 bus 3", "zip": "2000", "town": "Antwerpen",
            "country_id": 2, "default_lang": "nl_BE", "tva_intra": "BE0403019261", "email": "boekhouding@berghe.example",
        },
        {"lastname": "Peeters", "firstname": "Lotte", "address": "Havenlaan 12", "zip": "9000", "town": "Gent"},
    ),
}  # fmt: skip
