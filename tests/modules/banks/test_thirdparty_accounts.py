"""Bank accounts of third parties: one of them is the default, and each has the reference of a mandate."""

import pytest

from tests.modules.banks.banks import IBAN, OTHER, add, new_debtor
from tests.modules.commercial.documents.test_at_once import at_once


@pytest.fixture
def debtor(admin):
    return new_debtor(admin)


def defaults(admin, debtor):
    return [each["id"] for each in admin.get(f"/thirdparties/{debtor}/bankaccounts") if each["default_rib"]]


def test_an_account_is_kept_as_it_was_sent(admin, debtor):
    assert admin.get(f"/thirdparties/{debtor}/bankaccounts") == []
    fields = {
        "label": "Main", "bank": "Bank", "bic": "COBADEFF", "proprio": "Owner", "owner_address": "1 quay",
        "domiciliation": "2 quay", "rum": f"M/{debtor}", "date_rum": 1795219200, "frstrecur": "RCUR", "status": 0,
        "code_banque": "1", "code_guichet": "2", "number": "3", "cle_rib": "4", "currency_code": "EUR",
    }  # fmt: skip
    made = add(admin, debtor, iban="de89 3704 0044 0532 0130 00", **fields)
    assert {name: made[name] for name in fields} == fields
    assert (made["iban"], made["socid"], made["type"], made["default_rib"]) == (IBAN, debtor, "ban", 1)
    assert admin.get(f"/thirdparties/{debtor}/bankaccounts") == [made]
    path = f"/thirdparties/{debtor}/bankaccounts/{made['id']}"
    changed = admin.ask("PUT", path, {"label": "Other", "iban": OTHER})
    expected = made | {"label": "Other", "iban": OTHER, "iban_prefix": OTHER}
    assert changed | {"tms": 0, "datem": 0} == expected | {"tms": 0, "datem": 0}
    assert admin.ask("PUT", path, changed) == changed
    assert admin.ask("DELETE", path)["success"]["code"] == 200
    assert admin.get(f"/thirdparties/{debtor}/bankaccounts") == []


def test_the_code_of_a_state_stands_for_its_id(admin, debtor):
    made = add(admin, debtor, country_code="FR", state_code="75")
    assert (int(made["country_id"]), int(made["state_id"])) == (1, 375)
    path = f"/thirdparties/{debtor}/bankaccounts"
    error = admin.ask("POST", path, {"label": "x", "country_code": "FR", "state_code": "NOSUCH"}, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == ["state_code"]


def test_what_does_not_fit(admin, debtor):
    wrong = {
        "iban": "DE89370400440532013001",
        "bic": "X",
        "frstrecur": "OFTEN",
        "rum": "é",
        "date_rum": "x",
        "type": "y",
    }
    error = admin.ask("POST", f"/thirdparties/{debtor}/bankaccounts", wrong, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {*wrong}
    admin.refused("POST", f"/thirdparties/{debtor}/bankaccounts", {"country_id": 99999}, status=400)
    assert admin.get(f"/thirdparties/{debtor}/bankaccounts") == []


def test_a_mandate_has_a_reference_of_its_own(admin, debtor):
    first, second = add(admin, debtor), add(admin, debtor)
    assert first["rum"] and second["rum"] and first["rum"] != second["rum"]
    body = {"iban": IBAN, "rum": first["rum"]}
    assert "rum" in admin.refused("POST", f"/thirdparties/{debtor}/bankaccounts", body, status=405)
    path = f"/thirdparties/{debtor}/bankaccounts/{second['id']}"
    admin.refused("PUT", path, {"rum": first["rum"]}, status=405)
    # Somebody else has the reference that would be made: another one is
    taken = add(admin, debtor, rum=f"RUM-{debtor}-{second['id'] + 2}")
    assert add(admin, debtor)["rum"] not in (taken["rum"], "", None)


def test_one_is_the_default(admin, debtor):
    first, second, third = (add(admin, debtor)["id"] for _ in range(3))
    path = f"/thirdparties/{debtor}/bankaccounts"
    assert defaults(admin, debtor) == [first]
    admin.ask("PUT", f"{path}/{third}", {"default_rib": 1})
    assert defaults(admin, debtor) == [third]
    admin.ask("PUT", f"{path}/{third}", {"default_rib": 1, "label": "Again"})
    assert "default" in admin.refused("PUT", f"{path}/{third}", {"default_rib": 0}, status=405)
    fourth = add(admin, debtor, default_rib=1)["id"]
    assert defaults(admin, debtor) == [fourth]
    admin.ask("DELETE", f"{path}/{second}")
    assert defaults(admin, debtor) == [fourth]
    admin.ask("DELETE", f"{path}/{fourth}")
    assert defaults(admin, debtor) == [first]


def test_one_is_the_default_whoever_writes_at_once(admin, debtor):
    path = f"/thirdparties/{debtor}/bankaccounts"
    made = at_once([lambda: add(admin, debtor)["id"]] * 4)
    assert len(defaults(admin, debtor)) == 1
    calls = [lambda each=each: admin.simulate_put(f"{path}/{each}", json={"default_rib": 1}) for each in made[:3]]
    calls.append(lambda: admin.simulate_delete(f"{path}/{made[3]}"))
    assert {answer.status_code for answer in at_once(calls)} == {200}
    assert len(defaults(admin, debtor)) == 1


def test_accounts_of_others(admin, server, debtor):
    foreign = add(admin, debtor)["id"]
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    path = f"/thirdparties/{own}/bankaccounts/{foreign}"
    admin.refused("PUT", path, {"label": "x"}, status=404)
    admin.refused("DELETE", path, status=404)
    admin.refused("GET", f"/thirdparties/{own}/generateBankAccountDocument/{foreign}/sepamandate", status=404)


def test_they_go_with_their_third_party(admin, debtor):
    reference = add(admin, debtor)["rum"]
    admin.ask("DELETE", f"/thirdparties/{debtor}")
    other = admin.ask("POST", "/thirdparties", {"name": "Other"})
    assert add(admin, other, rum=reference)["rum"] == reference
