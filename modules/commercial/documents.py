"""Documents: what proposals, orders, invoices, shipments and any further kind share. A kind defines what differs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, TypeVar

from peewee import DateTimeField

from core import (
    ApiError,
    Children,
    Loader,
    RecordField,
    Refused,
    Values,
    allowed_operations,
    now,
    profile,
    today,
    transaction,
    warn,
)
from core.for_natives import AllowedOperation, Event, Problems, current_user_id

from ..banks.accounts import are_used
from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.entries import add_codes, entry
from ..dictionaries.models import Availability, Origin, PaymentTerm, PaymentType
from ..numbering.series import Series, is_provisional, provisional
from ..setup.named_records import require_named
from ..setup.one_currency import OneCurrency
from ..thirdparties.models import Thirdparty
from ..thirdparties.thirdparties import thirdparties
from .amount_checks import OF_DOCUMENTS, mistaken_names, require_percent
from .lines import CUSTOMER, CUSTOMER_FIELDS
from .links import LINKS, LinkLoader, Links, read_links
from .models import PlainDocument
from .plain_lines import KNOWN, MAX_PAGE_LINES, PLACE, PlainLines, Reword, same_extras
from .precision import currency
from .roles import EXTERNAL, ContactLoader, Roles
from .shapes import RoleRow
from .states import CHANGE, DELETE, DRAFT, LINES, VALIDATED, States, Transition

P = TypeVar("P", bound=PlainDocument)

#: key for the lines of a new document, next to its fields, in the values that `check` gets
NEW_LINES = "new_lines"
#: key for the place of a line in the body, in the context of its values
SENT_AS = "sent_as"
DISCOUNT = "remise_percent"


class Documents(OneCurrency[P], CodedRecords[P]):
    """A kind of document: its lines are `Lines` if it has prices, else `PlainLines`.

    :cvar kind: the word for one document, such as ``proposal``: in titles of operations, as `modulepart`, in
        `Rule.kinds` and, in capitals, in its constants; by default the noun
    :cvar constants: the constants that begin with another word, end → beginning, such as ``{"ADDON_PDF": "PROPALE"}``.
        The ends are ``ADDON_PDF``, ``FREE_TEXT``, ``DRAFT_WATERMARK`` and ``CHECK_MENTIONS``
    :cvar template: the template of its PDFs if neither request, record nor constant selects one; by default any
    :cvar printed: its own fields that its PDF shows and that can change after the validation: a change prints it again
    :cvar copied: the fields that `create_from` copies, as far as both kinds have them
    :cvar element: the name of the kind in links and in the dictionary of contact roles, such as ``commande``; by
        default its model's `extrafields`
    :cvar folder: its folder in the store of files; by default its model's `extrafields`
    :cvar other_names: further values of `modulepart` that select it
    :cvar lines: its lines
    :cvar states: its states and transitions
    :cvar series: how it is numbered; None: its body gives the reference
    :cvar roles: roles of contacts that the dictionary does not have, code → label
    :cvar chosen: fields that hold the ID of an entry of a dictionary, the entry's model and the word for the entry
    :cvar put_replaces: whether PUT resets fields that are not sent to their defaults, if the profile has `put_replaces`
    :cvar needs_lines: whether it can be validated only with lines
    :cvar takes_from_source: whether what is left of another document decides about a new one, so that it is checked
        inside the transaction that has locked that one
    :cvar keeps_issued: whether the PDF of its validation is kept as it was sent, beside the present one
    :cvar agreed: the fields that both parties agree to: they can change only in a state that permits `CHANGE`
    :cvar locking: fields that, once set, lock a document: the `agreed` ones can't change, and it can't be deleted
    :cvar derived_kinds: kinds of document (their `element`): if one that was made from this one, directly or not, is
        validated, this one can't be deleted
    :cvar origins: kinds of document (their `element`) that it is made from, the latest first: its PDF lists them
    :cvar still_open: field → value of documents that are open, beside a state that permits `OPEN`
    :cvar unread_after_actions: key → its value in the response to an action, because Dolibarr 16 hasn't read it there
    :ivar links: links to other documents
    :ivar contact_roles: contacts and users with a role
    """

    kind = ""
    constants: Mapping[str, str] = {}
    template = ""
    printed: Collection[str] = ()
    copied: Collection[str] = (
        "fk_project", "ref_client", "cond_reglement_id", "mode_reglement_id", "fk_account", "note_public",
        "note_private",
    )  # fmt: skip
    element = ""
    folder = ""
    other_names: Collection[str] = ()
    #: in addition to those of `states`
    events: Any = MappingProxyType(
        {
            "lines_changed": Event(moments=("before", "after")),
            "pdf_requested": Event("`id`, `issued`, and `files`, to which a handler adds a `File`", ("before",)),
        }
    )
    lines: PlainLines[Any]
    states: States
    series: Series | None
    roles: Mapping[str, str] = {}
    chosen: Collection[tuple[str, type[Any], str]] = (
        ("cond_reglement_id", PaymentTerm, "payment term"),
        ("mode_reglement_id", PaymentType, "payment method"),
    )
    codes = {
        "cond_reglement_code": ("cond_reglement_id", PaymentTerm),
        "mode_reglement_code": ("mode_reglement_id", PaymentType),
        "availability_code": ("availability_id", Availability),
        "demand_reason_code": ("demand_reason_id", Origin),
    }
    put_replaces = True
    needs_lines = False
    takes_from_source = False
    keeps_issued = False
    agreed: Collection[str] = ("socid", "date")
    locking: Collection[str] = ()
    derived_kinds: Collection[str] = ()
    origins: Collection[str] = ()
    still_open: Mapping[str, Any] = {}
    unread_after_actions: Mapping[str, Any] = {}
    extra_keys: Collection[str] = ("lines", *LINKS)

    def __init__(self) -> None:
        self.codes = {key: each for key, each in self.codes.items() if each[0] in self.model._meta.fields}
        super().__init__()
        meta: Any = self.model._meta
        self.element, self.folder = self.element or meta.extrafields, self.folder or meta.extrafields
        self.kind = (self.kind or self.noun).lower()
        self.cleaners = {**code_cleaners(self.model), **self.cleaners}
        missing = [name for name in ("lines", "states", "series", "element") if not hasattr(self, name)]
        if missing or not self.element:
            raise TypeError(f"{type(self).__name__} must set {[*missing, 'element'][0]}")
        self.events |= {each.event: Event() for each in self.states.transitions if each.event}
        fields = self.model._meta.fields
        self.owned = (*self.owned, (self.lines.model, self.lines.parent))
        self.links = Links(self.element)
        self.contact_roles = Roles(self.element, self.roles)
        parent = self.lines.parent
        lines = Children(self.lines, parent, "lines", sort=f"t.{parent},t.rang,t.rowid", most=MAX_PAGE_LINES)
        self._loaders = {
            True: (LinkLoader(self.element, self.contact_roles), lines),
            False: (lines, ContactLoader(self.contact_roles)),
        }
        self._chosen = [each for each in self.chosen if each[0] in fields]
        self._has_terms = "cond_reglement_id" in fields
        self._needs_date = "date" in getattr(self.model._meta, "required", ())
        aliases = getattr(self.model._meta, "aliases", {})
        self._date_names = ("date", *(alias for alias, name in aliases.items() if name == "date"))
        self._has_currency = "multicurrency_code" in fields

    def constant_name(self, end: str) -> str:
        """Return the name of one of its constants: ``CONTRACT_FREE_TEXT`` for ``FREE_TEXT``."""
        return f"{self.constants.get(end) or self.kind.upper().replace(' ', '_')}_{end}"

    def kind_of(self, record: Mapping[str, Any]) -> str:
        """Return the kind of a record for `Rule.kinds`, if some documents have another one."""
        return self.kind

    # Reading ---------------------------------------------------------------------------------------------------------

    @property
    def filled(self) -> Collection[str]:
        """Return the date, if the profile defaults it to today."""
        return ("date",) if self._needs_date and profile().date_is_today else ()

    def loaders(self, *, alone: bool) -> Sequence[Loader]:
        """Return the loaders of lines and contacts; for a single document also of links."""
        return self._loaders[alone]

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add whether each is a draft, and its terms of payment."""
        super().complete(records)
        if self.states.transitions:
            for record in records:
                record["brouillon"] = 1 if int(record["statut"]) == DRAFT else None
        if self._has_terms:
            add_codes(records, "cond_reglement_doc", PaymentTerm, "cond_reglement_id", said="descr")

    def read(self, value: Any, by: str = "", *, contact_list: int = 1) -> dict[str, Any]:
        """Read one document.

        :param contact_list: contacts as 1 IDs, 0 objects, -1 not at all
        """
        record = super().read(value, by)
        if contact_list != 1:
            shown = contact_list == 0
            rows = self.contact_roles.rows(int(record["id"]), source=EXTERNAL) if shown else None
            record["contacts_ids"] = rows
        return record

    def read_lines(self, identifier: int, sqlfilters: str = "") -> list[dict[str, Any]]:
        """Return the lines of a document, all that a filter finds."""
        self.load(identifier)
        return self.lines.every({self.lines.parent: identifier}, sqlfilters=sqlfilters)

    def read_contacts(self, identifier: int, code: str = "") -> list[RoleRow]:
        """Return the contacts and users with a role in a document.

        :param code: only those with this role
        :raises BadRequest: there is no such role, in the profile that rejects it
        """
        self.load(identifier)
        if code and profile().unknown_words_are_refused:
            self.contact_roles.require(code)
        return self.contact_roles.rows(identifier, code)

    def amount_open(self, thirdparty: int, identifiers: list[int], total: Decimal) -> Decimal:
        """Return the amount due on the open documents of a third party, taxes included.

        :param identifiers: IDs of the open documents
        :param total: their total
        """
        return total

    # Creating --------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a draft with its lines, in one transaction; returns its ID.

        :raises BadRequest: fields of the document or of a line are missing or invalid; the error lists all of them
        :raises NotFound: a referenced record does not exist, or the caller may not see it
        """
        body = self.check_body("created", None, body, **managed)
        values = Values()
        extras: dict[str, Any] | None = None
        problems = Problems()
        with problems.at():
            values, extras = self.accept_new(body, managed)
        lines = self.lines.accept_all(body.get("lines"), problems)
        with problems.at():
            links = read_links(body)
        problems.check()
        values.context[NEW_LINES] = lines
        if not self.takes_from_source:
            # Others can write meanwhile
            self.check(values, None, extras)
        with transaction():
            if self.takes_from_source:
                self.check(values, None, extras)
            if self.series and (reserved := self.reserve_id()):
                values |= {"id": reserved} | self.first_reference(reserved)
            identifier = self.insert(values, extras, body, checked=True)
            if "id" not in values and (reference := self.first_reference(identifier)):
                self.write_unchecked(identifier, **reference)
            self.lines.add_first(identifier, lines)
            self.links.add_visible(identifier, links)
            self.notify("created", identifier, checked=True)
        return identifier

    def create_from(
        self,
        source: Documents[Any],
        row: PlainDocument,
        copied: Collection[str] | None = None,
        /,
        reword: Reword | None = None,
        **managed: Any,
    ) -> int:
        """Create a draft from another kind's document: its third party, lines, contacts and same-named extra fields.

        The amounts of the lines are copied. Call it inside the transaction that has locked the source.

        :param row: the document it is made from
        :param copied: the fields that are copied; by default `copied` of the class
        :param reword: replaces each copied text, of fields and of lines
        :param managed: further fields
        """
        self.contact_roles.add_own()
        copied = self.copied if copied is None else copied
        fields, others = self.model._meta.fields, source.model._meta.fields
        values = {name: getattr(row, name) for name in ("socid", *copied) if name in fields and name in others}
        if reword is not None:
            values |= {name: reword(value) for name, value in values.items() if isinstance(value, str)}
        values |= managed
        extras = same_extras(self, source.find(row.id) or {}) if self.extra_names() else None
        checked = self.check_event("created", values=values, fixed=("socid", *managed))
        # Warehouses and the like that are copied may no longer exist
        new = {*managed, *checked}
        kept = [name for name in copied if name not in new and not isinstance(fields.get(name), RecordField)]
        identifier = self.insert(values | checked, extras, known=kept)
        self.lines.copy(source.lines, row.id, identifier, reword)
        totals = self.lines.totals_of(identifier, values | checked)
        self.write_unchecked(identifier, **self.first_reference(identifier), **totals)
        self.links.add(identifier, (source.element, row.id))
        source.contact_roles.copy(row.id, self.contact_roles, identifier)
        self.notify("created", identifier, checked=True)
        return identifier

    def values_to_come(self, body: Mapping[str, Any], *, creating: bool, replace: bool) -> dict[str, Any]:
        """Return the values of a body for the handlers that check it; a new document has its `lines`."""
        values = super().values_to_come(body, creating=creating, replace=replace)
        if creating:
            problems = Problems()
            accepted = self.lines.accept_all(body.get("lines"), problems)
            problems.check()
            values["lines"] = [line for line, _ in accepted]
            for place, line in enumerate(values["lines"]):
                line.context[SENT_AS] = place
        return values

    def with_set_values(
        self, body: Mapping[str, Any], values: Mapping[str, Any], checked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return a body with what handlers have set; a line that they have changed keeps what they can't see."""
        made = super().with_set_values(body, values, checked)
        if values.get("lines") == checked.get("lines"):
            return made

        def as_sent(line: Any) -> Any:
            place = getattr(line, "context", {}).get(SENT_AS)
            return (
                line
                if place is None
                else self.lines.with_set_values(body["lines"][place], values["lines"][place], line)
            )

        return {**made, "lines": [as_sent(each) for each in checked.get("lines") or ()]}

    def first_reference(self, identifier: int) -> dict[str, Any]:
        """Return the reference of a new draft, by field; empty if the body gives it."""
        return {"ref": provisional(identifier)} if self.series else {}

    # Checking --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a document; lines and links are only read on creation."""
        # A document without links may be returned with an empty list of them
        passed = [] if creating else [name for name in LINKS if body.get(name)]
        if not creating and "lines" in body:
            passed.insert(0, "lines")
        if passed:
            warn(f"ignored, because these can be set only on creation: {', '.join(passed)}")
        if creating and self.filled:
            # An empty one counts as none, and one under its second name as one
            empty = [name for name in self._date_names if body.get(name) in (None, "")]
            body = {name: value for name, value in body.items() if name not in empty}
            if len(empty) == len(self._date_names):
                body["date"] = today().isoformat()
        return super().accept(body, creating=creating, replace=replace)

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the names for amounts that a document doesn't have: field and reason."""
        wrong = super().unfit(values, body)
        return [*wrong, *mistaken_names(self, OF_DOCUMENTS, body)] if self._has_currency else wrong

    def check(
        self, values: Values, before: P | None, extras: Mapping[str, Any] | None, known: Collection[str] = ()
    ) -> dict[str, Any]:
        """Look up the third party with what its lines are priced by: one statement for both.

        A new document is complete before its first row is written.
        """
        if before is None and values.get("socid") and "socid" not in known:
            found = thirdparties.fields_of(CUSTOMER_FIELDS, {"id": values["socid"]})
            if found:
                values.context[CUSTOMER], known = found[0], (*known, "socid")
                if not found[0].status:
                    warn(f"third party {found[0].name} is closed")
        values.context[KNOWN] = known
        changed = super().check(values, before, extras, known)
        if NEW_LINES in values.context:
            values |= self.lines.prepare_first(values.context[NEW_LINES], values)
        return changed

    def prepare(self, values: Values, before: P | None) -> None:
        """Note who writes a document and when; check what it references and what both parties have agreed to.

        :raises BadRequest: a dictionary has no such entry
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Refused: an agreed field would change, and the state doesn't permit it, or the document is locked
        """
        problems = Problems()
        with problems.at():
            super().prepare(values, before)
        user = current_user_id()
        if before is None:
            values.setdefault("user_author_id", user)
            values.setdefault("date_creation", now())
        else:
            if not self.states.permits(before.statut, CHANGE) or self._locking(before):
                with problems.at():
                    self._require_same(values, before)
            values.setdefault("fk_user_modif", user)
        known = values.context.get(KNOWN, ())
        changed = before is None or values.get(DISCOUNT) != getattr(before, DISCOUNT, None)
        if changed and DISCOUNT not in known:
            with problems.at():
                require_percent(values)
        for name, service in _referenced().items():
            if values.get(name) and name not in known:
                with problems.at():
                    require_named(values, before, **{name: service})
        for name, model, noun in self._chosen:
            is_new = values.get(name) and name not in known and values[name] != getattr(before, name, None)
            if is_new and entry(model, values[name]) is None:
                problems.add("", name, f"expected the ID of a {noun}, got {values[name]}")
        problems.check()
        values.setdefault("date_modification", now())
        if before is None and self._has_currency:
            values.setdefault("multicurrency_code", currency())

    def _require_same(self, values: Mapping[str, Any], before: P) -> None:
        wrong = [name for name in self.agreed if name in values and values[name] != getattr(before, name)]
        if wrong:
            names = " and ".join(f"`{name}`" for name in wrong)
            reason = "both parties have already agreed to the document"
            error = Refused(
                f"can't change {names} of {self.noun.lower()} {before.ref}: {reason}",
                errors=[(name, f"can't change: {reason}") for name in wrong],
                reason="locked",
            )
            raise self.with_state(error, before)

    def _locking(self, row: P) -> str:
        """Return the field that locks a document; empty: none."""
        return next((name for name in self.locking if getattr(row, name)), "")

    def _is_deletable(self, row: P) -> bool:
        # Dolibarr 16 deletes documents in any state
        is_kept = not self.states.permits(row.statut, DELETE) or self._locking(row)
        return not (profile().agreed_documents_stay and is_kept)

    # Changing --------------------------------------------------------------------------------------------------------

    def put(self, identifier: int, body: Mapping[str, Any]) -> None:
        """Change a document as PUT does: entirely, or what is sent, as its kind and the profile say."""
        self.change(identifier, body, replace=self.put_replaces and profile().put_replaces)

    def add_lines(self, identifier: int, bodies: list[Any]) -> list[int]:
        """Add lines to a draft, all or none; returns their IDs.

        :raises BadRequest: fields are invalid; the error lists those of all lines
        :raises Refused: the document is not a draft
        """
        place, problems = "" if len(bodies) == 1 else PLACE, Problems()
        lines = self.lines.accept_all(bodies, problems, place)
        problems.check()
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            self._require_open_lines(row)
            ids = self.lines.add(identifier, lines, self.lines.terms(row.__data__), place=place)
            self.lines_changed(row)
        return ids

    def change_line(self, identifier: int, line_id: int, body: Mapping[str, Any], *, merge: bool = False) -> None:
        """Change a line of a draft.

        :param merge: fields that are not sent stay; otherwise as PUT of the kind's lines does
        :raises NotFound: the document has no such line
        :raises Refused: the document is not a draft
        """
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            line = self.lines.of(identifier, line_id)
            self._require_open_lines(row)
            replace = self.lines.put_replaces and not merge
            # A line that is sent back as it was read changes nothing, whatever is set meanwhile
            if self.lines.alter(line, body, self.lines.terms(row.__data__), replace=replace):
                self.lines_changed(row)

    def remove_line(self, identifier: int, line_id: int) -> None:
        """Delete a line of a draft.

        :raises NotFound: the document has no such line
        :raises Refused: the document is not a draft
        """
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            line = self.lines.of(identifier, line_id)
            self._require_open_lines(row)
            self.lines.remove(line)
            self.lines_changed(row)

    def _require_open_lines(self, row: P) -> None:
        if not self.states.permits(row.statut, LINES):
            message = f"can't change the lines of {self.noun.lower()} {row.ref}: it is not a draft"
            raise self.state_error(row, LINES, message)

    def lines_changed(self, row: P) -> None:
        """Write the totals of a document whose lines have changed, and notify other modules, which may refuse it."""
        self.recount(row)
        self.notify("lines_changed", row.id, checked=True)

    def recount(self, row: P) -> None:
        """Write the totals of a document whose lines have changed, inside the transaction that has locked it."""
        totals = self.lines.totals_of(row.id, row.__data__)
        self.write_unchecked(row.id, **totals, fk_user_modif=current_user_id(), date_modification=now())

    def add_contact(self, identifier: int, person: int, code: str, source: str = "") -> None:
        """Give a contact, or a user if the role is one of users, a role in a document.

        :param source: ``external`` or ``internal``, to require a role of contacts or of users
        """
        with transaction():
            self.load(identifier, lock=True, if_match=True)
            self.contact_roles.add_own()
            self.contact_roles.give(identifier, person, code, source)

    def remove_contact(self, identifier: int, person: int, code: str) -> None:
        """Take a role in a document from a contact or a user."""
        with transaction():
            self.load(identifier, lock=True, if_match=True)
            self.contact_roles.take(identifier, person, code)

    # Transitions -----------------------------------------------------------------------------------------------------

    def act(self, identifier: int, name: str, target: int | None = None, **values: Any) -> dict[str, Any]:
        """Make a transition from one state to another, in one transaction, and notify other modules.

        Returns what only this response shows, as the profile says: `oldref`, the reference before a validation.

        :param name: the name of the transition
        :param target: the state it leads to, if several of that name lead from one
        :param values: further fields to set
        :raises Refused: there is no such transition from the document's state, or the kind rejects it
        """
        checked = self.check_transition(identifier, name, target, values)
        with transaction():
            return self.act_on(self.load(identifier, lock=True, if_match=True), name, target, checked, **values)

    def check_transition(
        self, identifier: int, name: str, target: int | None = None, values: Mapping[str, Any] = MappingProxyType({})
    ) -> str:
        """Let the handlers that check the event of a transition refuse it; return the event, for `act_on`.

        Call it before the transaction. If there is no such transition, it returns "", and `act_on` raises the error.
        """
        if not any(self.is_awaited(each.event, "checking") for each in self.states.transitions if each.name == name):
            return ""
        try:
            transition = self.states.find(name, self.load(identifier).statut, target, document="")
        except Refused:
            return ""
        self.check_event(transition.event, identifier, {**values, "statut": transition.target})
        return transition.event

    def act_on(self, row: P, name: str, target: int | None = None, checked: str = "", **values: Any) -> dict[str, Any]:
        """Make a transition of a document inside the transaction that has locked it; as `act`.

        :param checked: the event that `check_transition` returned
        """
        transition, values = self.next_state(row, name, target, values)
        if transition.event != checked:
            self.check_event(transition.event, row.id, values)
        self.write_unchecked(row.id, **values)
        self.after_transition(transition, row)
        self.notify(transition.event, row.id, checked=True)
        return {"oldref": row.ref} if profile().documents_as_recorded and name == "validate" else {}

    def next_state(
        self, row: P, name: str, target: int | None, values: dict[str, Any]
    ) -> tuple[Transition, dict[str, Any]]:
        """Return a transition and the values that it writes, inside the transaction that has locked the document.

        :param values: further fields to set
        """
        try:
            transition = self.states.find(name, row.statut, target, document=f"{self.noun.lower()} {row.ref}")
        except ApiError as error:
            raise self.with_state(error, row) from None
        user = current_user_id()
        values |= {"statut": transition.target, "fk_user_modif": user, "date_modification": now()}
        if name == "validate":
            if self.needs_lines and self.lines.last_rank(row.id) == 0:
                raise Refused(f"{self.noun} {row.ref} must have lines to be validated", reason="no_lines")
            by_time = isinstance(self.model._meta.fields["date_validation"], DateTimeField)
            values.setdefault("date_validation", now() if by_time else today())
            values["user_valid_id"] = user
        self.before_transition(transition, row, values)
        if transition.target == VALIDATED and is_provisional(row.ref) and (series := self.series_of(row)):
            # Last: the counter is locked from here to the end of the transaction
            values["ref"] = series.take(self.model.ref, self.number_day(row), self.customer_of(row).code_client)
        return transition, values

    def before_transition(self, transition: Transition, row: P, values: dict[str, Any]) -> None:
        """Set fields that change with a transition, or raise an error to reject it.

        :param row: the document in its source state, locked
        :param values: what will be written; change it in place
        """

    def after_transition(self, transition: Transition, row: P) -> None:
        """Do what follows a transition, in its transaction.

        :param row: the document as it was before
        """

    # Allowed operations -----------------------------------------------------------------------------------------------

    def allows(self, row: P, action: str) -> bool:
        """Return whether the state of a document allows a transition, or what its state must permit.

        :param action: the name of a transition, or an action such as `LINES`
        """
        if action == DELETE:
            return self._is_deletable(row)
        return self.states.permits(row.statut, action) or any(
            each.name == action and row.statut in each.sources for each in self.states.transitions
        )

    def allowed(self, row: P) -> list[AllowedOperation]:
        """Return the operations that the state of a document and the caller's permissions allow.

        An operation that every state allows isn't among them.
        """
        path = f"/{self.service}/{{id}}"
        operations = {each.name: (f"POST {path}/{each.name}",) for each in self.states.transitions} | {
            LINES: (f"POST {path}/lines", *(f"{verb} {path}/lines/{{lineid}}" for verb in ("PUT", "PATCH", "DELETE"))),
            DELETE: (f"DELETE {path}",),
        }
        named = [
            name
            for table in (operations, self.states.operations)
            for action, names in table.items()
            if self.allows(row, action)
            for name in names
        ]
        return allowed_operations(named, row.id)

    def with_state(self, error: ApiError, row: P) -> ApiError:
        """Add the state of a document, and what it allows, to an error that the state causes."""
        error.details |= {"state": self.states.names[row.statut], "allowed": self.allowed(row)}
        return error

    def state_error(self, row: P, action: str, message: str, **more: Any) -> ApiError:
        """Return the error for a document whose state doesn't permit something.

        :param action: such as `LINES`
        """
        reason = self.states.reason_for(self.states.allowing(action))
        return self.with_state(Refused(message, reason=reason, **more), row)

    def customer_of(self, row: P) -> Thirdparty:
        """Return the third party of a document; it is read once for a row.

        :raises NotFound: the caller may not see it
        """
        known: Thirdparty | None = row.__dict__.get("customer")
        if known is None:
            known = row.__dict__["customer"] = thirdparties.load(row.socid)
        return known

    def series_of(self, row: P) -> Series | None:
        """Return how a document is numbered, if that depends on it."""
        return self.series

    def number_day(self, row: P) -> date:
        """Return the day that a document's reference is made for."""
        day: date | None = getattr(row, "date", None)
        return day or today()

    # Deleting --------------------------------------------------------------------------------------------------------

    def removing(self, row: P) -> None:
        """Delete what belongs to a document that is deleted; the last reference of its series is free again.

        :raises Refused: it is locked, or a document that was made from it is validated
        """
        if not self._is_deletable(row):
            reason = self._locking(row) or self.states.described(row.statut)
            error = Refused(f"can't delete {self.noun.lower()} {row.ref}: it is {reason}", reason="wrong_state")
            raise self.with_state(error, row)
        if self.derived_kinds and (kind := self.links.validated_derived(row.id, self.derived_kinds)):
            reason = f"a document created from it ({kind}) is no longer a draft"
            raise Refused(f"can't delete {self.noun.lower()} {row.ref}: {reason}", reason="in_use")
        if series := self.series_of(row):
            series.give_back(row.ref)
        self.links.remove(row.id)
        self.contact_roles.remove(row.id)


def _referenced() -> dict[str, str]:
    """Return the fields that hold the ID of a record without being a `RecordField`, and the service of the record.

    Without bank accounts, `fk_account` is a number of the caller's own.
    """
    return {"warehouse_id": "warehouses"} | ({"fk_account": "bankaccounts"} if are_used() else {})
