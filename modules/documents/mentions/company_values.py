"""Format fields of the own company for print."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ...commercial.precision import currency
from ..content.addresses import place_lines
from ..content.language import Language
from ..content.parties import identifier_labels
from .legal_forms import legal_form

#: maximum digits of a capital that is printed as an amount; a longer one is printed as it was set
LONGEST_AMOUNT = 30

_RCS = re.compile(r"R\.?\s?C\.?\s?S\.?\s+", re.IGNORECASE)
_OTHER_REGISTERS = re.compile(r"(?:RM|RNE|RSAC)\b", re.IGNORECASE)
_UID = re.compile(r"CHE\D{0,3}(\d{3})\D?(\d{3})\D?(\d{3})\s*(?:\(?(MWST|TVA|IVA)\)?)?\s*", re.IGNORECASE)
#: language → suffix of a Swiss VAT number; ``MWST`` for all others
SUFFIXES = {"fr": "TVA", "it": "IVA"}


def _capital(value: str, own: Mapping[str, Any], words: Language) -> str:
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return value
    plain = amount.is_finite() and abs(amount.adjusted()) < LONGEST_AMOUNT
    return words.money(amount, currency()) if plain else value


def _form(value: str, own: Mapping[str, Any], words: Language) -> str:
    form = legal_form(own)
    return form.name if form else ""


def _rcs(value: str, own: Mapping[str, Any], words: Language) -> str:
    """Return the register and its town, followed by the SIREN if the value is only the town."""
    if not value or _OTHER_REGISTERS.match(value):
        return value
    place = _RCS.sub("", value, count=1).strip()
    siren = "".join(str(own.get("idprof1") or "").split())
    if siren.isdigit() and not re.search(r"\d", place):
        place = f"{place} {siren[:3]} {siren[3:6]} {siren[6:]}".strip()
    return f"RCS {place}"


def _uid(value: str, own: Mapping[str, Any], words: Language) -> str:
    """Return a Swiss UID without the suffix of a VAT number."""
    found = _UID.fullmatch(value)
    return f"CHE-{found[1]}.{found[2]}.{found[3]}" if found else value


def _swiss_vat(value: str, own: Mapping[str, Any], words: Language) -> str:
    found = _UID.fullmatch(value)
    if not found:
        return value
    suffix = (found[4] or SUFFIXES.get(words.locale.language, "MWST")).upper()
    return f"CHE-{found[1]}.{found[2]}.{found[3]} {suffix}"


def _german_number(value: str, own: Mapping[str, Any], words: Language) -> str:
    """Return the register number after its section: HRB for companies, GnR for cooperatives, HRA for all others."""
    if not value[:1].isdigit():
        return value
    form = legal_form(own)
    section = (
        "GnR" if form and form.name == "eG" else "HRB" if form and form.led_by and "KG" not in form.name else "HRA"
    )
    return f"{section} {value}"


def _place(value: str, own: Mapping[str, Any], words: Language) -> str:
    """Return the address on one line, in the format of its country."""
    return ", ".join(place_lines(*(own.get(name) for name in ("country_code", "address", "zip", "town"))))


def _label(value: str, own: Mapping[str, Any], words: Language) -> str:
    """Return the label of the first registration number."""
    return identifier_labels(own.get("country_code"), words)[0]


#: (country, field) → function that formats it; an empty country matches all
COMPANY_VALUES: dict[tuple[str, str], Callable[[str, Mapping[str, Any], Language], str]] = {
    ("", "capital"): _capital,
    ("", "place"): _place,
    ("", "idprof1_label"): _label,
    ("", "forme_juridique_code"): _form,
    ("FR", "idprof4"): _rcs,
    ("CH", "idprof1"): _uid,
    ("CH", "tva_intra"): _swiss_vat,
    ("DE", "idprof3"): _german_number,
}

#: the constant with the court, or the place, of the register
PLACE = "MAIN_INFO_REGISTER_PLACE"


def _court(value: str) -> str:
    return f"Amtsgericht {value}" if value and "gericht" not in value.lower() else value


#: country → function that formats the place of the register
PLACE_VALUES: dict[str, Callable[[str], str]] = {
    "DE": _court,
    # The sentence of the rule already contains the name of the register
    "BE": lambda value: re.sub(r"(?:RPM|RPR|RJP)\b[\s,]*", "", value, flags=re.IGNORECASE),
}
