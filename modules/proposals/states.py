"""The states of proposals: what each permits, and what leads from one to another."""

from __future__ import annotations

from ..commercial.states import FIXED, KEPT, OPEN, State, States, move

#: that an order is made of a proposal
ORDER = "order"

STATES = States(
    {
        0: State("draft", (ORDER,)),
        1: State("validated", (ORDER, OPEN)),
        2: State("signed", (ORDER, OPEN, FIXED, KEPT)),
        3: "refused",
        4: State("billed", (ORDER, FIXED, KEPT)),
    },
    (
        move("validate", [0], 1, "validated"),
        move("close", [1], 2, "signed"),
        move("close", [1], 3, "refused"),
        move("setinvoiced", [2], 4, "billed"),
        move("settodraft", [1, 2, 3], 0, "set_to_draft"),
    ),
)
