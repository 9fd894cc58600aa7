"""The same states and moves in the profile `dolibarr16`, where a repeated action responds with 304."""

import pytest

from tests.modules.commercial.documents.desk import nothing_written
from tests.modules.commercial.moves import CASES, ORDERS, Office
from tests.modules.commercial.test_moves import name


@pytest.fixture(scope="module")
def office(old_server):
    return Office(old_server.client())


@pytest.mark.parametrize(("kind_of", "state"), CASES, ids=name)
def test_an_action_without_effect_is_304_and_a_forbidden_one_405(office, kind_of, state):
    identifier = office.make(kind_of, state)
    with nothing_written():
        for row, reason in kind_of.refused(state).items():
            if row == "DELETE":
                # Nothing is kept in this profile: see the recorded exchanges of `states`
                continue
            answer = office.call(kind_of, identifier, row)
            repeated = reason.startswith("already_")
            assert (answer.status_code, bool(answer.content)) == (304 if repeated else 405, not repeated), row


def test_a_refusal_has_the_keys_of_dolibarr_and_those_of_its_state(office):
    order = office.make(ORDERS, "draft")
    error = office.client.ask("POST", f"/orders/{order}/close", status=405)["error"]
    added = {name: error.pop(name) for name in ("reason", "state", "allowed", "request_id")}
    message = f"Method Not Allowed: can't close: the order (PROV{order}) is a draft, but must be validated or "
    assert error == {"code": 405, "message": f"{message}being shipped"}
    assert (added["reason"], added["state"]) == ("wrong_state", "draft")
    assert "POST /orders/{id}/validate" in [each["operation"] for each in added["allowed"]]
