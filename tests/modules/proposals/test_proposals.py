"""Proposals: specification.md, differences.md 1 to 3, fields.md, rules.md 7. What all documents share: test_documents.py."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.testing import Client, Served

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd"})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Callable[..., int]:
    def make(*lines: dict[str, Any], **fields: Any) -> int:
        body = {"socid": customer, "date": DAY, "lines": list(lines), **fields}
        return admin.ask("POST", "/proposals", body)  # type: ignore[no-any-return]

    return make


@pytest.fixture
def colours(admin: Client) -> Iterator[None]:
    """Two extra fields of proposals."""
    for name in ("one", "two"):
        admin.ask("POST", f"/setup/extrafields/propal/{name}", {"label": name, "type": "varchar"})
    yield
    for name in ("one", "two"):
        admin.ask("DELETE", f"/setup/extrafields/propal/{name}")


def read(admin: Client, identifier: int) -> dict[str, Any]:
    return admin.get(f"/proposals/{identifier}")  # type: ignore[no-any-return]


def put(admin: Client, identifier: int, body: dict[str, Any]) -> dict[str, Any]:
    return admin.ask("PUT", f"/proposals/{identifier}", body)  # type: ignore[no-any-return]


# Fields --------------------------------------------------------------------------------------------------------------

#: every field of fields.md that a client writes, and how it reads
FIELDS: dict[str, tuple[Any, Any]] = {
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
#: fields.md, "default on create"; observed/02 where it says more
DEFAULTS: dict[str, Any] = dict.fromkeys(FIELDS) | {
    "fin_validite": 0, "remise": "0.00000000", "availability_id": 0, "demand_reason_id": 0, "fk_incoterms": 0,
}  # fmt: skip
#: second names that carry the same value
SECOND_NAMES = {
    "fk_projet": "fk_project", "ref_customer": "ref_client", "datep": "date", "datec": "date_creation",
    "datev": "date_validation", "date_livraison": "delivery_date", "total": "total_ttc", "status": "statut",
}  # fmt: skip
SENT = {name: sent for name, (sent, _) in FIELDS.items()}
KEPT = {name: kept for name, (_, kept) in FIELDS.items()}


def shown(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in FIELDS}


def test_every_field_is_kept_by_a_creation(admin: Client, make: Any) -> None:
    record = read(admin, make(**SENT))
    assert shown(record) == KEPT
    assert {second: record[second] for second in SECOND_NAMES} == {
        second: record[name] for second, name in SECOND_NAMES.items()
    }
    assert (record["cond_reglement_code"], record["mode_reglement_code"]) == ("30D", "LIQ")
    assert (record["availability_code"], record["demand_reason_code"]) == ("AV_1W", "SRC_INTE")
    assert (record["duree_validite"], record["statut_libelle"]) == (15, "draft")


def test_what_is_not_sent_has_its_default(admin: Client, make: Any) -> None:
    assert shown(read(admin, make())) == DEFAULTS


@pytest.mark.parametrize("name", FIELDS)
def test_put_keeps_the_field_and_resets_the_others(admin: Client, make: Any, name: str) -> None:
    identifier = make(**SENT)
    assert shown(put(admin, identifier, {name: SENT[name]})) == DEFAULTS | {name: KEPT[name]}


@pytest.mark.parametrize("name", FIELDS)
def test_patch_keeps_the_field_and_the_others(admin: Client, make: Any, name: str) -> None:
    bare, full = make(), make(**SENT)
    assert shown(admin.ask("PATCH", f"/proposals/{bare}", {name: SENT[name]})) == DEFAULTS | {name: KEPT[name]}
    cleared = admin.ask("PATCH", f"/proposals/{full}", {name: None})
    assert shown(cleared) == KEPT | {name: None}


def test_put_keeps_what_must_be_there_and_what_the_server_manages(
    admin: Client, make: Any, server: Served, customer: int
) -> None:
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
    assert after["fk_user_modif"] == colleague.user_id  # type: ignore[attr-defined]
    other = admin.ask("POST", "/thirdparties", {"name": "Another Ltd"})
    after = put(admin, identifier, {"socid": other, "date": "2026-11-22"})
    assert (after["socid"], after["date"], after["ref"]) == (other, DAY + DAYS, before["ref"])


def test_what_the_server_manages_is_ignored_and_named(admin: Client, make: Any) -> None:
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


def test_extra_fields_are_replaced_by_put_and_merged_by_patch(admin: Client, make: Any, colours: None) -> None:
    both = {"options_one": "a", "options_two": "b"}
    identifier = make(array_options=both)
    path = f"/proposals/{identifier}"
    assert read(admin, identifier)["array_options"] == both
    assert admin.ask("PATCH", path, {"array_options": {"options_two": "c"}})["array_options"] == both | {
        "options_two": "c"
    }
    assert put(admin, identifier, {"array_options": {"options_one": "d"}})["array_options"] == {
        "options_one": "d", "options_two": None,
    }  # fmt: skip
    cleared = dict.fromkeys(both)
    assert put(admin, identifier, {"note_public": "x"})["array_options"] == cleared
    assert admin.ask("PATCH", path, {"array_options": both})["array_options"] == both
    assert put(admin, identifier, {"array_options": {}})["array_options"] == cleared
    found = admin.get("/proposals", sqlfilters=f"(ef.one:is:NULL) and (t.rowid:=:{identifier})")
    assert [record["id"] for record in found] == [identifier]


def test_the_second_name_of_a_field_will_do(admin: Client, customer: int) -> None:
    body = {"socid": customer, "datep": DAY, "ref_customer": "C", "fk_projet": 3, "date_livraison": DAY + 2 * DAYS}
    record = read(admin, admin.ask("POST", "/proposals", body))
    assert [record[name] for name in ("date", "ref_client", "fk_project", "delivery_date")] == [
        DAY, "C", 3, DAY + 2 * DAYS,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"socid": None}, "socid"), ({"socid": ""}, "socid"), ({"socid": 0}, "socid"), ({"date": None}, "date"),
        ({"date": ""}, "date"), ({"date": "soon"}, "date"), ({"fin_validite": "never"}, "fin_validite"),
        ({"entity": 2}, "entity"), ({"remise_percent": "2,5"}, "remise_percent"), ({"note_public": ["x"]}, "note_public"),
        ({"ref_client": "x" * 256}, "ref_client"), ({"duree_validite": -1}, "duree_validite"),
        ({"duree_validite": "a week"}, "duree_validite"), ({"duree_validite": True}, "duree_validite"),
        ({"array_options": "red"}, "array_options"),
    ],
    ids=str,
)  # fmt: skip
def test_a_field_that_does_not_fit(admin: Client, customer: int, make: Any, fields: Any, named: str) -> None:
    body = {"socid": customer, "date": DAY} | fields
    count = len(admin.get("/proposals", limit=0))
    assert named in admin.refused("POST", "/proposals", body, status=400)
    assert len(admin.get("/proposals", limit=0)) == count
    identifier = make(**SENT)
    for verb in ("PUT", "PATCH"):
        assert named in admin.refused(verb, f"/proposals/{identifier}", fields, status=400)
    assert shown(read(admin, identifier)) == KEPT


def test_what_a_proposal_must_have(admin: Client, customer: int) -> None:
    assert admin.refused("POST", "/proposals", {"date": DAY}, status=400) == "Bad Request: socid field missing"
    assert admin.refused("POST", "/proposals", {"socid": customer}, status=400) == "Bad Request: date field missing"
    answer = admin.ask("POST", "/proposals", {}, status=400)
    assert {error["field"] for error in answer["error"]["errors"]} == {"socid", "date"}


# The end of validity (differences.md 1) ------------------------------------------------------------------------------


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
def test_the_end_of_validity(admin: Client, make: Any, sent: dict[str, Any], end: int) -> None:
    assert read(admin, make(**sent))["fin_validite"] == end
    # A replacing PUT is like a creation
    identifier = make(fin_validite=DAY + 77)
    assert put(admin, identifier, sent)["fin_validite"] == end


def test_the_end_of_validity_is_set_by_an_update_in_every_state(admin: Client, make: Any) -> None:
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


def test_patch_leaves_the_end_of_validity_unless_it_is_named(admin: Client, make: Any) -> None:
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


def test_the_setting_is_no_default_here(admin: Client, make: Any, constant: Any) -> None:
    constant("PROPALE_VALIDITY_DURATION", "45")
    record = read(admin, make())
    assert (record["fin_validite"], record["duree_validite"]) == (0, 45)


def test_date_validite_is_no_name_for_it(admin: Client, make: Any) -> None:
    identifier = make(fin_validite=DAY)
    answer = admin.simulate_patch(f"/proposals/{identifier}", json={"date_validite": DAY + 5})
    assert answer.status_code == 200
    assert "date_validite" in answer.headers["warning"]
    assert answer.json["fin_validite"] == DAY


def test_an_end_behind_all_time(admin: Client, make: Any) -> None:
    message = admin.refused("PUT", f"/proposals/{make()}", {"date": "9999-12-01", "duree_validite": 99}, status=400)
    assert "duree_validite" in message


# Lines ---------------------------------------------------------------------------------------------------------------


def test_put_of_a_line_keeps_what_is_absent(admin: Client, make: Any) -> None:
    line = {
        "desc": "text", "label": "label", "qty": 2, "subprice": 100, "tva_tx": 20, "remise_percent": 10,
        "product_type": 1, "date_start": DAY, "info_bits": 2, "special_code": 1, "pa_ht": 7, "vat_src_code": "A",
    }  # fmt: skip
    identifier = make({"desc": "first", "qty": 1, "subprice": 1}, line)
    before = read(admin, identifier)["lines"][1]
    path = f"/proposals/{identifier}/lines/{before['id']}"
    after = admin.ask("PUT", path, {"qty": 3})
    computed = ("qty", *(name for name in before if "total" in name))
    kept = {name: value for name, value in before.items() if name not in computed}
    assert {name: after["lines"][1][name] for name in kept} == kept
    # 3 × 100 − 10 %
    assert (after["lines"][1]["qty"], after["lines"][1]["total_ht"]) == ("3.00000000", "270.00000000")
    assert (after["total_ht"], after["total_tva"]) == ("271.00000000", "54.00000000")
    after = admin.ask("PUT", path, {"desc": "other", "tva_tx": "5.5 (B)"})
    changed = after["lines"][1]
    assert [changed[name] for name in ("desc", "tva_tx", "vat_src_code", "rang")] == ["other", "5.5000", "B", 2]
    # 5.5 % of 270
    assert changed["total_tva"] == "14.85000000"
    after = admin.ask("PUT", path, {})
    assert after["lines"][1] == changed


def test_the_single_route_takes_one_line(admin: Client, make: Any) -> None:
    identifier = make()
    line = admin.ask("POST", f"/proposals/{identifier}/line", {"desc": "third", "qty": 1, "subprice": 10, "tva_tx": 20})
    record = read(admin, identifier)
    assert [each["id"] for each in record["lines"]] == [line]
    assert record["total_ttc"] == "12.00000000"
    admin.refused("POST", f"/proposals/{identifier}/line", [{"qty": 1}], status=400)
    admin.ask("POST", f"/proposals/{identifier}/validate")
    admin.refused("POST", f"/proposals/{identifier}/line", {"qty": 1}, status=405)


@pytest.mark.parametrize(
    ("line", "code"),
    [({"qty": 0}, 3), ({}, 3), ({"qty": 1}, 0), ({"qty": 0, "special_code": 1}, 1), ({"qty": 1, "special_code": 4}, 4)],
)
def test_a_line_without_quantity_is_an_option(admin: Client, make: Any, line: dict[str, Any], code: int) -> None:
    record = read(admin, make(line | {"subprice": 100, "tva_tx": 20}, {"qty": 1, "subprice": 1}))
    assert record["lines"][0]["special_code"] == code
    added = admin.ask("POST", f"/proposals/{record['id']}/lines", line)
    assert {each["id"]: each["special_code"] for each in read(admin, record["id"])["lines"]}[added] == code


# Numbering (rules.md 7) ----------------------------------------------------------------------------------------------


def validated(admin: Client, identifier: int) -> str:
    return str(admin.ask("POST", f"/proposals/{identifier}/validate")["ref"])


def test_marbre_counts_on_under_todays_month(admin: Client, make: Any) -> None:
    month = f"{datetime.datetime.now(datetime.UTC):PR%y%m-}"
    refs = [validated(admin, make(date=day)) for day in ("2025-01-05", DAY, "2031-07-01")]
    first = int(refs[0].removeprefix(month))
    assert refs == [f"{month}{first + step:04d}" for step in range(3)]


@pytest.mark.parametrize(
    ("mask", "refs"),
    [
        ("P{yy}{mm}-{000@1}", ["P2611-001", "P2611-002", "P2603-003", "P2501-001"]),
        ("Q{yy}-{000@1}", ["Q26-001", "Q26-002", "Q26-003", "Q25-001"]),
        ("R{yy}{mm}-{000@99}", ["R2611-001", "R2611-002", "R2603-001", "R2501-001"]),
        ("S{yyyy}-{0000+100}", ["S2026-0101", "S2026-0102", "S2026-0103", "S2025-0104"]),
        ("T{yy}{mm}{dd}-{000}", ["T261121-001", "T261121-002", "T260301-003", "T250101-004"]),
        ("V{cccc000}", ["VCU26001", "VCU26002", "VCU26003", "VCU26004"]),
    ],
)
def test_saphir_counts_by_its_mask_and_the_proposals_date(
    admin: Client, make: Any, constant: Any, mask: str, refs: list[str]
) -> None:
    constant("PROPALE_ADDON", "mod_propale_saphir")
    constant("PROPALE_SAPHIR_MASK", mask)
    socid = admin.ask("POST", "/thirdparties", {"name": "Coded", "client": 1, "code_client": f"CU26{mask[0]}1-00002"})
    days = ("2026-11-21", "2026-11-21", "2026-03-01", "2025-01-01")
    assert [validated(admin, make(date=day, socid=socid)) for day in days] == refs


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        ("", "NotConfigured"), ("PR", "ErrorBadMask"), ("{000@1}", "ErrorCantUseRazIfNoYearInMask"),
        ("{000@13}{yy}{mm}", "ErrorBadMaskBadRazMonth"), ("A/{0000}", "/"), ("L" * 27 + "{0000}", "30"),
    ],
)  # fmt: skip
def test_a_mask_that_cannot_be_used_changes_nothing(
    admin: Client, make: Any, constant: Any, mask: str, reason: str
) -> None:
    numbered = make()
    validated(admin, numbered)
    constant("PROPALE_ADDON", "mod_propale_saphir")
    constant("PROPALE_SAPHIR_MASK", mask)
    identifier = make()
    assert reason in admin.refused("POST", f"/proposals/{identifier}/validate", status=405)
    record = read(admin, identifier)
    assert (record["ref"], record["statut"], record["user_valid_id"]) == (f"(PROV{identifier})", 0, None)
    # What has its reference does not need the mask
    admin.ask("POST", f"/proposals/{numbered}/settodraft")
    admin.ask("POST", f"/proposals/{numbered}/validate")
    admin.ask("DELETE", f"/proposals/{numbered}")


# States (differences.md 3) -------------------------------------------------------------------------------------------

ACTIONS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "validate": ("validate", None),
    "sign": ("close", {"status": 2}),
    "refuse": ("close", {"status": 3}),
    "bill": ("setinvoiced", None),
    "settodraft": ("settodraft", None),
}
#: how each state is reached
WAYS: dict[int, list[str]] = {0: [], 1: ["validate"], 2: ["validate", "sign"], 3: ["validate", "refuse"],
                              4: ["validate", "sign", "bill"]}  # fmt: skip
MOVES = {
    ("validate", 0): 1, ("sign", 1): 2, ("refuse", 1): 3, ("bill", 2): 4,
    ("settodraft", 1): 0, ("settodraft", 2): 0, ("settodraft", 3): 0,
}  # fmt: skip


def act(admin: Client, identifier: int, action: str, status: int = 200) -> Any:
    name, body = ACTIONS[action]
    return admin.ask("POST", f"/proposals/{identifier}/{name}", body, status=status)


@pytest.mark.parametrize("state", WAYS)
@pytest.mark.parametrize("action", ACTIONS)
def test_every_move_from_every_state(admin: Client, make: Any, action: str, state: int) -> None:
    identifier = make({"qty": 1, "subprice": 1})
    for step in WAYS[state]:
        act(admin, identifier, step)
    before = read(admin, identifier)
    assert before["statut"] == state
    if (action, state) in MOVES:
        after = act(admin, identifier, action)
        assert after == read(admin, identifier)
        assert after["statut"] == MOVES[action, state]
        assert after["ref"] == before["ref"] or state == 0
    else:
        assert act(admin, identifier, action, status=405)["error"]["message"] != "Method Not Allowed"
        assert read(admin, identifier) == before


def test_closing_notes_who_when_and_why(admin: Client, make: Any, server: Served) -> None:
    seller = server.user("proposals.close", "thirdparties.all")
    identifier = make(note_private="private note")
    act(admin, identifier, "validate")
    path = f"/proposals/{identifier}/close"
    record = seller.ask("POST", path, {"status": 2, "note_private": "signed by phone"})
    assert record["note_private"] == "private note\nsigned by phone"
    assert record["user_signature_id"] == seller.user_id  # type: ignore[attr-defined]
    assert abs(record["date_signature"] - datetime.datetime.now(datetime.UTC).timestamp()) < 60
    assert record["statut_libelle"] == "signed"
    billed = seller.ask("POST", f"/proposals/{identifier}/setinvoiced")
    assert billed["user_close_id"] == seller.user_id  # type: ignore[attr-defined]
    assert billed["date_cloture"] is not None
    other = make()
    act(admin, other, "validate")
    for body in ({}, {"status": 1}, {"status": 4}, {"status": "signed"}, {"note_private": "x"}):
        admin.refused("POST", f"/proposals/{other}/close", body, status=400)
    assert act(admin, other, "refuse")["note_private"] is None
    assert read(admin, other)["date_signature"] is not None
    # What the signature was stays when it is made a draft
    assert act(admin, other, "settodraft")["user_signature_id"] == 1


@pytest.mark.parametrize(("client", "signed", "refused"), [(0, 1, 0), (2, 3, 2), (1, 1, 1), (3, 3, 3)])
def test_who_signs_is_a_customer(admin: Client, make: Any, client: int, signed: int, refused: int) -> None:
    body = {"name": f"Prospect {client}", "client": client}
    for action, expected in (("refuse", refused), ("sign", signed)):
        socid = admin.ask("POST", "/thirdparties", body)
        identifier = make(socid=socid)
        act(admin, identifier, "validate")
        act(admin, identifier, action)
        assert admin.get(f"/thirdparties/{socid}")["client"] == expected


@pytest.mark.parametrize("state", WAYS)
def test_fields_change_and_a_proposal_is_deleted_in_every_state(admin: Client, make: Any, state: int) -> None:
    identifier = make({"qty": 1, "subprice": 1})
    for step in WAYS[state]:
        act(admin, identifier, step)
    assert put(admin, identifier, {"note_public": "new"})["note_public"] == "new"
    answer = admin.ask("DELETE", f"/proposals/{identifier}")
    assert answer == {"success": {"code": 200, "message": "Commercial Proposal deleted"}}
    assert admin.refused("GET", f"/proposals/{identifier}", status=404) == "Not Found: Commercial Proposal not found"


# The specification's sentences ---------------------------------------------------------------------------------------


def test_the_specifications_sentences(admin: Client, customer: int, server: Served) -> None:
    # "Identifier (id, rowid) of the new proposal"
    identifier = admin.ask("POST", "/proposals", {"socid": customer, "date": DAY})
    assert isinstance(identifier, int)
    # "Draft form: (PROV<id>). A final reference is assigned only when the proposal is validated."
    assert read(admin, identifier)["ref"] == f"(PROV{identifier})"
    # "When it is omitted at creation, the stored value is a date in 1970."
    moment = datetime.datetime.fromtimestamp(read(admin, identifier)["fin_validite"], datetime.UTC)
    assert moment.year == 1970
    # "Setting it by an update right after creation works."
    assert put(admin, identifier, {"fin_validite": "2026-12-31"})["fin_validite"] == DAY + 40 * DAYS
    # "Update 8 is a full update of the entity. Fields not sent are reset", and it answers the updated record
    answer = put(admin, identifier, {"note_public": "x"})
    assert answer == read(admin, identifier)
    assert answer["fin_validite"] == 0
    # "400 A mandatory identifier is empty. 404 The referenced record does not exist."
    admin.refused("POST", "/proposals/0/validate", status=400)
    admin.refused("POST", "/proposals/999999/validate", status=404)
    # "A missing permission is answered with status 401."
    server.user("proposals.read").refused("POST", f"/proposals/{identifier}/validate", status=401)
    # "draft | validate | validated"
    answer = admin.ask("POST", f"/proposals/{identifier}/validate")
    assert (answer["statut"], answer["ref"].startswith("PR")) == (1, True)
    # "405 The operation failed while being carried out; the message carries the reason."
    assert "already" in admin.refused("POST", f"/proposals/{identifier}/validate", status=405)


def test_notrigger_is_a_number_where_it_is_sent(admin: Client, make: Any) -> None:
    identifier = make()
    admin.refused("POST", f"/proposals/{identifier}/validate", {"notrigger": "x"}, status=400)
    assert admin.ask("POST", f"/proposals/{identifier}/validate", {"notrigger": 1})["statut"] == 1


def test_lines_whose_sum_is_too_large_for_a_document(admin: Client, customer: int, make: Any) -> None:
    # Each line fits below 2^63 / 10^8 = 92233720368.54775807, two of them together do not
    line = {"qty": 1, "subprice": 60_000_000_000, "tva_tx": 0}
    body = {"socid": customer, "date": "2026-11-21", "lines": [line, line]}
    assert "total_ht" in admin.refused("POST", "/proposals", body, status=400)
    identifier = make(lines=[line])
    assert "total_ht" in admin.refused("POST", f"/proposals/{identifier}/lines", line, status=400)
    assert len(read(admin, identifier)["lines"]) == 1
