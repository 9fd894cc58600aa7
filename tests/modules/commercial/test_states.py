"""The table of states: what is made of it, and that a state permits nothing that it does not name."""

import pytest

from core import Refused
from core import Transition as ShownTransition
from modules.commercial.states import LINES, State, States, Transition

DOORS = States(
    {0: "draft", 1: State("open", ("enter",)), 2: "shut", 3: "walled up"},
    (
        Transition("open", [0, 2], 1, event="opened"),
        Transition("shut", [1], 2, event="shut"),
        Transition("shut", [0], 3, event="walled_up", condition="when there is a wall"),
    ),
)


def test_everything_is_made_of_the_table():
    assert DOORS.choices == ((0, "draft"), (1, "open"), (2, "shut"), (3, "walled up"))
    assert DOORS.listed == "0 draft, 1 open, 2 shut, 3 walled up"
    assert DOORS.explained() == (
        "States: 0 draft, 1 open, 2 shut, 3 walled up. `open` leads from 0 and 2 to 1, "
        "`shut` leads from 1 to 2 and from 0 to 3 when there is a wall."
    )
    assert DOORS.shown() == [
        ShownTransition("draft (0)", "open", "open (1)"),
        ShownTransition("shut (2)", "open", "open (1)"),
        ShownTransition("open (1)", "shut", "shut (2)"),
        ShownTransition("draft (0)", "shut", "walled up (3)"),
    ]


def test_a_state_permits_what_it_names_and_a_draft_its_lines():
    assert [number for number in range(4) if DOORS.permits(number, "enter")] == [1]
    assert [number for number in range(4) if DOORS.permits(number, LINES)] == [0]
    assert not DOORS.permits(99, "enter")
    assert DOORS.allowing("enter") == [1]


def test_of_transitions_of_one_name_the_one_from_this_state_or_to_that_one():
    assert DOORS.find("shut", 1).target == 2
    assert DOORS.find("shut", 0, 3).event == "walled_up"
    with pytest.raises(Refused, match="can't paint: the document does not support"):
        DOORS.find("paint", 1)
    with pytest.raises(Refused, match=r"can't open: the document is walled up, but must be a draft or shut$"):
        DOORS.find("open", 3)


def test_a_transition_between_states_that_are_not_in_the_table_is_a_mistake():
    with pytest.raises(ValueError, match="uses the state 7, which is not defined"):
        States({0: "draft"}, (Transition("lose", [0], 7, event="lost"),))


def test_the_document_and_the_service_tell_of_them(sample_server):
    document = sample_server.client().get("/explorer/openapi/contracts.json")
    told = next(each["description"] for each in document["tags"] if each["name"] == "contracts")
    assert "States: 0 draft, 1 validated, 2 running, 3 closed. `validate` leads from 0 to 1" in told
    assert "{states}" not in told
