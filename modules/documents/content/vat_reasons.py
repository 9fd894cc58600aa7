"""The reasons for lines without VAT, in the document's language; PDF and electronic invoice have the same sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...commercial.vat_category import TaxParty, category_of, is_charged, tax_party
from ...dictionaries.entries import country_code
from ...dictionaries.union import UNION
from ...dictionaries.vat import vat_row
from ...setup.constants import is_on
from ...thirdparties.models import Thirdparty
from .language import Language
from .lines import is_title
from .record_values import number

#: general sentence without a reason
EXEMPT = "Exempt from VAT"
#: category of a line without VAT → the sentence; a zero rate (Z) needs none
REASONS = {
    "Z": "",
    "E": EXEMPT,
    "AE": "Reverse charge",
    "K": "VAT-exempt intra-Community supply (Article 138 of Directive 2006/112/EC)",
    "G": "Export outside the European Union, exempt from VAT",
    "O": "Not subject to VAT",
}
#: sentence for exports by a company outside the Union
EXPORT = "Export, exempt from VAT"
#: country → sentence of a small business, which charges no VAT at all
SMALL = {
    "AT": "Exempt from VAT as a small business (§ 6 (1) 27 UStG)",
    "BE": "Exemption scheme for small businesses: VAT not applicable (art. 56bis of the Belgian VAT Code).",
    "DE": "Exempt from VAT as a small business (§ 19 UStG).",
    "FR": "VAT not applicable, article 293 B of the CGI",
}
#: constant that is set if the company charges no VAT although it has a VAT number
SMALL_BUSINESS = "MAIN_INFO_SMALL_BUSINESS"
#: maximum line names listed after a reason, and maximum characters of each
MOST_NAMES, LONGEST_NAME = 5, 40


def seller_of(own: Mapping[str, Any]) -> TaxParty:
    """Return the company as a tax party."""
    return tax_party(own["country_code"], own["tva_intra"], own["idprof1"], own["idprof2"])


def buyer_of(thirdparty: Thirdparty) -> TaxParty:
    """Return a third party as a tax party."""
    country = country_code(thirdparty.country_id)
    return tax_party(country, thirdparty.tva_intra, thirdparty.idprof1, thirdparty.idprof2)


def is_small(own: TaxParty, lines: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the company charges no VAT as a small business.

    It has the setting `SMALL_BUSINESS` or no VAT number, and none of the lines has VAT.
    """
    return (not own.vat or is_on(SMALL_BUSINESS)) and not any(map(is_charged, lines))


def reason_of(line: Mapping[str, Any], category: str, own: TaxParty, words: Language, *, small: bool) -> str:
    """Return the reason why a line has no VAT; empty if it has VAT or needs no reason.

    :param category: VAT category of the line
    :param small: see `is_small`
    """
    code = str(line["vat_src_code"] or "")
    row = vat_row(own.country, number(line["tva_tx"]), code) if category == "E" and code else None
    if row is not None and row.note:
        return words.say(row.note)
    sentence = SMALL.get(own.country)
    if small and sentence and category in ("E", "O"):
        return words.say(sentence)
    if category == "G" and own.country not in UNION:
        return words.say(EXPORT)
    return words.say(REASONS[category]) if category in REASONS else ""


def vat_reasons(
    lines: Sequence[Mapping[str, Any]], company: Mapping[str, Any], thirdparty: Thirdparty, words: Language
) -> list[str]:
    """Return the reasons for lines without VAT, one sentence each; if there are several, each lists its lines.

    :param lines: the lines of a record
    """
    untaxed = [line for line in lines if not is_title(line) and _is_untaxed(line)]
    own = seller_of(company) if untaxed else TaxParty()
    # A company without a country has not been set up, therefore its VAT status is unknown
    if not own.country:
        return []
    other, small = buyer_of(thirdparty), is_small(own, lines)
    found: dict[str, list[str]] = {}
    for line in untaxed:
        category = category_of(line, own, other)
        found.setdefault(reason_of(line, category, own, words, small=small), []).append(_name(line))
    found.pop("", None)
    if len(found) < 2:
        return list(found)
    return [f"{reason} ({_listed(names)})" for reason, names in found.items()]


def _is_untaxed(line: Mapping[str, Any]) -> bool:
    """Return whether a line has an amount without VAT; lines that deduct a discount are excluded."""
    return bool(number(line["total_ht"])) and not is_charged(line) and not int(line.get("fk_remise_except") or 0)


def _name(line: Mapping[str, Any]) -> str:
    text = str(line["label"] or line["product_label"] or line["product_ref"] or line["desc"] or "").strip()
    first = text.split("\n", 1)[0].strip()
    return first if len(first) <= LONGEST_NAME else f"{first[: LONGEST_NAME - 1].rstrip()}…"


def _listed(names: Iterable[str]) -> str:
    once = list(dict.fromkeys(name for name in names if name))
    return ", ".join(once[:MOST_NAMES]) + (", …" if len(once) > MOST_NAMES else "")
