"""Documents as records: reading, creating, changing, deleting, each with the lines and links that belong to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

from core import (
    BadRequest,
    Catalogue,
    Children,
    Loader,
    Records,
    Values,
    cached_per_catalogue,
    current_user_id,
    settings,
    transaction,
    utc_now,
    warn,
    wrong_fields,
)

from ...banks.accounts import are_used
from ...dictionaries.entries import entry
from ...setup.company import today
from ...setup.named_records import require_named
from ...thirdparties.models import Thirdparty
from ...thirdparties.thirdparties import thirdparties
from ..links import link, read_links, unlink_all
from ..numbers import Series, provisional
from ..plain_lines import MOST_LINES_OF_A_PAGE, PlainLines
from ..plain_models import ELEMENTS, PlainDocument
from ..roles import contact_rows, remove_roles
from .relations import Contacts, Relations

P = TypeVar("P", bound=PlainDocument)

LINKS = ("linked_objects", "linkedObjectsIds")
#: fields that name a record by a plain number → the service that it belongs to
NAMED = {"warehouse_id": "warehouses"}
#: fields that choose an entry of a dictionary, where their name doesn't say what it is
_CHOICES = {"cond_reglement_id": "payment term", "mode_reglement_id": "payment method"}


class DocumentRecords(Records[P]):
    """The records of a kind of document, with or without prices; see `PlainDocuments`."""

    element = ""
    lines: PlainLines[Any]
    series: Series
    put_replaces = True
    #: fields that name an entry of a dictionary, and its model
    chosen: Collection[tuple[str, type[Any]]] = ()
    extra_keys: Collection[str] = ("lines", *LINKS)

    # Reading ---------------------------------------------------------------------------------------------------------

    def loaders(self, *, alone: bool) -> Sequence[Loader]:
        """Lines, and contacts; for a document that is read by itself also what it is linked with."""
        parent = self.lines.parent
        order = f"t.{parent},t.rang,t.rowid"
        lines = Children(self.lines, parent, "lines", sort=order, most=MOST_LINES_OF_A_PAGE)
        return [Relations(self.element, models_by_element()), lines] if alone else [lines, Contacts(self.element)]

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
            self.write_unchecked(
                identifier, **self.first_reference(identifier), **self.sums(ids, amounts, terms, values)
            )
            for kind, other in links:
                self._link(kind, other, identifier)
            self.notify("created", identifier)
        return identifier

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a document; its lines and links are for a creation alone."""
        # No link is answered by an empty one, in some profile
        passed = [] if creating else [name for name in LINKS if body.get(name)]
        if not creating and "lines" in body:
            passed.insert(0, "lines")
        if passed:
            warn(f"ignored, because these can be set only on creation: {', '.join(passed)}")
        values, extras = super().accept(body, creating=creating, replace=replace)
        if creating:
            # Here and not in `prepare`: what a document takes over from another one may be gone by now
            require_named(values, None, **_named())
        return values, extras

    def prepare(self, values: Values, before: P | None) -> None:
        """Note who writes a document and when; what names an entry of a dictionary must find it."""
        user, now = current_user_id(), utc_now()
        if before is None:
            values.setdefault("user_author_id", user)
            values.setdefault("date_creation", now)
        else:
            values.setdefault("fk_user_modif", user)
            require_named(values, before, **_named())
        for name, model in self.chosen:
            if before is None or values.get(name) != getattr(before, name):
                self._check_entry(values, name, model)
        values.setdefault("date_modification", now)

    def _check_entry(self, values: Mapping[str, Any], name: str, model: Any) -> None:
        if values.get(name) and entry(model, values[name]) is None:
            noun = _CHOICES.get(name) or name.removesuffix("_id").replace("_", " ")
            raise wrong_fields([(name, f"expected the ID of a {noun}, got {values[name]}")])

    def put(self, identifier: int, body: Mapping[str, Any]) -> None:
        """Change a document as PUT does: entirely, or what is sent, as its kind and the profile say."""
        self.change(identifier, body, replace=self.put_replaces and settings().profile.put_replaces)

    def removing(self, row: P) -> None:
        """Delete what belongs to a document that is deleted; the last reference of its series is free again."""
        self.series_of(row).give_back(row.ref)
        unlink_all(self.element, row.id)
        remove_roles(self.element, row.id)

    def _link(self, kind: str, other: int, identifier: int) -> None:
        """Link a new document with one that exists and that the caller may see."""
        models = models_by_element()
        if kind not in models:
            reason = f"expected one of {', '.join(sorted(models))}; got {kind!r:.60}"
            raise wrong_fields([("linked_objects", reason)])
        Records(models[kind], noun=kind).load(other)
        link((kind, other), (self.element, identifier))

    def lines_change(self, row: P) -> bool:
        """Whether lines of a document may be added, changed and removed."""
        return True

    def first_reference(self, identifier: int) -> dict[str, Any]:
        """The reference of a new document, by field; empty where its body names it."""
        return {"ref": provisional(identifier)}

    # What lines come to, and numbers ---------------------------------------------------------------------------------

    def terms(self, values: Mapping[str, Any]) -> Any:
        """What the lines of a document are measured by, such as how they are priced.

        :param values: the document's fields
        """
        return None

    def sums(self, ids: list[int], amounts: list[Any], terms: Any, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the new lines of a document come to, by its field.

        :param ids: identifiers of the lines
        :param amounts: what each comes to, as `lines.add` answered
        :param terms: what they are measured by
        :param values: the document's fields
        """
        return {}

    def recount(self, row: P, *, touched: bool = True) -> None:
        """Note that the lines of a document have changed, inside the transaction that has locked it.

        :param touched: whether a line is another than before
        """
        if touched:
            self.write_unchecked(row.id, fk_user_modif=current_user_id(), date_modification=utc_now())

    def customer_of(self, row: P) -> Thirdparty:
        """The third party of a document; it is read once for a row.

        :raises NotFound: the caller may not see it
        """
        known: Thirdparty | None = row.__dict__.get("customer")
        if known is None:
            known = row.__dict__["customer"] = thirdparties.load(row.socid)
        return known

    def series_of(self, row: P) -> Series:
        """How a document is numbered, where that depends on it."""
        return self.series

    def number_day(self, row: P) -> date:
        """The day a document's reference is made for."""
        return today()


def _named() -> dict[str, str]:
    """Fields that name a record by a plain number, and the service it belongs to; where no bank account is kept, a
    document may go on naming one of the caller's own count.
    """
    return NAMED | ({"fk_account": "bankaccounts"} if are_used() else {})


@cached_per_catalogue
def models_by_element(served: Catalogue) -> dict[str, type[PlainDocument]]:
    """Every kind of document that is served: its name in links → its model."""
    found: list[Any] = [model for model in served.models if issubclass(model, PlainDocument)]
    return {element_of(model): model for model in found}


def element_of(model: Any) -> str:
    """What a kind of document is called in links and in the roles of contacts."""
    return ELEMENTS.get(model._meta.extrafields, str(model._meta.extrafields))
