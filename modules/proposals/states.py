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
        move("validate", [0], 1, event="validated"),
        move("close", [1], 2, event="signed"),
        move("close", [1], 3, event="refused"),
        move("setinvoiced", [2], 4, event="billed"),
        move("settodraft", [1, 2, 3], 0, event="set_to_draft"),
    ),
)
