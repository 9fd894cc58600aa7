"""Orders of customers, from draft to closed, and whether they are billed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import Refused, Values, now, profile, today, transaction
from core.for_natives import current_user_id, midnight_of

from ..commercial.documents import Documents
from ..commercial.lines import Lines
from ..commercial.states import Transition
from ..dictionaries.entries import add_codes
from ..dictionaries.models import Availability
from ..numbering.series import Series
from ..proposals.proposals import proposals
from ..proposals.states import ORDER
from ..thirdparties.thirdparties import become_customer
from .models import Order, OrderLine
from .states import BILL, STATES, UNBILL

#: second name of the date of an order, under which Dolibarr writes it
DAY = "date_commande"
#: fields in which 0 means that nothing is chosen
CHOSEN = ("availability_id", "demand_reason_id")


class OrderLines(Lines[OrderLine]):
    """Lines of orders."""

    model = OrderLine
    put_replaces = True


class Orders(Documents[Order]):
    """Orders."""

    model = Order
    service = "orders"
    events = ("billed", "unbilled")
    noun = "Order"
    empty = "No order found"
    constants = {"ADDON_PDF": "COMMANDE"}
    template = "einstein"
    printed = ("availability_id", "delivery_date")
    copied = (
        *Documents.copied, "deposit_percent", "availability_id", "demand_reason_id", "shipping_method_id",
        "warehouse_id",
    )  # fmt: skip
    unread_after_actions = {"contacts_ids": None}
    lines = OrderLines()
    states = STATES
    chosen = (*Documents.chosen, ("availability_id", Availability, "delivery time"))
    locking = ("billed",)
    derived_kinds = ("commande", "facture")
    origins = ("propal",)
    # The amount of a billed order is due as an invoice
    still_open = {"billed": 0}
    series = Series(
        "orders",
        "CO{yy}{mm}-{0000}",
        addon="COMMANDE_ADDON",
        masks={"mod_commande_saphir": ("COMMANDE_SAPHIR_MASK",)},
    )

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the values that aren't columns."""
        super().complete(records)
        for record in records:
            # Customers have no page to pay on
            record["online_payment_url"] = None
        add_codes(records, "availability", Availability, "availability_id", said="label")

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of an order; if it has both `date` and `date_commande`, the latter is used.

        :raises BadRequest: fields are missing or invalid; the error lists all of them
        """
        if body.get(DAY) in (None, ""):
            return super().accept(body, creating=creating, replace=replace)
        read = {name: value for name, value in body.items() if name != "date"}
        values, extras = super().accept(read, creating=creating, replace=replace)
        if not creating and body.get("date") not in (None, ""):
            values.context[DAY] = super().accept({"date": body["date"]}, creating=False)[0]["date"]
        return values, extras

    def prepare(self, values: Values, before: Order | None) -> None:
        """Use `date` if `date_commande` is the present date."""
        if before is not None and DAY in values.context and values["date"] == before.date:
            values["date"] = values.context[DAY]
        values |= {name: None for name in CHOSEN if values.get(name) == 0}
        super().prepare(values, before)

    # Transitions -----------------------------------------------------------------------------------------------------

    def before_transition(self, transition: Transition, row: Order, values: dict[str, Any]) -> None:
        """Note who closes an order and when; a reopened one is not billed."""
        if transition.name == "close":
            values.setdefault("date_cloture", now())
            values["fk_user_cloture"] = current_user_id()
        elif transition.name == "reopen":
            values["billed"] = 0

    def after_transition(self, transition: Transition, row: Order) -> None:
        """Make the third party of a validated order a customer."""
        if transition.name == "validate":
            become_customer(self.customer_of(row))

    def allows(self, row: Order, action: str) -> bool:
        """Return whether the state of an order allows a transition or an action, and `billed` would change."""
        return super().allows(row, action) and row.billed != {BILL: 1, UNBILL: 0}.get(action)

    def set_billed(self, identifier: int) -> None:
        """Set an order to billed; its state stays.

        :raises Refused: it is neither validated nor closed, or it is already billed
        :raises 304: it is already billed, in the profile that returns 304
        """
        self.check_event("billed", identifier, {"billed": 1})
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            if not self.states.permits(row.statut, BILL):
                state, required = self.states.described(row.statut), self.states.required(self.states.allowing(BILL))
                message = f"can't set to billed: the order {row.ref} is {state}, but must be {required}"
                raise self.state_error(row, BILL, message)
            if row.billed:
                message = f"can't set to billed: the order {row.ref} is already billed"
                raise self.with_state(profile().repeated_action(message, reason="already_done"), row)
            self.write_unchecked(row.id, billed=1, fk_user_modif=current_user_id(), date_modification=now())
            self.notify("billed", row.id, checked=True)

    def set_unbilled(self, identifier: int) -> None:
        """Set an order that was set to billed by mistake to not billed; its state stays.

        :raises Refused: it isn't billed
        """
        self.check_event("unbilled", identifier, {"billed": 0})
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            if not row.billed:
                message = f"can't set to not billed: the order {row.ref} isn't billed"
                raise self.with_state(Refused(message, reason="already_done"), row)
            self.write_unchecked(row.id, billed=0, fk_user_modif=current_user_id(), date_modification=now())
            self.notify("unbilled", row.id, checked=True)

    # From a proposal -------------------------------------------------------------------------------------------------

    def create_from_proposal(self, identifier: int) -> dict[str, Any]:
        """Create a draft with today's date from a proposal, which doesn't change; return the order and its origin.

        :raises BadRequest: the ID is empty
        :raises NotFound: there is no such proposal, or the caller may not see it
        :raises Refused: the proposal was refused by the customer, or it has no lines
        """
        with transaction():
            row = proposals.load(identifier, lock=True)
            if not proposals.states.permits(row.statut, ORDER):
                now = proposals.states.described(row.statut)
                message = f"can't create an order from proposal {row.ref}: it is {now}"
                raise proposals.state_error(row, ORDER, message)
            if proposals.lines.last_rank(row.id) == 0:
                message = f"can't create an order from proposal {row.ref}: it has no lines"
                raise Refused(message, reason="no_lines")
            delivery = midnight_of(row.delivery_date) if row.delivery_date else None
            made = self.create_from(proposals, row, date=today(), delivery_date=delivery, source=0)
            record = self.read(made)
        number = str if profile().text_values else int
        return record | {"origin": proposals.element, "origin_id": number(row.id)}


orders = Orders()
