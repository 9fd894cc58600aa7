"""The input of the rules: company, record and customer of a document, with each field as it is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from ...commercial.precision import currency
from ...commercial.vat_category import SERVICE, TaxParty, category_of, is_charged
from ...dictionaries.entries import country_code
from ...dictionaries.union import UNION
from ...setup.constants import constant, is_on
from ..content.language import Language
from ..content.lines import is_option, is_title
from ..content.printed_document import Party
from ..content.record_values import day_of, number
from ..content.vat_reasons import EXEMPT, buyer_of, seller_of, vat_reasons
from .company_values import COMPANY_VALUES, PLACE, PLACE_VALUES
from .constants import CONSTANT_VALUES
from .legal_forms import LegalForm, legal_form

#: ID of the third-party type for private persons
PRIVATE = 8
#: VAT category of lines whose tax the customer owes
REVERSE_CHARGE = "AE"
#: the type of deposit invoices
DEPOSIT = 3


class Case:
    """A document; or, without a record, the company in general.

    :param own: the own company
    :param words: the language of the document
    :param kind: such as ``credit note``; empty: any
    :param record: as `Records.read` returns it
    :param delivery: returns the delivery address; called only if a rule needs it
    """

    def __init__(
        self,
        own: Mapping[str, Any],
        words: Language,
        kind: str = "",
        record: Mapping[str, Any] | None = None,
        thirdparty: Any = None,
        delivery: Callable[[], Party | None] = lambda: None,
    ) -> None:
        self.own, self.words, self.kind = own, words, kind
        self.record: Mapping[str, Any] = record or {}
        self.thirdparty = thirdparty
        self._delivery = delivery
        self._texts: dict[str, str] = {}

    def text(self, name: str) -> str:
        """Return a field as it is printed; empty if it is not set.

        :param name: ``company.…``, ``thirdparty.…``, ``record.…`` or the name of a constant
        """
        if name not in self._texts:
            self._texts[name] = self._text(name)
        return self._texts[name]

    def _text(self, name: str) -> str:
        group, _, field = name.rpartition(".")
        if not group:
            value = constant(name).strip()
            if value and name in CONSTANT_VALUES:
                return CONSTANT_VALUES[name](value, self.words)
            return PLACE_VALUES[self.country](value) if name == PLACE and self.country in PLACE_VALUES else value
        if group == "record":
            return RECORD_VALUES[field](self) if field in RECORD_VALUES else _lined(self.record.get(field))
        if group == "thirdparty":
            return _lined(getattr(self.thirdparty, field, None))
        if group == "law":
            return LAW_VALUES[field](self.words)
        write = COMPANY_VALUES.get((self.country, field)) or COMPANY_VALUES.get(("", field))
        value = _lined(self.own.get(field))
        return write(value, self.own, self.words) if write else value

    # Conditions of the rules -----------------------------------------------------------------------------------------

    @property
    def country(self) -> str:
        """Code of the company's country."""
        return str(self.own.get("country_code") or "").upper()

    @property
    def their_country(self) -> str:
        """Code of the customer's country; the company's if the customer has none."""
        return country_code(getattr(self.thirdparty, "country_id", None)) or self.country

    @cached_property
    def form(self) -> LegalForm | None:
        """The company's legal form; None if it is unknown."""
        return legal_form(self.own)

    def is_registered(self) -> bool:
        """Return whether the company is in a register; True if its legal form is unknown."""
        return self.form is None or self.form.registered

    @cached_property
    def lines(self) -> list[Mapping[str, Any]]:
        """The lines without titles and options."""
        return [line for line in self.record.get("lines") or () if not is_title(line) and not is_option(line)]

    @property
    def is_private(self) -> bool:
        """Return whether the customer is known to be a private person."""
        return int(getattr(self.thirdparty, "typent_id", None) or 0) == PRIVATE

    @property
    def is_business(self) -> bool:
        """Return whether the customer is known to be a business."""
        known = ("tva_intra", "idprof1", "idprof2")
        kind = int(getattr(self.thirdparty, "typent_id", None) or 0)
        return not self.is_private and bool(kind or any(getattr(self.thirdparty, name, None) for name in known))

    @property
    def is_small_business(self) -> bool:
        """Return whether the company charges no VAT as a small business."""
        return is_on("MAIN_INFO_SMALL_BUSINESS")

    @property
    def charges_vat(self) -> bool:
        """Return whether the document charges VAT; without a record, whether the company does."""
        return bool(number(self.record.get("total_tva"))) if self.record else not self.is_small_business

    @property
    def is_abroad_in_union(self) -> bool:
        """Return whether a line has no VAT and the customer is a business in another country of the Union."""
        countries = {self.country, self.their_country}
        untaxed = any(not number(line["tva_tx"]) for line in self.lines)
        return untaxed and len(countries) == 2 and countries <= set(UNION) and not self.is_private

    @property
    def is_untaxed(self) -> bool:
        """Return whether a line with an amount has no VAT."""
        return any(number(line["total_ht"]) and not is_charged(line) for line in self.lines)

    @property
    def is_reverse_charge(self) -> bool:
        """Return whether the customer owes the tax of a line."""
        if self.charges_vat and all(is_charged(line) for line in self.lines):
            return False
        own, other = seller_of(self.own), buyer_of(self.thirdparty) if self.thirdparty else TaxParty()
        return any(category_of(line, own, other) == REVERSE_CHARGE for line in self.lines)

    @property
    def is_deposit(self) -> bool:
        """Return whether the document is a deposit invoice."""
        return int(self.record.get("type") or 0) == DEPOSIT

    def comes_to(self, least: int, *, net: bool = False) -> bool:
        """Return whether the total exceeds an amount; True without a record.

        :param net: compare the total without VAT
        """
        return not self.record or number(self.record.get("total_ht" if net else "total_ttc")).copy_abs() > least

    @cached_property
    def delivery(self) -> list[str]:
        """Lines of the delivery address; empty if it is the customer's."""
        party = self._delivery() if self.record else None
        return party.address if party is not None else []


