"""The company's own texts: constants such as INVOICE_FREE_TEXT, with fields such as ``{ref}``.

The constant of a text in one language ends with the language in capitals. INVOICE_FREE_TEXT_FR_CH takes precedence
over INVOICE_FREE_TEXT_FR, which takes precedence over INVOICE_FREE_TEXT. The value ``none`` means an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from core import shown

from ...commercial.precision import currency
from ...setup.company import FIELDS as COMPANY_FIELDS
from ...setup.company import company
from ...setup.constants import constant
from ...thirdparties.models import Thirdparty
from .html_reader import has_markup
from .language import Language
from .record_values import day_of, number

#: element type → prefix of its constants; for others the prefix is the type in capitals
PREFIXES = {"facture": "INVOICE", "propal": "PROPOSAL", "commande": "ORDER"}
FREE_TEXT, WATERMARK = "FREE_TEXT", "DRAFT_WATERMARK"
NONE = "none"
LONGEST_WATERMARK = 60

_FIELD = re.compile(r"\{([^{}\n]{1,60})\}")
_LANGUAGE = "(?:_[A-Z]{2,3}(?:_[A-Z]{2})?)?"
_NAMES = {kind: re.compile(f"[A-Z0-9_]+_{kind}{_LANGUAGE}") for kind in (FREE_TEXT, WATERMARK)}


@dataclass(frozen=True)
class Source:
    """The records that provide the values of a text's fields."""

    record: Mapping[str, Any]
    thirdparty: Thirdparty
    words: Language


def _day(name: str) -> Callable[[Source], str]:
    def find(source: Source) -> str:
        day = day_of(source.record.get(name))
        return source.words.day(day) if day else ""

    return find


def _money(name: str) -> Callable[[Source], str]:
    def find(source: Source) -> str:
        code = str(source.record.get("multicurrency_code") or currency())
        return source.words.money(number(source.record.get(name)), code)

    return find


def _text(name: str) -> Callable[[Source], str]:
    return lambda source: str(source.record.get(name) or "")


def _thirdparty(name: str) -> Callable[[Source], str]:
    return lambda source: str(getattr(source.thirdparty, name) or "")


def _company(name: str) -> Callable[[Source], str]:
    return lambda source: str(company().get(name) or "")


def _constant(name: str) -> Callable[[Source], str]:
    return lambda source: constant(name).strip()


def _days(source: Source) -> str:
    """Return the number of days from the document's date to its due date; empty if one is missing."""
    start, due = day_of(source.record.get("date")), day_of(source.record.get("date_lim_reglement"))
    return str(max(0, (due - start).days)) if start and due else ""


#: all fields, with the functions that return their values
FIELDS: dict[str, Callable[[Source], str]] = {
    "ref": _text("ref"),
    "ref_client": _text("ref_client"),
    "date": _day("date"),
    "due_date": _day("date_lim_reglement"),
    "valid_until": _day("fin_validite"),
    "delivery_date": _day("delivery_date"),
    "days": _days,
    "total_ht": _money("total_ht"),
    "total_tva": _money("total_tva"),
    "total_ttc": _money("total_ttc"),
    "remaintopay": _money("remaintopay"),
    **{
        f"thirdparty.{name}": _thirdparty(name)
        for name in ("name", "code_client", "tva_intra", "idprof1", "address", "zip", "town", "email", "phone")
    },
    **{f"company.{name}": _company(name) for name in COMPANY_FIELDS if name != "note_private"},
    **{f"bank.{name}": _constant(f"MAIN_BANK_{name.upper()}") for name in ("name", "owner", "iban", "bic")},
}


def own_text(element: str, kind: str, words: Language) -> str | None:
    """Return the company's own text for a kind of document, with unfilled fields; None if no constant is set.

    :param element: type of the documents, such as ``facture``
    :param kind: ``FREE_TEXT`` or ``DRAFT_WATERMARK``
    """
    name = f"{PREFIXES.get(element, element.upper())}_{kind}"
    language = words.language.upper()
    for each in dict.fromkeys((f"{name}_{language}", f"{name}_{language.partition('_')[0]}", name)):
        if text := constant(each).strip():
            return "" if text == NONE else text
    return None


def filled(text: str, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> str:
    """Return a text with its fields filled in; unknown fields are kept literally.

    Values are never read as fields or as markup: a value that looks like HTML is escaped, and the result is HTML.
    """
    if "{" not in text:
        return text
    source, marked_up = Source(record, thirdparty, words), has_markup(text)

    def value(match: re.Match[str]) -> str:
        find = FIELDS.get(match[1])
        if find is None:
            return match[0]
        found = find(source)
        return _literal(found) if marked_up else found

    result = _FIELD.sub(value, text)
    return _literal(result) if not marked_up and has_markup(result) else result


def _literal(text: str) -> str:
    """Return a text escaped as HTML."""
    return escape(text).replace("\n", "<br>")


def own_text_fault(name: str, value: str) -> str:
    """Return the fault in a constant for an own text, as "expected, got"; empty if it is valid or another constant."""
    if _NAMES[WATERMARK].fullmatch(name):
        if len(value.strip()) > LONGEST_WATERMARK or not value.strip().isprintable():
            return f"one line of at most {LONGEST_WATERMARK} characters, got {shown(value)}"
    elif _NAMES[FREE_TEXT].fullmatch(name):
        unknown = [each for each in _FIELD.findall(value) if each not in FIELDS]
        if unknown:
            return f"only the fields {', '.join(f'{{{each}}}' for each in FIELDS)}; got {{{unknown[0]:.40}}}"
    return ""
