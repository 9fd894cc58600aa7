"""The company's own texts: constants such as INVOICE_FREE_TEXT, with fields such as ``{ref}``.

The constant of a text in one language ends with the language in capitals. INVOICE_FREE_TEXT_FR_CH takes precedence
over INVOICE_FREE_TEXT_FR, which takes precedence over INVOICE_FREE_TEXT. The value ``none`` means an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from ...commercial.precision import currency
from ...setup.company import FIELDS as COMPANY_FIELDS
from ...setup.company import company
from ...setup.constants import constant
from ...thirdparties.models import Thirdparty
from .html_reader import has_markup
from .language import Language
from .record_values import day_of, number

FREE_TEXT, WATERMARK = "FREE_TEXT", "DRAFT_WATERMARK"
NONE = "none"
DUE_DAY = "date_lim_reglement"
LONGEST_WATERMARK = 60

_FIELD = re.compile(r"\{([^{}\n]{1,60})\}")

#: fields with an amount of the record, and those with one of its days → its field
AMOUNTS = ("total_ht", "total_tva", "total_ttc", "remaintopay")
DAYS = {"date": "date", "due_date": DUE_DAY, "valid_until": "fin_validite", "delivery_date": "delivery_date"}
#: the fields of a text
FIELDS = (
    "ref", "ref_client", *DAYS, "days", *AMOUNTS,
    *(f"thirdparty.{name}" for name in (
        "name", "code_client", "tva_intra", "idprof1", "address", "zip", "town", "email", "phone"
    )),
    *(f"company.{name}" for name in COMPANY_FIELDS if name != "note_private"),
    *(f"bank.{name}" for name in ("name", "owner", "iban", "bic")),
)  # fmt: skip


def own_text(name: str, words: Language) -> str | None:
    """Return the company's own text in a language, with unfilled fields; None if no constant is set.

    :param name: the constant of all languages, such as ``INVOICE_FREE_TEXT``
    """
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
    marked_up = has_markup(text)

    def value(match: re.Match[str]) -> str:
        if match[1] not in FIELDS:
            return match[0]
        found = _value(match[1], record, thirdparty, words)
        return _literal(found) if marked_up else found

    result = _FIELD.sub(value, text)
    return _literal(result) if not marked_up and has_markup(result) else result


def _value(name: str, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> str:
    """Return the text of a field of `FIELDS`; empty if it isn't set."""
    group, _, field = name.rpartition(".")
    if group == "bank":
        return constant(f"MAIN_BANK_{field.upper()}").strip()
    if group:
        return str((getattr(thirdparty, field) if group == "thirdparty" else company().get(field)) or "")
    if name in AMOUNTS:
        return words.money(number(record.get(name)), str(record.get("multicurrency_code") or currency()))
    if name == "days":
        start, due = day_of(record.get("date")), day_of(record.get(DUE_DAY))
        return str(max(0, (due - start).days)) if start and due else ""
    if name in DAYS:
        day = day_of(record.get(DAYS[name]))
        return words.day(day) if day else ""
    return str(record.get(name) or "")


def _literal(text: str) -> str:
    """Return a text escaped as HTML."""
    return escape(text).replace("\n", "<br>")


def check_line(name: str, text: str) -> None:
    """Check a constant with a text of one line.

    :raises ValueError: it has line breaks or other control characters
    """
    if not text.isprintable():
        raise ValueError("expected one line")


def check_text(name: str, text: str) -> None:
    """Check a constant with an own text.

    :raises ValueError: it has an unknown field
    """
    unknown = [each for each in _FIELD.findall(text) if each not in FIELDS]
    if unknown:
        known = ", ".join(f"{{{each}}}" for each in FIELDS)
        raise ValueError(f"expected only the fields {known}; got {{{unknown[0]:.40}}}")
