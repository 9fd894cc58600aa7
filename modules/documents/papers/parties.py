"""The own company and the recipient, as a paper shows them.

What the company's fields do not hold lies in constants: MAIN_LANG_DEFAULT (language of papers), MAIN_BANK_NAME,
MAIN_BANK_OWNER (where it is not the company's name), MAIN_BANK_IBAN, MAIN_BANK_BIC.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ...dictionaries.entries import country_code
from ...setup.constants import constant
from ...thirdparties.models import Thirdparty
from .language import Language
from .paper import Party

#: where envelopes show the address on the right
RIGHT_WINDOW = ("BE", "CH", "ES", "FR", "IT", "LU", "MC", "PT", "RE", "GP", "MQ", "GF")
RIGHT_LANGUAGES = ("es", "fr", "it", "pt")
#: what professional identifiers are called in a country, beginning with the first
IDENTIFIERS = {
    "FR": ("SIREN", "SIRET", "APE", "RCS"),
    "ES": ("NIF", "", "CNAE"),
    "PL": ("NIP", "REGON", "PKD"),
    "PT": ("NIPC",),
    "IT": ("", "", "", "REA"),
}


def recipient(thirdparty: Thirdparty, words: Language, home: str, attention: str = "") -> Party:
    """The block that the envelope's window shows.

    :param home: code of the own country; any other is named
    :param attention: the person it is for
    """
    code = country_code(thirdparty.country_id) or ""
    address = [thirdparty.name or ""]
    if attention:
        address.append(f"{words.say('Attn.')} {attention}")
    address += _place(thirdparty.address, thirdparty.zip, thirdparty.town)
    if code and code != home:
        address.append(words.country(code).upper())
    return Party(address)


def sender(company: Mapping[str, Any], words: Language) -> Party:
    """The own company."""
    address = [company["name"] or "", *_place(company["address"], company["zip"], company["town"])]
    details = [
        text
        for text in (
            f"{words.say('Tel.')} {company['phone']}" if company["phone"] else "",
            company["email"],
            company["url"],
        )
        if text
    ]
    return Party(address, details)


def identifier_labels(country: str | None, words: Language) -> list[str]:
    """What the six professional identifiers are called in a country."""
    known = IDENTIFIERS.get(country or "", ())
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
        ("IBAN", " ".join(iban[place : place + 4] for place in range(0, len(iban), 4))),
        ("BIC", constant("MAIN_BANK_BIC").strip()),
    ]
    return [(label, text) for label, text in found if text]


def window(country: str | None, words: Language) -> Literal["left", "right"]:
    """Where the envelopes of a country show the address."""
    right = country in RIGHT_WINDOW if country else words.locale.language in RIGHT_LANGUAGES
    return "right" if right else "left"


def _place(address: str | None, code: str | None, town: str | None) -> list[str]:
    lines = [line.strip() for line in (address or "").splitlines()]
    return [line for line in (*lines, f"{code or ''} {town or ''}".strip()) if line]
