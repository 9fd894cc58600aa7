"""Fields of a proposal, and the end of its validity; what all documents share: test_documents.py."""

import pytest

from tests.modules.proposals.proposals import DAY, DAYS, put, read
from tests.modules.stock.goods import warehouses


@pytest.fixture(scope="module", autouse=True)
def _warehouses(admin):
    """Those that records name here."""
    warehouses(admin, 6)


# Fields ---------------------------------------------------------------------------------------------------------------
#: every field that a client writes, and how it reads
FIELDS = {
    "ref_ext": ("shop-12", "shop-12"),
    "ref_client": ("CREF1", "CREF1"),
    "fk_project": ("7", 7),
    "fin_validite": (DAY + 3600, DAY + 3600),
    "remise_percent": ("12.5", "12.5000"),
    "remise_absolue": (3, "3.00000000"),
    "remise": ("1.25", "1.25000000"),
    "cond_reglement_id": (2, 2),
    "mode_reglement_id": ("4", 4),
    "deposit_percent": ("30", "30"),
    "fk_account": (5, 5),
    "availability_id": (2, 2),
    "demand_reason_id": (1, 1),
    "shipping_method_id": (3, 3),
    "warehouse_id": (6, 6),
    "delivery_date": ("2026-12-24", DAY + 33 * DAYS),
    "note_public": ('<b>été</b> & "quotes"', '<b>été</b> & "quotes"'),
    "note_private": ("first\nsecond", "first\nsecond"),
    "model_pdf": ("cyan", "cyan"),
    "fk_incoterms": (4, 4),
    "location_incoterms": ("Paris", "Paris"),
}
#: what a creation that does not name them sets
DEFAULTS = dict.fromkeys(FIELDS) | {
    "fin_validite": 0, "remise": "0.00000000", "availability_id": 0, "demand_reason_id": 0, "fk_incoterms": 0,
}  # fmt: skip
#: second names that carry the same value
SECOND_NAMES = {
    "fk_projet": "fk_project", "ref_customer": "ref_client", "datep": "date", "datec": "date_creation",
    "datev": "date_validation", "date_livraison": "delivery_date", "total": "total_ttc", "status": "statut",
}  # fmt: skip
SENT = {name: sent for name, (sent, _) in FIELDS.items()}
KEPT = {name: kept for name, (_, kept) in FIELDS.items()}


def shown(record):
    return {name: record[name] for name in FIELDS}


def test_every_field_is_kept_by_a_creation(admin, make):
    record = read(admin, make(**SENT))
    assert shown(record) == KEPT
    assert {second: record[second] for second in SECOND_NAMES} == {
        second: record[name] for second, name in SECOND_NAMES.items()
    }
    assert (record["cond_reglement_code"], record["mode_reglement_code"]) == ("30D", "LIQ")
    assert (record["availability_code"], record["demand_reason_code"]) == ("AV_1W", "SRC_INTE")
    assert (record["duree_validite"], record["statut_libelle"]) == (None, "draft")


def test_what_is_not_sent_has_its_default(admin, make):
    assert shown(read(admin, make())) == DEFAULTS


@pytest.mark.parametrize("name", FIELDS)
def test_put_keeps_the_field_and_resets_the_others(admin, make, name):
    identifier = make(**SENT)
    assert shown(put(admin, identifier, {name: SENT[name]})) == DEFAULTS | {name: KEPT[name]}


@pytest.mark.parametrize("name", FIELDS)
def test_patch_keeps_the_field_and_the_others(admin, make, name):
    bare, full = make(), make(**SENT)
    assert shown(admin.ask("PATCH", f"/proposals/{bare}", {name: SENT[name]})) == DEFAULTS | {name: KEPT[name]}
    cleared = admin.ask("PATCH", f"/proposals/{full}", {name: None})
    assert shown(cleared) == KEPT | {name: None}


def test_put_keeps_what_must_be_there_and_what_the_server_manages(admin, make, server, customer):
    identifier = make({"qty": 2, "subprice": "9.99", "tva_tx": 20}, linked_objects={"propal": make()}, **SENT)
    before = admin.ask("POST", f"/proposals/{identifier}/validate")
    colleague = server.user("proposals.write", "thirdparties.all")
    after = colleague.ask("PUT", f"/proposals/{identifier}", {})
    stays = [
        "id", "entity", "socid", "date", "ref", "statut", "total_ht", "total_tva", "total_ttc", "lines",
        "user_author_id", "date_creation", "date_validation", "user_valid_id", "linkedObjectsIds",
        "multicurrency_code", "multicurrency_tx", "multicurrency_total_ttc",
    ]  # fmt: skip
    assert {name: after[name] for name in stays} == {name: before[name] for name in stays}
    assert shown(after) == DEFAULTS
    assert after["fk_user_modif"] == colleague.user_id
    other = admin.ask("POST", "/thirdparties", {"name": "Another Ltd"})
    after = put(admin, identifier, {"socid": other, "date": "2026-11-22"})
    assert (after["socid"], after["date"], after["ref"]) == (other, DAY + DAYS, before["ref"])


