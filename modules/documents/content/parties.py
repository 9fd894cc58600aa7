"""The company and the recipient, as they are printed on a document.

Constants hold the values that the company's fields lack: MAIN_LANG_DEFAULT (language of documents), MAIN_BANK_NAME,
MAIN_BANK_OWNER (if it differs from the company's name), MAIN_BANK_IBAN, MAIN_BANK_BIC.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ...dictionaries.entries import country_code
from ...setup.account_numbers import in_fours
from ...setup.constants import constant
from ...thirdparties.models import Thirdparty
from .addresses import country_line, place_lines, wants_capitals
from .language import Language
from .printed_document import Party

#: countries and languages of envelopes with the window at the right
RIGHT_WINDOW = ("BE", "CH", "ES", "FR", "IT", "LU", "MC", "PT", "RE", "GP", "MQ", "GF")
RIGHT_LANGUAGES = ("es", "fr", "it", "pt")
#: country, or country and language → labels of the professional identifiers, in their order
IDENTIFIERS = {
    "FR": ("SIREN", "SIRET", "APE", "RCS"),
    "AT": ("USt-IdNr.", "Steuernummer", "Firmenbuchnummer"),
    "BE": ("N° d\u2019entreprise",),
    "BE_en": ("Enterprise number",),
    "BE_de": ("Unternehmensnummer",),
    "BE_nl": ("Ondernemingsnummer",),
    "CA": ("BN",),
    "CH": ("UID",),
    "CH_fr": ("IDE",),
    "CH_it": ("IDI",),
    "DE": ("USt-IdNr.", "Steuernummer", "Handelsregister"),
    "DK": ("CVR",),
    "ES": ("NIF", "", "CNAE"),
    "FI": ("Y-tunnus",),
    "GB": ("Company number", "", "SIC code"),
    "IE": ("CRO number",),
    "IT": ("", "", "", "REA"),
    "LU": ("RCS Luxembourg",),
    "NL": ("KvK-nummer",),
    "NO": ("Org.nr.",),
    "PL": ("NIP", "REGON", "PKD"),
    "PT": ("NIPC",),
    "SE": ("Org.nr.",),
    "US": ("EIN",),
}


def recipient(thirdparty: Thirdparty, words: Language, home: str, attention: str = "") -> Party:
    """Return the recipient's address for the envelope's window.

    :param home: code of the company's country; a different country is added as the last line
    :param attention: the person addressed
    """
    address = [thirdparty.name or ""]
    if attention:
        address.append(f"{words.say('Attn.')} {attention}")
    code = country_code(thirdparty.country_id)
    return Party([*address, *letter_lines(code, thirdparty.address, thirdparty.zip, thirdparty.town, words, home)])


def letter_lines(
    country: str | None, street: str | None, zip_code: str | None, town: str | None, words: Language, home: str
) -> list[str]:
    """Return an address as it is written on a letter from the company's country.

    :param country: country code; empty if it is not known
    """
    code = country or ""
    lines = place_lines(code, street, zip_code, town, capitals=wants_capitals(code, home))
    return [*lines, country_line(code, home, words)] if code and code != home else lines


def sender(company: Mapping[str, Any], words: Language, abroad: str | None = "") -> Party:
    """Return the company as sender; its country is added if the recipient's differs.

    :param abroad: code of the recipient's country
    """
    code = company["country_code"] or ""
    address = [company["name"] or "", *place_lines(code, company["address"], company["zip"], company["town"])]
    country = words.country(code) if code and abroad and code != abroad else ""
    if country:
        address.append(country)
    details = [
        text
        for text in (
            f"{words.say('Tel.')} {company['phone']}" if company["phone"] else "",
            company["email"],
            company["url"],
        )
        if text
    ]
    return Party(address, details, country)


def identifier_labels(country: str | None, words: Language) -> list[str]:
    """Return the labels of the six professional identifiers in a country."""
    known = IDENTIFIERS.get(f"{country}_{words.locale.language}") or IDENTIFIERS.get(country or "", ())
    other = words.say("Registration number")
    return [(known[place] if place < len(known) else "") or other for place in range(6)]


def bank(company: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the company's bank account: English label and text; empty if MAIN_BANK_IBAN is not set."""
    iban = "".join(constant("MAIN_BANK_IBAN").split())
    if not iban:
        return []
    return [
        ("Account holder", constant("MAIN_BANK_OWNER") or company["name"] or ""),
        ("Bank", constant("MAIN_BANK_NAME")),
        ("IBAN", in_fours(iban)),
        ("BIC", constant("MAIN_BANK_BIC").strip()),
    ]


def window(country: str | None, words: Language) -> Literal["left", "right"]:
    """Return the side of the window on the envelopes of a country."""
    right = country in RIGHT_WINDOW if country else words.locale.language in RIGHT_LANGUAGES
    return "right" if right else "left"