def _lined(value: Any) -> str:
    """Return a text on one line, its lines separated by commas."""
    return ", ".join(line.strip(" ,") for line in str(value or "").splitlines() if line.strip(" ,"))


def _day(field: str) -> Callable[[Case], str]:
    def write(case: Case) -> str:
        day = day_of(case.record.get(field))
        return case.words.day(day) if day else ""

    return write


def _nature(case: Case) -> str:
    """Return whether the document is for goods, services or both, in words; empty without lines."""
    kinds = {int(line["product_type"] or 0) == SERVICE for line in case.lines}
    if not kinds:
        return ""
    say = case.words.say
    if len(kinds) == 2:
        return say("supply of goods and services")
    return say("supply of services") if kinds == {True} else say("supply of goods")


def _supply(case: Case) -> str:
    """Return the date of supply; empty if the document has none."""
    if day := _day("date_pointoftax")(case) or _day("delivery_date")(case):
        return day
    ends: list[date | None] = [day_of(line.get("date_end") or line.get("date_start")) for line in case.lines]
    known = [end for end in ends if end is not None]
    return case.words.day(max(known)) if known and len(known) == len(ends) else ""


def _rates(case: Case) -> str:
    """Return the VAT rates of the lines, in ascending order."""
    return ", ".join(case.words.percent(rate) for rate in sorted({number(line["tva_tx"]) for line in case.lines}))


def _vat_reason(case: Case) -> str:
    """Return the reasons for lines without VAT; empty if a line has only the generic reason."""
    reasons = vat_reasons(case.lines, case.own, case.thirdparty, case.words) if case.thirdparty else []
    nothing = case.words.say(EXEMPT)
    # If there are several reasons, each ends with the names of its lines in parentheses
    says_little = any(reason == nothing or reason.startswith(f"{nothing} (") for reason in reasons)
    return "" if says_little else "; ".join(reasons)


#: field of a record → function that formats it; all other fields are printed unchanged
RECORD_VALUES: dict[str, Callable[[Case], str]] = {
    "date": _day("date"),
    "date_lim_reglement": _day("date_lim_reglement"),
    "nature": _nature,
    "supply": _supply,
    "rates": _rates,
    "vat_reason": _vat_reason,
    "delivery": lambda case: ", ".join(case.delivery),
    "tax": lambda case: case.words.money(
        number(case.record.get("total_tva")), str(case.record.get("multicurrency_code") or currency())
    ),
}
#: values fixed by law: in France the compensation for recovery costs (art. D. 441-5 of the Code de commerce)
LAW_VALUES: dict[str, Callable[[Language], str]] = {"indemnity": lambda words: words.money(Decimal(40), "EUR")}