def test_what_the_server_manages_is_ignored_and_named(admin, make):
    identifier = make({"qty": 1, "subprice": 10})
    managed = {
        "id": 4711, "ref": "PR2611-9999", "statut": 2, "total_ht": "1", "total_tva": 1, "total_ttc": 1,
        "user_author_id": 9, "user_valid_id": 9, "date_creation": 0, "date_validation": 5, "date_signature": 5,
        "date_cloture": 5, "last_main_doc": "x", "multicurrency_code": "USD", "import_key": "x",
        "lines": [], "linked_objects": {"propal": identifier}, "online_sign_name": "x",
    }  # fmt: skip
    before = read(admin, identifier)
    for verb in ("PUT", "PATCH"):
        answer = admin.simulate_request(verb, f"/proposals/{identifier}", json=managed)
        assert answer.status_code == 200
        assert all(name in answer.headers["warning"] for name in managed)
        changing = {"date_modification": 0, "fk_user_modif": 0}
        assert answer.json | changing == before | changing
    answer = admin.simulate_post("/proposals", json={"socid": before["socid"], "date": DAY, "ref": "MINE", "statut": 4})
    assert "ref, statut" in answer.headers["warning"]
    assert read(admin, answer.json)["ref"] == f"(PROV{answer.json})"


def test_the_second_name_of_a_field_will_do(admin, customer):
    body = {"socid": customer, "datep": DAY, "ref_customer": "C", "fk_projet": 3, "date_livraison": DAY + 2 * DAYS}
    record = read(admin, admin.ask("POST", "/proposals", body))
    assert [record[name] for name in ("date", "ref_client", "fk_project", "delivery_date")] == [
        DAY, "C", 3, DAY + 2 * DAYS,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"socid": None}, "socid"), ({"socid": ""}, "socid"), ({"socid": 0}, "socid"),
        ({"date": "soon"}, "date"), ({"fin_validite": "never"}, "fin_validite"),
        ({"entity": 2}, "entity"), ({"remise_percent": "2,5"}, "remise_percent"), ({"note_public": ["x"]}, "note_public"),
        ({"ref_client": "x" * 256}, "ref_client"), ({"duree_validite": -1}, "duree_validite"),
        ({"duree_validite": "a week"}, "duree_validite"), ({"duree_validite": True}, "duree_validite"),
        ({"array_options": "red"}, "array_options"),
    ],
    ids=str,
)  # fmt: skip
def test_a_field_that_does_not_fit(admin, customer, make, fields, named):
    body = {"socid": customer, "date": DAY} | fields
    count = len(admin.get("/proposals", limit=0))
    assert named in admin.refused("POST", "/proposals", body, status=400)
    assert len(admin.get("/proposals", limit=0)) == count
    identifier = make(**SENT)
    for verb in ("PUT", "PATCH"):
        assert named in admin.refused(verb, f"/proposals/{identifier}", fields, status=400)
    assert shown(read(admin, identifier)) == KEPT


@pytest.mark.parametrize("sent", [None, ""], ids=str)
def test_an_empty_date_is_today_in_a_new_proposal_alone(admin, customer, make, sent):
    today = read(admin, admin.ask("POST", "/proposals", {"socid": customer}))["date"]
    body = {"socid": customer, "date": sent}
    assert read(admin, admin.ask("POST", "/proposals", body))["date"] == today
    # Whichever of the two names has a date, it counts
    assert read(admin, admin.ask("POST", "/proposals", body | {"datep": DAY}))["date"] == DAY
    assert read(admin, admin.ask("POST", "/proposals", {"socid": customer, "datep": sent}))["date"] == today
    identifier = make(**SENT)
    for verb in ("PUT", "PATCH"):
        assert "date" in admin.refused(verb, f"/proposals/{identifier}", {"date": sent}, status=400)
    assert shown(read(admin, identifier)) == KEPT


def test_what_a_proposal_must_have(admin, customer):
    assert admin.refused("POST", "/proposals", {"date": DAY}, status=400) == "Bad Request: `socid` is required"
    # The date defaults to today
    assert admin.ask("POST", "/proposals", {"socid": customer}) > 0
    answer = admin.ask("POST", "/proposals", {}, status=400)
    assert {error["field"] for error in answer["error"]["errors"]} == {"socid"}


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
