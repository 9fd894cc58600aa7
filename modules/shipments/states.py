"""The states of shipments, and their transitions."""

from __future__ import annotations

from ..commercial.states import DELETE, State, States, Transition

CANCELLED, DRAFT, VALIDATED, CLOSED = -1, 0, 1, 2

#: the goods have left, so the order is in shipment
SHIPPED = "shipped"

STATES = States(
    {
        CANCELLED: State("cancelled", (DELETE,)),
        DRAFT: "draft",
        VALIDATED: State("validated", (SHIPPED,)),
        CLOSED: State("closed", (SHIPPED,)),
    },
    (
        Transition("validate", [DRAFT], VALIDATED, event="validated"),
        Transition("close", [VALIDATED], CLOSED, event="closed"),
        Transition("reopen", [CLOSED], VALIDATED, event="reopened"),
        Transition("settodraft", [VALIDATED], DRAFT, event="set_to_draft"),
        Transition("cancel", [VALIDATED], CANCELLED, event="cancelled"),
    ),
)
