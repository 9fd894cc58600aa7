"""The states of proposals: permitted actions, and transitions."""

from __future__ import annotations

from ..commercial.states import DELETE, FIXED, LINES, OPEN, State, States, Transition

#: making an order from a proposal
ORDER = "order"

#: what a state permits → the operations that need it
OPERATIONS = {LINES: ("POST /proposals/{id}/line",), ORDER: ("POST /orders/createfromproposal/{proposalid}",)}

STATES = States(
    {
        0: State("draft", (ORDER,)),
        1: State("validated", (ORDER, OPEN, DELETE)),
        2: State("signed", (ORDER, OPEN, FIXED)),
        3: State("refused", (DELETE,)),
        4: State("billed", (ORDER, FIXED)),
    },
    (
        Transition("validate", [0], 1, event="validated"),
        Transition("close", [1], 2, event="signed"),
        Transition("close", [1], 3, event="refused"),
        Transition("setinvoiced", [2], 4, event="billed"),
        Transition("setuninvoiced", [4], 2, event="unbilled"),
        Transition("settodraft", [1, 2, 3], 0, event="set_to_draft"),
    ),
    OPERATIONS,
)
