"""The states of shipments, and what leads from one to another."""

from __future__ import annotations

from ..commercial.states import DELETE, State, States, Transition

CANCELLED, DRAFT, VALIDATED, CLOSED = -1, 0, 1, 2

#: that its goods have left, so that the order is being shipped
SHIPPED = "shipped"

STATES = States(
    {
        CANCELLED: State("cancelled", (DELETE,)),
        DRAFT: State("draft", (DELETE,)),
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
