"""The states of proposals: permitted actions, and transitions."""

from __future__ import annotations

from ..commercial.states import CHANGE, DELETE, LINES, OPEN, State, States, Transition

#: making an order from a proposal
ORDER = "order"

#: what a state permits → the operations that need it
OPERATIONS = {LINES: ("POST /proposals/{id}/line",), ORDER: ("POST /orders/createfromproposal/{proposalid}",)}

STATES = States(
    {
        0: State("draft", (ORDER,)),
        1: State("validated", (ORDER, OPEN, CHANGE, DELETE)),
        2: State("signed", (ORDER, OPEN)),
        3: State("refused", (CHANGE, DELETE)),
        4: State("billed", (ORDER,)),
    },
    (
        Transition("validate", [0], 1, event="validated"),
        Transition("close", [1], 2, event="signed"),
        Transition("close", [1], 3, event="refused"),
        Transition("setinvoiced", [2], 4, event="billed", verb="set to billed"),
        Transition("setuninvoiced", [4], 2, event="unbilled", verb="set to not billed"),
        Transition("settodraft", [1, 2, 3], 0, event="set_to_draft"),
    ),
    OPERATIONS,
)
