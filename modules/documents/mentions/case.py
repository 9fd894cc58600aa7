"""The case that rules look at: a paper's company, record and customer, and each field of them as it is printed."""

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
from ...setup.constants import constant
from ..papers.language import Language
from ..papers.lines import is_option, is_title
from ..papers.paper import Party
from ..papers.record_values import day_of, number
from ..papers.vat_reasons import EXEMPT, buyer_of, seller_of, vat_reasons
from .company_values import COMPANY_VALUES, PLACE, PLACE_VALUES
from .constants import CONSTANT_VALUES, is_on
from .legal_forms import LegalForm, legal_form

#: kind of a third party that is no business
PRIVATE = 8
#: the category of lines whose tax the customer owes
REVERSE_CHARGE = "AE"
#: types of invoice
CREDIT_NOTE, DEPOSIT, PROFORMA = 2, 3, 4
#: type of invoice → the kind of paper it is; the others are invoices
KINDS = {CREDIT_NOTE: "credit note", PROFORMA: "proforma"}


def kind_of(noun: str, record: Mapping[str, Any]) -> str:
    """The kind of paper that is printed of a record.

    :param noun: what one record is called, such as ``Invoice``
    """
    kind = noun.lower()
    return KINDS.get(int(record.get("type") or 0), kind) if kind == "invoice" else kind


class Case:
    """A paper, or the company in general where there is no record.

    :param own: the own company
    :param words: the language of the paper
    :param kind: such as ``credit note``; empty: any
    :param record: as its records answer it
    :param delivery: answers where it is delivered to; asked only where a rule wants to know
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
        """A field as it is printed; empty where it is not set.

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

    # What rules ask --------------------------------------------------------------------------------------------------

    @property
    def country(self) -> str:
        """Code of the company's country."""
        return str(self.own.get("country_code") or "").upper()

    @property
    def their_country(self) -> str:
        """Code of the customer's country; the company's where none is named."""
        return country_code(getattr(self.thirdparty, "country_id", None)) or self.country

    @cached_property
    def form(self) -> LegalForm | None:
        """The company's legal form; None while it is not known."""
        return legal_form(self.own)

    def is_registered(self) -> bool:
        """Whether the company is in a register, as far as its legal form is known."""
        return self.form is None or self.form.registered

    @cached_property
    def lines(self) -> list[Mapping[str, Any]]:
        """The lines that count."""
        return [line for line in self.record.get("lines") or () if not is_title(line) and not is_option(line)]

    @property
    def is_private(self) -> bool:
        """Whether the customer is known to be no business."""
        return int(getattr(self.thirdparty, "typent_id", None) or 0) == PRIVATE

    @property
    def is_business(self) -> bool:
        """Whether the customer is known to be one."""
        known = ("tva_intra", "idprof1", "idprof2")
        kind = int(getattr(self.thirdparty, "typent_id", None) or 0)
        return not self.is_private and bool(kind or any(getattr(self.thirdparty, name, None) for name in known))

    @property
    def is_small_business(self) -> bool:
        """Whether the company charges no VAT because it is small."""
        return is_on("MAIN_INFO_SMALL_BUSINESS")

    @property
    def charges_vat(self) -> bool:
        """Whether VAT is charged; in general, whether the company does."""
        return bool(number(self.record.get("total_tva"))) if self.record else not self.is_small_business

    @property
    def is_abroad_in_union(self) -> bool:
        """Whether it goes to a business of another country of the Union, without VAT."""
        countries = {self.country, self.their_country}
        untaxed = any(not number(line["tva_tx"]) for line in self.lines)
        return untaxed and len(countries) == 2 and countries <= set(UNION) and not self.is_private

    @property
    def is_untaxed(self) -> bool:
        """Whether a line that costs something bears no VAT."""
        return any(number(line["total_ht"]) and not is_charged(line) for line in self.lines)

    @property
    def is_reverse_charge(self) -> bool:
        """Whether the customer owes the tax of a line."""
        if self.charges_vat and all(is_charged(line) for line in self.lines):
            return False
        own, other = seller_of(self.own), buyer_of(self.thirdparty) if self.thirdparty else TaxParty()
        return any(category_of(line, own, other) == REVERSE_CHARGE for line in self.lines)

    @property
    def is_deposit(self) -> bool:
        """Whether it asks for money ahead."""
        return int(self.record.get("type") or 0) == DEPOSIT

    def comes_to(self, least: int, *, net: bool = False) -> bool:
        """Whether it comes to more than an amount; in general, papers do.

        :param net: the amount is one without VAT
        """
        return not self.record or abs(number(self.record.get("total_ht" if net else "total_ttc"))) > least

    @cached_property
    def delivery(self) -> list[str]:
        """Where it is delivered to, if that is elsewhere."""
        party = self._delivery() if self.record else None
        return party.address if party is not None else []


def _lined(value: Any) -> str:
    """A text in one line."""
    return ", ".join(line.strip(" ,") for line in str(value or "").splitlines() if line.strip(" ,"))


def _day(field: str) -> Callable[[Case], str]:
    def write(case: Case) -> str:
        day = day_of(case.record.get(field))
        return case.words.day(day) if day else ""

    return write


def _nature(case: Case) -> str:
    """Goods, services, or both."""
    kinds = {int(line["product_type"] or 0) == SERVICE for line in case.lines}
    if not kinds:
        return ""
    say = case.words.say
    if len(kinds) == 2:
        return say("supply of goods and services")
    return say("supply of services") if kinds == {True} else say("supply of goods")


def _supply(case: Case) -> str:
    """When it was supplied, if the paper tells."""
    if day := _day("date_pointoftax")(case) or _day("delivery_date")(case):
        return day
    ends: list[date | None] = [day_of(line.get("date_end") or line.get("date_start")) for line in case.lines]
    known = [end for end in ends if end is not None]
    return case.words.day(max(known)) if known and len(known) == len(ends) else ""


def _rates(case: Case) -> str:
    """The rates of VAT."""
    return ", ".join(case.words.percent(rate) for rate in sorted({number(line["tva_tx"]) for line in case.lines}))


def _vat_reason(case: Case) -> str:
    """Why lines bear no VAT, where each says more than that."""
    reasons = vat_reasons(case.lines, case.own, case.thirdparty, case.words) if case.thirdparty else []
    nothing = case.words.say(EXEMPT)
    # Of several each has the names of its lines behind it
    says_little = any(reason == nothing or reason.startswith(f"{nothing} (") for reason in reasons)
    return "" if says_little else "; ".join(reasons)


#: what is not printed as it stands in the record
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
#: what a law itself fixes: in France the compensation for recovery costs (art. D. 441-5 of the Code de commerce)
LAW_VALUES: dict[str, Callable[[Language], str]] = {"indemnity": lambda words: words.money(Decimal(40), "EUR")}
