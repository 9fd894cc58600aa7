"""Documents: what proposals, orders, invoices and any further kind share. A kind says only how it differs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, TypeVar

from peewee import DateTimeField

from core import (
    BadRequest,
    Records,
    Refused,
    current_caller,
    query,
    settings,
    transaction,
    utc_now,
    warn,
)

from ..dictionaries.entries import code_of, entry
from ..dictionaries.models import PaymentTerm, PaymentType
from ..setup.company import today
from ..thirdparties.models import Thirdparty
from .lines import Lines, require_draft, same_extras
from .links import link, linked_ids, read_links, unlink_all
from .models import Document
from .numbers import Series, is_provisional, provisional
from .precision import Terms, currency, rounding, terms_of
from .roles import contact_ids, contact_rows, copy_roles, give_role, offer_roles, remove_roles, take_role
from .states import DRAFT, VALIDATED, Move, States

D = TypeVar("D", bound=Document)

LINKS = ("linked_objects", "linkedObjectsIds")


class Documents(Records[D]):
    """A kind of commercial document.

    :cvar element: what the kind is called in links and in the roles of contacts, such as ``commande``: `extrafields`
        of its model
    :cvar lines: its lines
    :cvar states: its states and moves
    :cvar series: how it is numbered
    :cvar roles: what contacts can be to it, code → label; only for kinds that the dictionary of roles does not know
    :cvar put_replaces: whether PUT sets what is not sent back to its default where the profile says so
    :cvar needs_lines: whether it is validated only with lines
    """

    element = ""
    lines: Lines[Any]
    states: States
    series: Series
    roles: Mapping[str, str] = {}
    put_replaces = True
    needs_lines = False
    besides: Collection[str] = ("lines", *LINKS)

    def __init__(self) -> None:
        super().__init__()
        meta: Any = self.model._meta
        self.element = self.element or meta.extrafields
        missing = [name for name in ("lines", "states", "series", "element") if not getattr(self, name, None)]
        if missing:
            raise TypeError(f"{type(self).__name__} says nothing of its {missing[0]}")
        self.owned = (*self.owned, (self.lines.model, self.lines.parent))

    # Reading ---------------------------------------------------------------------------------------------------------

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add lines, contacts and what dictionaries know, with one statement each for all records."""
        ids = [int(record["id"]) for record in records]
        lines: dict[int, list[dict[str, Any]]] = {identifier: [] for identifier in ids}
        for line in self.lines.every({self.lines.parent: ids}, f"t.{self.lines.parent},t.rang,t.rowid"):
            lines[int(line[self.lines.parent])].append(line)
        people = contact_ids(self.element, ids)
        for record, identifier in zip(records, ids, strict=True):
            record["lines"] = lines[identifier]
            record["contacts_ids"] = people[identifier]
            record["linkedObjectsIds"] = None
            record["cond_reglement_code"] = code_of(PaymentTerm, record["cond_reglement_id"])
            record["mode_reglement_code"] = code_of(PaymentType, record["mode_reglement_id"])
            record["brouillon"] = 1 if int(record["statut"]) == DRAFT else None

    def read(self, value: Any, by: str = "", *, contact_list: int = 1) -> dict[str, Any]:
        """Read one document, with what it is linked with.

        :param contact_list: contacts as 1 identifiers, 0 objects, -1 not at all
        """
        record = super().read(value, by)
        identifier = int(record["id"])
        record["linkedObjectsIds"] = linked_ids(self.element, identifier) or self.plan().empty_map()
        if contact_list != 1:
            shown = contact_list == 0
            record["contacts_ids"] = contact_rows(self.element, identifier, source="external") if shown else None
        return record

    # Writing ---------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a draft with its lines, in one transaction; answers its identifier.

        :raises BadRequest: fields are missing or do not fit, of the document or of a line; all of them are named
        :raises NotFound: a record that is named does not exist, or is not the caller's to see
        """
        wrong: list[tuple[str, str]] = []
        message = ""
        values: dict[str, Any] = {}
        extras: dict[str, Any] | None = None
        try:
            values, extras = self.accept(body)
        except BadRequest as error:
            wrong, message = error.errors, error.message
        lines, unfit = self.lines.accept_all(body.get("lines"))
        links = read_links(next((body[name] for name in LINKS if body.get(name)), None))
        if wrong or unfit:
            message = message or f"Invalid value specified for `{unfit[0][0]}`. {unfit[0][1]}"
            raise BadRequest(message, errors=[*wrong, *unfit])
        with transaction():
            identifier = self.insert(values | managed, extras, body)
            terms = self.terms(values | managed)
            ids, amounts = self.lines.add(identifier, lines, terms, ranked=True)
            totals = self.totals(self.lines.settle(ids, amounts, terms.rounding), values | managed)
            self.write(identifier, ref=provisional(identifier), **totals)
            for kind, other in links:
                self._link(kind, other, identifier)
            self.tell("created", identifier)
        return identifier

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Check the body of a document; its lines and links are for a creation alone."""
        if not creating and (ignored := [name for name in ("lines", *LINKS) if name in body]):
            warn(f"ignored: {', '.join(ignored)}")
        return super().accept(body, creating=creating, replace=replace)

    def prepare(self, values: dict[str, Any], before: D | None) -> None:
        """Note who writes a document and when."""
        caller = current_caller()
        user, now = (caller.id if caller else None), utc_now()
        if before is None:
            values.setdefault("user_author_id", user)
            values.setdefault("date_creation", now)
            values.setdefault("multicurrency_code", currency())
            for name, model in (("cond_reglement_id", PaymentTerm), ("mode_reglement_id", PaymentType)):
                self._check_entry(values, name, model)
        else:
            values.setdefault("fk_user_modif", user)
            for name, model in (("cond_reglement_id", PaymentTerm), ("mode_reglement_id", PaymentType)):
                if values.get(name) != getattr(before, name):
                    self._check_entry(values, name, model)
        values.setdefault("date_modification", now)

    def _check_entry(self, values: Mapping[str, Any], name: str, model: Any) -> None:
        if values.get(name) and entry(model, values[name]) is None:
            reason = "Expecting an entry of the dictionary"
            raise BadRequest(f"`{name}`: {reason} (got {values[name]})", errors=[(name, reason)])

    def put(self, identifier: int, body: Mapping[str, Any]) -> None:
        """Change a document as PUT does: entirely, or what is sent, as its kind and the profile say."""
        self.change(identifier, body, replace=self.put_replaces and settings().profile.put_replaces)

    def removing(self, row: D) -> None:
        """Delete what belongs to a document that goes; the last reference of its series is free again."""
        self.series_of(row).give_back(row.ref)
        unlink_all(self.element, row.id)
        remove_roles(self.element, row.id)

    # Lines -----------------------------------------------------------------------------------------------------------

    def add_lines(self, identifier: int, bodies: list[Any]) -> list[int]:
        """Add lines to a draft, all or none; answers their identifiers.

        :raises BadRequest: a field does not fit; those of all lines are named
        :raises Refused: the document is no draft
        """
        lines, wrong = self.lines.accept_all(bodies)
        if len(bodies) == 1:
            wrong = [(name.partition(".")[2] or name, reason) for name, reason in wrong]
        if wrong:
            raise BadRequest(f"Invalid value specified for `{wrong[0][0]}`. {wrong[0][1]}", errors=wrong)
        with transaction():
            row = self.claim(identifier)
            require_draft(row, self.noun)
            ids, _ = self.lines.add(identifier, lines, self.terms(row.__data__))
            self.recount(row)
        return ids

    def change_line(self, identifier: int, line_id: int, body: Mapping[str, Any], *, merge: bool = False) -> None:
        """Change a line of a draft.

        :param merge: what is not sent stays; otherwise as PUT of the kind's lines does
        :raises NotFound: the document has no such line
        :raises Refused: the document is no draft
        """
        with transaction():
            row = self.claim(identifier)
            line = self.lines.of(identifier, line_id)
            require_draft(row, self.noun)
            self.lines.alter(line, body, self.terms(row.__data__), replace=self.lines.put_replaces and not merge)
            self.recount(row)

    def remove_line(self, identifier: int, line_id: int) -> None:
        """Delete a line of a draft.

        :raises NotFound: the document has no such line
        :raises Refused: the document is no draft
        """
        with transaction():
            row = self.claim(identifier)
            line = self.lines.of(identifier, line_id)
            require_draft(row, self.noun)
            self.lines.remove(line)
            self.recount(row)

    def list_lines(self, identifier: int, sqlfilters: str = "") -> list[dict[str, Any]]:
        """The lines of a document, all that a filter finds."""
        self.load(identifier)
        return self.lines.every({self.lines.parent: identifier}, sqlfilters=sqlfilters)

    def recount(self, row: D) -> None:
        """Sum the lines of a document up anew, inside the transaction that has locked it."""
        caller = current_caller()
        totals = self.totals(self.lines.total(row.id, rounding()), row.__data__)
        self.write(row.id, **totals, fk_user_modif=caller.id if caller else None, date_modification=utc_now())

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

    # Moves -----------------------------------------------------------------------------------------------------------

    def act(self, identifier: int, name: str, end: int | None = None, **values: Any) -> None:
        """Make a move from one state to another, in one transaction, and tell the modules that wait for it.

        :param name: what the move is called
        :param end: the state it ends in, where several of that name begin in one
        :param values: further fields to set
        :raises Refused: the table of moves forbids it, or the kind does
        """
        with transaction():
            row = self.claim(identifier)
            made = self.states.move(name, row.statut, end)
            caller = current_caller()
            values |= {
                "statut": made.ends,
                "fk_user_modif": caller.id if caller else None,
                "date_modification": utc_now(),
            }
            self.moving(made, row, values)
            if made.ends == VALIDATED and is_provisional(row.ref):
                # Last: the counter is locked from here to the end of the transaction
                values["ref"] = self.number(row)
            self.write(row.id, **values)
            self.moved(made, row)
            self.tell(made.event, row.id)

    def moving(self, made: Move, row: D, values: dict[str, Any]) -> None:
        """Set what goes with a move, or refuse it by raising.

        :param row: the document as it stands, locked
        :param values: what will be written; change it in place
        """
        if made.name == "validate":
            caller = current_caller()
            if self.needs_lines and self.lines.last_rank(row.id) == 0:
                raise Refused(f"{self.noun} {row.ref} must have lines to be validated")
            values.setdefault("date_validation", self.moment("date_validation"))
            values["user_valid_id"] = caller.id if caller else None

    def moved(self, made: Move, row: D) -> None:
        """Do what follows a move, in its transaction.

        :param row: the document as it stood before
        """

    def moment(self, name: str) -> datetime | date:
        """Now, as a field keeps it."""
        return utc_now() if isinstance(self.model._meta.fields[name], DateTimeField) else today()

    def number(self, row: D) -> str:
        """Take the final reference of a document."""
        thirdparty = Thirdparty.get_or_none(Thirdparty.id == row.socid)
        return self.series_of(row).take(self.model.ref, self.number_day(row), thirdparty)

    def series_of(self, row: D) -> Series:
        """How a document is numbered, where that depends on it."""
        return self.series

    def number_day(self, row: D) -> date:
        """The day a document's reference is made for."""
        return row.date

    # Contacts --------------------------------------------------------------------------------------------------------

    def contacts_of(self, identifier: int, code: str = "") -> list[dict[str, Any]]:
        """The contacts and users with a role in a document.

        :param code: only those with this role
        """
        self.load(identifier)
        return contact_rows(self.element, identifier, code)

    def give_role(self, identifier: int, person: int, code: str, source: str = "external") -> None:
        """Give a contact, or a user when the source is ``internal``, a role in a document."""
        with transaction():
            self.claim(identifier)
            offer_roles(self.element, self.roles)
            give_role(self.element, identifier, person, code, source)

    def take_role(self, identifier: int, person: int, code: str, source: str = "external") -> None:
        """Take a role in a document from a contact or a user."""
        with transaction():
            self.claim(identifier)
            take_role(self.element, identifier, person, code, source)

    # From another document -------------------------------------------------------------------------------------------

    def create_from(self, source: Documents[Any], row: Any, copied: tuple[str, ...], /, **managed: Any) -> int:
        """Create a draft from another kind's document: its third party, lines, contacts and same-named extra fields.

        The amounts of the lines are taken over as they are. Call it inside the transaction that has locked the source.

        :param row: the document it is made from
        :param copied: the fields that are taken over
        :param managed: further fields
        """
        fields = self.model._meta.fields
        values = {name: getattr(row, name) for name in ("socid", *copied) if name in fields}
        identifier = self.insert(values | managed, same_extras(self, source.find(row.id) or {}))
        self.lines.copy(source.lines, row.id, identifier)
        total = self.lines.total(identifier, rounding())
        self.write(identifier, ref=provisional(identifier), **self.totals(total, values | managed))
        link((source.element, row.id), (self.element, identifier))
        copy_roles(source.element, row.id, self.element, identifier)
        self.tell("created", identifier)
        return identifier

    def _link(self, kind: str, other: int, identifier: int) -> None:
        """Link a new document with one that exists and that the caller may see."""
        models = kinds()
        if kind not in models:
            reason = f"Expected one of ({','.join(sorted(models))})."
            raise BadRequest(f"`linked_objects`: {reason}", errors=[("linked_objects", reason)])
        Records(models[kind], noun=kind).load(other)
        link((kind, other), (self.element, identifier))


def kinds() -> dict[str, type[Document]]:
    """Every kind of document there is: its name in links → its model, in the version that was loaded last."""
    found: list[Any] = [model for model in Document.__subclasses__() if not model.is_pattern]
    return {model._meta.extrafields: model for model in found}
