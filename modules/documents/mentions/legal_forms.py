"""Legal forms of companies by code and name, with their legal requirements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class LegalForm:
    """A legal form.

    :param name: as it is printed; empty: not printed
    :param capital: whether the capital must be printed
    :param registered: whether the company is in a register of companies
    :param led_by: ``directors`` or ``board``; some countries require the names of the members
    """

    name: str
    capital: bool = False
    registered: bool = True
    led_by: str = ""


def _sole(name: str = "") -> LegalForm:
    return LegalForm(name, registered=False)


#: country → code → form; a form without a code has letters as key, and is found by its name
FORMS: dict[str, dict[str, LegalForm]] = {
    "FR": {
        **dict.fromkeys(("11", "12", "13", "14", "15", "16", "17", "19", "35"), _sole("EI")),
        "52": LegalForm("SNC"), "53": LegalForm("SCS"),
        "54": LegalForm("SARL", capital=True), "55": LegalForm("SA", capital=True),
        "56": LegalForm("SA", capital=True), "57": LegalForm("SAS", capital=True),
        "58": LegalForm("EURL", capital=True), "59": LegalForm("SASU", capital=True),
        "60": _sole("EIRL"), "62": LegalForm("GIE"), "65": LegalForm("Société civile", capital=True),
        "92": _sole("Association loi 1901"), "93": _sole("Fondation"), "SCI": LegalForm("SCI", capital=True),
        "SCOP": LegalForm("SCOP", capital=True), "SELARL": LegalForm("SELARL", capital=True),
        "SELAS": LegalForm("SELAS", capital=True), "SCA": LegalForm("SCA", capital=True),
        "SE": LegalForm("SE", capital=True),
    },
    "BE": {
        "200": _sole("Indépendant"), "220": _sole("Eenmanszaak"), "201": LegalForm("SRL"), "202": LegalForm("SA"),
        "203": LegalForm("SCRL"), "204": LegalForm("ASBL"), "205": LegalForm("SCRI"), "206": LegalForm("SCS"),
        "207": LegalForm("SCA"), "208": LegalForm("SNC"), "209": LegalForm("GIE"), "210": LegalForm("GEIE"),
        "221": LegalForm("BV"), "222": LegalForm("NV"), "223": LegalForm("CV"), "224": LegalForm("VZW"),
        "225": LegalForm("CVOA"), "226": LegalForm("CommV"), "227": LegalForm("Comm.VA"), "228": LegalForm("VOF"),
        "229": LegalForm("VSO"), "SC": LegalForm("SC"),
    },
    "DE": {
        "500": LegalForm("GmbH", led_by="directors"), "501": LegalForm("AG", led_by="board"),
        "502": LegalForm("GmbH & Co. KG", led_by="directors"), "503": _sole(),
        "504": LegalForm("UG (haftungsbeschränkt)", led_by="directors"), "505": _sole("GbR"),
        "506": LegalForm("KG"), "507": LegalForm("Ltd.", led_by="directors"), "508": LegalForm("OHG"),
        "509": LegalForm("eG", led_by="board"), "UG": LegalForm("UG", led_by="directors"),
        "EK": LegalForm("e. K."), "EKFM": LegalForm("e. Kfm."), "EKFR": LegalForm("e. Kfr."),
        "SE": LegalForm("SE", led_by="board"), "EV": LegalForm("e. V.", registered=False),
    },
    "CH": {
        "600": _sole(), "601": _sole("Société simple"), "602": LegalForm("SNC"), "603": LegalForm("SCm"),
        "604": LegalForm("SA"), "605": LegalForm("SCmA"), "606": LegalForm("Sàrl"),
        "607": LegalForm("Société coopérative"), "608": _sole("Association"), "609": LegalForm("Fondation"),
        "AG": LegalForm("AG"), "GMBH": LegalForm("GmbH"),
    },
    "GB": {
        "700": _sole(), "701": _sole(), "702": LegalForm("Ltd"), "703": LegalForm("PLC"), "704": LegalForm(""),
        "705": LegalForm("LLP"), "706": _sole(), "LIMITED": LegalForm("Limited"),
    },
    "US": {"LLC": LegalForm("LLC"), "INC": LegalForm("Inc."), "CORP": LegalForm("Corp.")},
}  # fmt: skip

#: four-digit codes of the French statistics office, or their first two digits → code of `FORMS`
INSEE = {
    "5306": "53", "5308": "SCA", "5410": "54", "5458": "SCOP", "5485": "SELARL", "5498": "58", "5558": "SCOP",
    "5658": "SCOP", "5720": "59", "5785": "SELAS", "5800": "SE", "6540": "SCI", "6541": "SCI",
    "10": "11", "52": "52", "53": "53", "54": "54", "55": "55", "56": "56", "57": "57", "62": "62", "65": "65",
    "92": "92", "93": "93",
}  # fmt: skip

#: country → name in lower-case letters and digits → form; the longest name first: "GmbH & Co. KG" isn't a "GmbH"
_BY_NAME = {
    country: {
        _plain: form
        for form in sorted(forms.values(), key=lambda each: -len(each.name))
        if (_plain := re.sub(r"[\W_]", "", form.name).lower())
    }
    for country, forms in FORMS.items()
}


def legal_form(own: Mapping[str, Any]) -> LegalForm | None:
    """Return the legal form of a company: by its code or text, else by the end of its name; None if unknown."""
    country = str(own.get("country_code") or "").upper()
    said = " ".join(str(own.get("forme_juridique_code") or "").split())
    if said:
        if country == "FR" and len(said) == 4:
            said = INSEE.get(said) or INSEE.get(said[:2], said)
        known = FORMS.get(country, {}).get(said) or _BY_NAME.get(country, {}).get(_letters(said))
        if known is None and said.isdigit():
            # An unknown code would be meaningless in print
            return None
        return known or _in_own_words(country, said)
    words = str(own.get("name") or "").split()
    for length in range(min(4, len(words) - 1), 0, -1):
        ending = " ".join(words[-length:])
        if found := _BY_NAME.get(country, {}).get(_letters(ending)):
            return found
    return None


def _in_own_words(country: str, said: str) -> LegalForm:
    """Return a form such as ``SARL unipersonnelle``: its own text, with the requirements of the form in it."""
    names = _BY_NAME.get(country, {})
    known = next((names[word] for word in map(_letters, said.split()) if word in names), None)
    return replace(known, name=said) if known else LegalForm(said, registered=False)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()
