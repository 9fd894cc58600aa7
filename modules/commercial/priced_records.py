"""Records of documents with prices: what their lines come to, taxes and totals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, TypeVar

from core import Values, current_user_id, query, utc_now

from ..dictionaries.entries import add_codes
from ..dictionaries.models import PaymentTerm, PaymentType
from ..thirdparties.models import Thirdparty
from ..thirdparties.thirdparties import thirdparties
from .document.records import DocumentRecords
from .lines import Lines
from .models import Document
from .precision import Terms, currency, rounding, terms_of

D = TypeVar("D", bound=Document)

#: the third party of a new document, in what is known besides its fields
CUSTOMER = "customer"


class PricedRecords(DocumentRecords[D]):
    """The records of a kind of document with prices; `Documents` are those that have states, too."""

    lines: Lines[Any]
    chosen = (("cond_reglement_id", PaymentTerm), ("mode_reglement_id", PaymentType))

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the codes of the terms of payment, and how they are printed."""
        super().complete(records)
        add_codes(records, "cond_reglement_code", PaymentTerm, "cond_reglement_id")
        add_codes(records, "mode_reglement_code", PaymentType, "mode_reglement_id")
        add_codes(records, "cond_reglement_doc", PaymentTerm, "cond_reglement_id", said="descr")

    def prepare(self, values: Values, before: D | None) -> None:
        """A new document is in the company's currency."""
        super().prepare(values, before)
        if before is None:
            values.setdefault("multicurrency_code", currency())

    def make_ready(self, values: Values, extras: Mapping[str, Any] | None, known: Collection[str] = ()) -> None:
        """Look for the third party by what its lines are priced by, too: one statement for both."""
        if values.get("socid") and "socid" not in known:
            found = thirdparties.rows({"id": values["socid"]})
            if found:
                values.context[CUSTOMER], known = found[0], (*known, "socid")
        super().make_ready(values, extras, known)

    def number_day(self, row: D) -> date:
        """The day a document's reference is made for."""
        return row.date

    # Sums ------------------------------------------------------------------------------------------------------------

    def sums(self, ids: list[int], amounts: list[Any], terms: Terms, values: Mapping[str, Any]) -> dict[str, Any]:
        """The totals of a document with new lines."""
        return self.totals(self.lines.settle(ids, amounts, terms.rounding), values)

    def recount(self, row: D, *, touched: bool = True) -> None:
        """Sum the lines of a document up anew, inside the transaction that has locked it.

        :param touched: whether a line is another than before; if not, only other totals are a change
        """
        totals = self.totals(self.lines.total(row.id, rounding()), row.__data__)
        if touched or any(getattr(row, name) != total for name, total in totals.items()):
            self.write_unchecked(row.id, **totals, fk_user_modif=current_user_id(), date_modification=utc_now())

    def terms(self, values: Mapping[str, Any]) -> Terms:
        """What the lines of a document are priced by.

        :param values: the document's fields
        """
        customer = values["socid"]
        known: Thirdparty | None = values.context.get(CUSTOMER) if isinstance(values, Values) else None
        if known is not None and known.id == customer:
            country, level = known.country_id, known.price_level
        else:
            rows = query("SELECT fk_pays, price_level FROM llx_societe WHERE rowid = ?", (customer,))
            country, level = rows[0] if rows else (None, None)
        return terms_of(country, credit=self.is_credit(values), customer=customer, price_level=level)

    def is_credit(self, values: Mapping[str, Any]) -> bool:
        """Whether a document gives money back."""
        return False

    def totals(self, sums: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """A document's totals from the sums of its lines.

        :param values: the document's fields
        """
        return sums
