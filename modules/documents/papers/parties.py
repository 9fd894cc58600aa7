"""The own company and the recipient, as a paper shows them.

What the company's fields do not hold lies in constants: MAIN_LANG_DEFAULT (language of papers), MAIN_BANK_NAME,
MAIN_BANK_OWNER (where it is not the company's name), MAIN_BANK_IBAN, MAIN_BANK_BIC.
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
from .paper import Party

#: where envelopes show the address on the right
RIGHT_WINDOW = ("BE", "CH", "ES", "FR", "IT", "LU", "MC", "PT", "RE", "GP", "MQ", "GF")
RIGHT_LANGUAGES = ("es", "fr", "it", "pt")
#: what professional identifiers are called in a country, beginning with the first; with a language: in that one
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
    """The block that the envelope's window shows.

    :param home: code of the own country; any other is named
    :param attention: the person it is for
    """
    address = [thirdparty.name or ""]
    if attention:
        address.append(f"{words.say('Attn.')} {attention}")
    code = country_code(thirdparty.country_id)
    return Party([*address, *letter_lines(code, thirdparty.address, thirdparty.zip, thirdparty.town, words, home)])


def letter_lines(
    country: str | None, street: str | None, zip_code: str | None, town: str | None, words: Language, home: str
) -> list[str]:
    """A place as it is written on a letter from home.

    :param country: its code, empty where it is not known
    """
    code = country or ""
    lines = place_lines(code, street, zip_code, town, capitals=wants_capitals(code, home))
    return [*lines, country_line(code, home, words)] if code and code != home else lines


def sender(company: Mapping[str, Any], words: Language, abroad: str | None = "") -> Party:
    """The own company; its country is named where the paper goes to another one.

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
    """What the six professional identifiers are called in a country."""
    known = IDENTIFIERS.get(f"{country}_{words.locale.language}") or IDENTIFIERS.get(country or "", ())
    other = words.say("Registration number")
    return [(known[place] if place < len(known) else "") or other for place in range(6)]


def bank(company: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
    """The account that is to be paid into, label and text; empty when no constant names one."""
    iban = "".join(constant("MAIN_BANK_IBAN").split())
    if not iban:
        return []
    found = [
        (words.say("Account holder"), constant("MAIN_BANK_OWNER") or company["name"] or ""),
        (words.say("Bank"), constant("MAIN_BANK_NAME")),
        ("IBAN", in_fours(iban)),
        ("BIC", constant("MAIN_BANK_BIC").strip()),
    ]
    return [(label, text) for label, text in found if text]


def window(country: str | None, words: Language) -> Literal["left", "right"]:
    """Where the envelopes of a country show the address."""
    right = country in RIGHT_WINDOW if country else words.locale.language in RIGHT_LANGUAGES
    return "right" if right else "left"
