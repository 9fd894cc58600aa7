"""The table of states: what is made of it, and that a state permits nothing that it does not name."""

import pytest

from modules.commercial.states import States, Transition


def test_a_transition_between_states_that_are_not_in_the_table_is_a_mistake():
    with pytest.raises(ValueError, match="uses the state 7, which is not defined"):
        States({0: "draft"}, (Transition("lose", [0], 7, event="lost"),))


def test_the_document_and_the_service_tell_of_them(sample_server):
    document = sample_server.client().get("/explorer/openapi/contracts.json")
    told = next(each["description"] for each in document["tags"] if each["name"] == "contracts")
    assert "States: 0 draft, 1 validated, 2 running, 3 closed. `validate` leads from 0 to 1" in told
    assert "{states}" not in told
