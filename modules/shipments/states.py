"""The states of shipments, and what leads from one to another."""

from __future__ import annotations

from ..commercial.states import State, States, move

CANCELLED, DRAFT, VALIDATED, CLOSED = -1, 0, 1, 2

#: that its goods have left, so that the order is being shipped
SHIPPED = "shipped"
#: that it can be deleted: nothing of it is under way
DELETE = "delete"

STATES = States(
    {
        CANCELLED: State("cancelled", (DELETE,)),
        DRAFT: State("draft", (DELETE,)),
        VALIDATED: State("validated", (SHIPPED,)),
        CLOSED: State("closed", (SHIPPED,)),
    },
    (
        move("validate", [DRAFT], VALIDATED, event="validated"),
        move("close", [VALIDATED], CLOSED, event="closed"),
        move("reopen", [CLOSED], VALIDATED, event="reopened"),
        move("settodraft", [VALIDATED], DRAFT, event="set_to_draft"),
        move("cancel", [VALIDATED], CANCELLED, event="cancelled"),
    ),
)
