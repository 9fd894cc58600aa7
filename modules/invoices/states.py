"""The states of invoices: permitted actions, and transitions between states."""

from __future__ import annotations

from ..commercial.states import DELETE, LINES, OPEN, State, States, Transition

VALIDATED, PAID, ABANDONED = 1, 2, 3

#: payment of an invoice, by money or by a discount
PAY = "pay"

#: what a state permits → the operations that need it
OPERATIONS = {
    PAY: ("POST /invoices/{id}/payments", "POST /invoices/{id}/usecreditnote/{discountid}"),
    LINES: ("POST /invoices/{id}/usediscount/{discountid}",),
}

STATES = States(
    {
        0: "draft",
        VALIDATED: State("validated", (PAY, OPEN, DELETE)),
        PAID: State("paid", (DELETE,)),
        ABANDONED: State("abandoned", (DELETE,)),
    },
    (
        Transition("validate", [0], VALIDATED, event="validated"),
        Transition("settopaid", [VALIDATED], PAID, event="paid", verb="set to paid"),
        Transition(
            "settopaid",
            [VALIDATED],
            ABANDONED,
            event="abandoned",
            condition="with a close code, if nothing has been paid",
            verb="set to paid",
        ),
        Transition(
            "replace",
            [VALIDATED],
            ABANDONED,
            event="abandoned",
            condition="when its replacement invoice is validated",
        ),
        Transition("settounpaid", [PAID, ABANDONED], VALIDATED, event="unpaid", verb="set to unpaid"),
        Transition("settodraft", [VALIDATED], 0, event="set_to_draft", condition="while nothing has been paid"),
    ),
    OPERATIONS,
)
