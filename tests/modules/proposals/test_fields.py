"""The end of a proposal's validity, and fields of which `services` has only a part."""

import pytest

from tests.modules.proposals.proposals import DAY, DAYS, put, read
from tests.modules.services import PROPOSALS
from tests.modules.stock.goods import warehouses


@pytest.fixture(scope="module", autouse=True)
def _warehouses(admin):
    """Those that records name here."""
    warehouses(admin, 6)


def test_put_keeps_what_must_be_there_and_what_the_server_manages(admin, make, server, customer):
    identifier = make({"qty": 2, "subprice": "9.99", "tva_tx": 20}, linked_objects={"propal": make()}, **PROPOSALS.sent)
    before = admin.ask("POST", f"/proposals/{identifier}/validate")
    colleague = server.user("proposals.write", "thirdparties.all")
    after = colleague.ask("PUT", f"/proposals/{identifier}", {})
    stays = [
        "id", "entity", "socid", "date", "ref", "statut", "total_ht", "total_tva", "total_ttc", "lines",
        "user_author_id", "date_creation", "date_validation", "user_valid_id", "linkedObjectsIds",
        "multicurrency_code", "multicurrency_tx", "multicurrency_total_ttc",
    ]  # fmt: skip
    assert {name: after[name] for name in stays} == {name: before[name] for name in stays}
    assert after["fk_user_modif"] == colleague.user_id
    other = admin.ask("POST", "/thirdparties", {"name": "Another Ltd"})
    after = put(admin, identifier, {"socid": other, "date": "2026-11-22"})
    assert (after["socid"], after["date"], after["ref"]) == (other, DAY + DAYS, before["ref"])


def test_patch_takes_each_field_away_and_keeps_the_others(admin, make):
    identifier, expected = make(**PROPOSALS.sent), PROPOSALS.read
    for name in PROPOSALS.kept:
        expected[name] = None
        record = admin.ask("PATCH", f"/proposals/{identifier}", {name: None})
        assert {each: record[each] for each in expected} == expected


def test_second_names_that_are_read(admin, make):
    record = admin.ask("POST", f"/proposals/{make()}/validate")
    names = {
        "datep": "date",
        "datec": "date_creation",
        "datev": "date_validation",
        "total": "total_ttc",
        "status": "statut",
    }
    assert {second: record[second] for second in names} == {second: record[name] for second, name in names.items()}


@pytest.mark.parametrize("sent", [None, ""], ids=str)
def test_an_empty_date_is_today_in_a_new_proposal_alone(admin, customer, make, sent):
    today = read(admin, admin.ask("POST", "/proposals", {"socid": customer}))["date"]
    body = {"socid": customer, "date": sent}
    assert read(admin, admin.ask("POST", "/proposals", body))["date"] == today
    # Whichever of the two names has a date, it counts
    assert read(admin, admin.ask("POST", "/proposals", body | {"datep": DAY}))["date"] == DAY
    assert read(admin, admin.ask("POST", "/proposals", {"socid": customer, "datep": sent}))["date"] == today
    before = read(admin, make())
    for verb in ("PUT", "PATCH"):
        assert "date" in admin.refused(verb, f"/proposals/{before['id']}", {"date": sent}, status=400)
    assert read(admin, before["id"]) == before


# The end of validity ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "end"),
    [
        ({}, 0),
        ({"duree_validite": 30}, DAY + 30 * DAYS),
        ({"duree_validite": "1"}, DAY + DAYS),
        ({"duree_validite": 0}, 0),
        ({"duree_validite": ""}, 0),
        ({"fin_validite": DAY + 5}, DAY + 5),
        ({"fin_validite": "2026-12-31T12:00:00+01:00"}, DAY + 40 * DAYS + 11 * 3600),
        ({"fin_validite": DAY + 5, "duree_validite": 30}, DAY + 5),
        ({"fin_validite": None, "duree_validite": 2}, DAY + 2 * DAYS),
        ({"fin_validite": ""}, 0),
        ({"fin_validite": 0}, 0),
        ({"date_validite": DAY}, 0),
    ],
)
def test_the_end_of_validity(admin, make, sent, end):
    assert read(admin, make(**sent))["fin_validite"] == end
    # A replacing PUT is like a creation
    identifier = make(fin_validite=DAY + 77)
    assert put(admin, identifier, sent)["fin_validite"] == end


def test_the_end_of_validity_is_set_by_an_update_in_every_state(admin, make):
    identifier = make()
    assert read(admin, identifier)["fin_validite"] == 0
    for step, (action, body) in enumerate(
        [("", None), ("validate", None), ("close", {"status": 2}), ("setinvoiced", None)]
    ):
        if action:
            admin.ask("POST", f"/proposals/{identifier}/{action}", body)
        end = DAY + (40 + step) * DAYS
        assert put(admin, identifier, {"fin_validite": end})["fin_validite"] == end
        assert read(admin, identifier)["fin_validite"] == end


def test_patch_leaves_the_end_of_validity_unless_it_is_named(admin, make):
    path = f"/proposals/{make(fin_validite=DAY + 5)}"
    assert admin.ask("PATCH", path, {"note_public": "x"})["fin_validite"] == DAY + 5
    assert admin.ask("PATCH", path, {"date": DAY + DAYS})["fin_validite"] == DAY + 5
    # With the date that stands
    assert admin.ask("PATCH", path, {"duree_validite": 10})["fin_validite"] == DAY + 11 * DAYS
    assert admin.ask("PATCH", path, {"fin_validite": DAY + 9})["fin_validite"] == DAY + 9
    answer = admin.simulate_put(path, json={"duree_validite": 10})
    assert answer.json["fin_validite"] == DAY + 11 * DAYS
    # It has an effect, and so no warning
    assert "warning" not in answer.headers


def test_the_setting_is_no_default_here(admin, make, constant):
    constant("PROPALE_VALIDITY_DURATION", "45")
    record = read(admin, make())
    assert (record["fin_validite"], record["duree_validite"]) == (0, None)


def test_date_validite_is_no_name_for_it(admin, make):
    identifier = make(fin_validite=DAY)
    answer = admin.simulate_patch(f"/proposals/{identifier}", json={"date_validite": DAY + 5})
    assert answer.status_code == 200
    assert "date_validite" in answer.headers["warning"]
    assert answer.json["fin_validite"] == DAY


def test_an_end_behind_all_time(admin, make):
    message = admin.refused("PUT", f"/proposals/{make()}", {"date": "9999-12-01", "duree_validite": 99}, status=400)
    assert "duree_validite" in message
