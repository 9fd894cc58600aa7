"""The states of orders: permitted actions, and transitions."""

from __future__ import annotations

from ..commercial.states import CHANGE, DELETE, OPEN, State, States, Transition

#: making an invoice from an order
INVOICE = "invoice"
#: marking an order as billed
BILL = "bill"
#: marking a billed order as not billed
UNBILL = "unbill"
#: making a shipment from an order, and validating one
SHIP = "ship"

#: what a state permits → the operations that need it
OPERATIONS = {
    INVOICE: ("POST /invoices/createfromorder/{orderid}",),
    BILL: ("POST /orders/{id}/setinvoiced",),
    UNBILL: ("POST /orders/{id}/setuninvoiced",),
    SHIP: ("POST /orders/{id}/shipment/{warehouse_id}",),
}

STATES = States(
    {
        -1: State("cancelled", (UNBILL, CHANGE, DELETE)),
        0: State("draft", (INVOICE, UNBILL)),
        1: State("validated", (INVOICE, BILL, UNBILL, SHIP, OPEN, CHANGE, DELETE)),
        2: State("shipment in process", (INVOICE, UNBILL, SHIP, OPEN, CHANGE), "being shipped"),
        3: State("closed", (INVOICE, BILL, UNBILL, OPEN)),
    },
    (
        Transition("validate", [0], 1, event="validated"),
        Transition("close", [1, 2], 3, event="closed"),
        Transition("reopen", [3, -1], 1, event="reopened"),
        Transition("settodraft", [1], 0, event="set_to_draft"),
        Transition("cancel", [1], -1, event="cancelled"),
        Transition("ship", [1], 2, event="shipped", condition="when a shipment of the order is validated"),
        Transition(
            "unship", [2], 1, event="unshipped", condition="when no shipment of the order is validated or closed"
        ),
    ),
    OPERATIONS,
)
