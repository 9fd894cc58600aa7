"""Documents as records: reading, creating, changing, deleting, each with the lines and links that belong to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, TypeVar

from core import (
    BadRequest,
    Catalogue,
    Records,
    Values,
    cached_per_catalogue,
    current_user_id,
    query,
    settings,
    transaction,
    utc_now,
    warn,
    wrong_fields,
)

from ...dictionaries.entries import add_codes, entry
from ...dictionaries.models import PaymentTerm, PaymentType
from ...thirdparties.models import Thirdparty
from ...thirdparties.thirdparties import thirdparties
from ..line_records import MOST_LINES_OF_A_PAGE
from ..lines import Lines
from ..links import link, read_links, unlink_all, visible
from ..models import Document
from ..numbers import Series, provisional
from ..precision import Terms, currency, rounding, terms_of
from ..roles import contact_ids, contact_rows, remove_roles
from ..states import DRAFT
from .relations import relations

D = TypeVar("D", bound=Document)

LINKS = ("linked_objects", "linkedObjectsIds")
#: fields that name an entry of a dictionary
CHOSEN = (("cond_reglement_id", PaymentTerm), ("mode_reglement_id", PaymentType))


class DocumentRecords(Records[D]):
    """The records of a kind of document; see `Documents`."""

    element = ""
    lines: Lines[Any]
    series: Series
    put_replaces = True
    besides: Collection[str] = ("lines", *LINKS)

    # Reading ---------------------------------------------------------------------------------------------------------

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add lines, contacts and what dictionaries know, with one statement each for all records."""
        ids = [int(record["id"]) for record in records]
        lines: dict[int, list[dict[str, Any]]] = {identifier: [] for identifier in ids}
        order = f"t.{self.lines.parent},t.rang,t.rowid"
        for line in self.lines.every({self.lines.parent: ids}, order, most=MOST_LINES_OF_A_PAGE):
            lines[int(line[self.lines.parent])].append(line)
        unknown = [number for record, number in zip(records, ids, strict=True) if "contacts_ids" not in record]
        people = contact_ids(self.element, unknown) if unknown else {}
        for record, identifier in zip(records, ids, strict=True):
            record["lines"] = lines[identifier]
            record.setdefault("contacts_ids", people.get(identifier))
            record.setdefault("linkedObjectsIds", None)
            record["brouillon"] = 1 if int(record["statut"]) == DRAFT else None
        add_codes(records, "cond_reglement_code", PaymentTerm, "cond_reglement_id")
        add_codes(records, "mode_reglement_code", PaymentType, "mode_reglement_id")

    def complete_one(self, record: dict[str, Any]) -> None:
        """Add what a document is linked with, too: one statement finds that and its contacts."""
        people, linked = relations(self.element, int(record["id"]))
        record["contacts_ids"] = people
        record["linkedObjectsIds"] = visible(linked, models_by_element()) or self.select_plan().empty_map()
        super().complete_one(record)

    def read(self, value: Any, by: str = "", *, contact_list: int = 1) -> dict[str, Any]:
        """Read one document.

        :param contact_list: contacts as 1 identifiers, 0 objects, -1 not at all
        """
        record = super().read(value, by)
        if contact_list != 1:
            shown = contact_list == 0
            rows = contact_rows(self.element, int(record["id"]), source="external") if shown else None
            record["contacts_ids"] = rows
        return record

    # Writing ---------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a draft with its lines, in one transaction; answers its identifier.

        :raises BadRequest: fields are missing or do not fit, of the document or of a line; all of them are named
        :raises NotFound: a record that is named does not exist, or is not the caller's to see
        """
        failure: BadRequest | None = None
        values = Values()
        extras: dict[str, Any] | None = None
        try:
            values, extras = self.accept(body)
        except BadRequest as error:
            failure = error
        lines, unfit = self.lines.accept_all(body.get("lines"))
        links = read_links(next((body[name] for name in LINKS if body.get(name)), None))
        if failure is not None:
            failure.errors = [*failure.errors, *unfit]
            raise failure
        if unfit:
            raise wrong_fields(unfit)
        values |= managed
        with transaction():
            identifier = self.insert(values, extras, body)
            terms = self.terms(values)
            ids, amounts = self.lines.add(identifier, lines, terms, ranked=True)
            totals = self.totals(self.lines.settle(ids, amounts, terms.rounding), values)
            self.write(identifier, ref=provisional(identifier), **totals)
            for kind, other in links:
                self._link(kind, other, identifier)
            self.tell("created", identifier)
        return identifier

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a document; its lines and links are for a creation alone."""
        if not creating and (ignored := [name for name in ("lines", *LINKS) if name in body]):
            warn(f"ignored: {', '.join(ignored)}")
        return super().accept(body, creating=creating, replace=replace)

    def prepare(self, values: Values, before: D | None) -> None:
        """Note who writes a document and when."""
        user, now = current_user_id(), utc_now()
        if before is None:
            values.setdefault("user_author_id", user)
            values.setdefault("date_creation", now)
            values.setdefault("multicurrency_code", currency())
        else:
            values.setdefault("fk_user_modif", user)
        for name, model in CHOSEN:
            if before is None or values.get(name) != getattr(before, name):
                self._check_entry(values, name, model)
        values.setdefault("date_modification", now)

    def _check_entry(self, values: Mapping[str, Any], name: str, model: Any) -> None:
        if values.get(name) and entry(model, values[name]) is None:
            raise wrong_fields([(name, f"Expecting an entry of the dictionary (got {values[name]})")])

    def put(self, identifier: int, body: Mapping[str, Any]) -> None:
        """Change a document as PUT does: entirely, or what is sent, as its kind and the profile say."""
        self.change(identifier, body, replace=self.put_replaces and settings().profile.put_replaces)

    def removing(self, row: D) -> None:
        """Delete what belongs to a document that is deleted; the last reference of its series is free again."""
        self.series_of(row).give_back(row.ref)
        unlink_all(self.element, row.id)
        remove_roles(self.element, row.id)

    def _link(self, kind: str, other: int, identifier: int) -> None:
        """Link a new document with one that exists and that the caller may see."""
        models = models_by_element()
        if kind not in models:
            raise wrong_fields([("linked_objects", f"Expected one of ({','.join(sorted(models))}).")])
        Records(models[kind], noun=kind).load(other)
        link((kind, other), (self.element, identifier))

    # Sums and numbers -------------------------------------------------------------------------------------------------

    def recount(self, row: D, *, touched: bool = True) -> None:
        """Sum the lines of a document up anew, inside the transaction that has locked it.

        :param touched: whether a line is another than before; if not, only other totals are a change
        """
        totals = self.totals(self.lines.total(row.id, rounding()), row.__data__)
        if touched or any(getattr(row, name) != total for name, total in totals.items()):
            self.write(row.id, **totals, fk_user_modif=current_user_id(), date_modification=utc_now())

    def customer_of(self, row: D) -> Thirdparty:
        """The third party of a document; it is read once for a row.

        :raises NotFound: the caller may not see it
        """
        known: Thirdparty | None = row.__dict__.get("customer")
        if known is None:
            known = row.__dict__["customer"] = thirdparties.load(row.socid)
        return known

    def terms(self, values: Mapping[str, Any]) -> Terms:
        """What the lines of a document are priced by.

        :param values: the document's fields
        """
        rows = query("SELECT fk_pays FROM llx_societe WHERE rowid = ?", (values["socid"],))
        return terms_of(rows[0][0] if rows else None, credit=self.is_credit(values))

    def is_credit(self, values: Mapping[str, Any]) -> bool:
        """Whether a document gives money back."""
        return False

    def totals(self, sums: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """A document's totals from the sums of its lines.

        :param values: the document's fields
        """
        return sums

    def series_of(self, row: D) -> Series:
        """How a document is numbered, where that depends on it."""
        return self.series

    def number_day(self, row: D) -> date:
        """The day a document's reference is made for."""
        return row.date


@cached_per_catalogue
def models_by_element(served: Catalogue) -> dict[str, type[Document]]:
    """Every kind of document that is served: its name in links → its model."""
    found: list[Any] = [model for model in served.models if issubclass(model, Document)]
    return {model._meta.extrafields: model for model in found}
