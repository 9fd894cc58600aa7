"""Documents: what proposals, orders, invoices and any further kind share. A kind says only how it differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import transaction

from .document.moves import DocumentMoves
from .document.records import D, kinds
from .linerecords import same_extras
from .links import link
from .numbers import provisional
from .precision import rounding
from .roles import contact_rows, copy_roles, give_role, offer_roles, take_role
from .shapes import RoleRow


class Documents(DocumentMoves[D]):
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

    roles: Mapping[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        meta: Any = self.model._meta
        self.element = self.element or meta.extrafields
        missing = [name for name in ("lines", "states", "series", "element") if not getattr(self, name, None)]
        if missing:
            raise TypeError(f"{type(self).__name__} says nothing of its {missing[0]}")
        # So that the explorer tells them
        state = meta.fields["statut"]
        state.choices = state.choices or tuple(self.states.names.items())
        self.owned = (*self.owned, (self.lines.model, self.lines.parent))

    # Contacts --------------------------------------------------------------------------------------------------------

    def contacts_of(self, identifier: int, code: str = "") -> list[RoleRow]:
        """The contacts and users with a role in a document.

        :param code: only those with this role
        """
        self.load(identifier)
        return contact_rows(self.element, identifier, code)

    def give_role(self, identifier: int, person: int, code: str, source: str = "external") -> None:
        """Give a contact, or a user when the source is ``internal``, a role in a document."""
        with transaction():
            self.load_for_change(identifier)
            offer_roles(self.element, self.roles)
            give_role(self.element, identifier, person, code, source)

    def take_role(self, identifier: int, person: int, code: str, source: str = "external") -> None:
        """Take a role in a document from a contact or a user."""
        with transaction():
            self.load_for_change(identifier)
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


__all__ = ["Documents", "kinds"]
