"""Fields of an order and of its lines, and how PUT and PATCH differ."""

import pytest

from core.common.clock import as_if
from tests.modules.orders.orders import DAY, EARLIER, LINE, MORE, TOTALS, picked, totals
from tests.modules.stock.goods import warehouses
from tests.moments import LEAP_DAY_END

#: every field that a client can write, a value to send and what is read back
KEPT = {
    "ref_ext": ("EXT-1", "EXT-1"),
    "ref_client": ("CUST-REF", "CUST-REF"),
    "fk_project": ("7", 7),
    "date": ("2025-01-15", EARLIER),
    "delivery_date": (1796000000, 1796000000),
    "source": (2, 2),
    "remise_percent": ("2.5", "2.5000"),
    "remise_absolue": ("1.25", "1.25000000"),
    "cond_reglement_id": (2, 2),
    "mode_reglement_id": ("2", 2),
    "deposit_percent": ("30", "30"),
    "fk_account": (3, 3),
    "availability_id": (1, 1),
    "demand_reason_id": (4, 4),
    "shipping_method_id": (2, 2),
    "warehouse_id": (5, 5),
    "note_public": ("<b>public</b>", "<b>public</b>"),
    "note_private": ("private\nnote", "private\nnote"),
    "model_pdf": ("einstein", "einstein"),
    "module_source": ("takepos", "takepos"),
    "pos_source": ("2", "2"),
    "fk_incoterms": (1, 1),
    "location_incoterms": ("Lyon", "Lyon"),
}
#: second names that may be sent
ALIASES = {"ref_customer": "ref_client", "date_commande": "date", "date_livraison": "delivery_date"}
#: what they are when nothing is said
DEFAULTS = dict.fromkeys(KEPT) | {
    "date": DAY, "remise_percent": "0.0000", "remise_absolue": "0.00000000", "fk_incoterms": 0,
}  # fmt: skip
#: what the server alone writes, and a value that would change it
DROPPED = {
    "id": 77, "ref": "CO9999-0001", "statut": 3, "status": 3, "billed": 1, "total_ht": 5, "total_tva": 5,
    "total_ttc": 5, "date_creation": 1, "date_validation": 1, "date_cloture": 1, "user_author_id": 99,
    "user_creation_id": 99, "user_valid": 99, "user_modification": 99, "fk_user_cloture": 99, "remise": 5,
    "amount_ht": 5, "fk_delivery_address": 9, "last_main_doc": "x", "multicurrency_code": "USD", "import_key": "x",
}  # fmt: skip
#: fields of a line, what is sent, what is read back, and what a line has that does not say it
LINE_FIELDS = {
    "desc": ("a <i>text</i>", "a <i>text</i>", ""),
    "label": ("a label", "a label", None),
    "product_type": (1, 1, 0),
    "qty": ("2.5", "2.50000000", "0.00000000"),
    "subprice": ("9.87654321", "9.87654000", "0.00000000"),
    "tva_tx": ("19.6", "19.6000", "0.0000"),
    "vat_src_code": ("ABC", "ABC", ""),
    "remise_percent": ("12.3456", "12.3460", "0.0000"),
    "date_start": (EARLIER, EARLIER, None),
    "date_end": (DAY, DAY, None),
    "info_bits": (2, 2, 0),
    "special_code": (4, 4, 0),
    "fk_unit": (2, 2, None),
    "pa_ht": ("5.5", "5.50000000", "0.00000000"),
    "fk_fournprice": (8, 8, None),
    "ref_ext": ("L-1", "L-1", ""),
}

# Fields ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _warehouses(admin):
    """Those that records name here."""
    warehouses(admin, 6)


def test_a_new_order_has_the_documented_defaults(admin, server, make):
    with as_if(LEAP_DAY_END):
        record = admin.get(f"/orders/{make(LINE, MORE)}")
    author = server.administrator.id
    expected = DEFAULTS | {
        "ref": f"(PROV{record['id']})", "statut": 0, "status": 0, "billed": 0, "brouillon": 1, "entity": 1,
        "date_commande": DAY, "date_livraison": None, "date_validation": None, "date_cloture": None,
        "user_author_id": author, "user_creation_id": author, "user_valid": None, "user_validation_id": None,
        "user_modification": None, "user_modification_id": None, "availability_code": None, "availability": None,
        "cond_reglement_code": None, "mode_reglement_code": None, "online_payment_url": None, "contacts_ids": [],
        "linkedObjectsIds": {}, "multicurrency_code": "EUR", "multicurrency_tx": "1.00000000", "array_options": {},
    }  # fmt: skip
    assert picked(record, expected) == expected
    assert record["date_creation"] == LEAP_DAY_END
    assert totals(record) == TOTALS
    assert record["lines"][0]["fk_commande"] == record["id"]


def test_every_field_is_kept_by_creation_and_change(admin, make):
    sent = {name: value for name, (value, _) in KEPT.items()}
    expected = {name: value for name, (_, value) in KEPT.items()}
    created = admin.get(f"/orders/{make(**sent)}")
    assert picked(created, KEPT) == expected
    codes = ("availability_code", "demand_reason_code", "cond_reglement_code", "mode_reglement_code")
    assert [created[name] for name in codes] == ["AV_NOW", "SRC_CAMP_FAX", "30D", "VIR"]
    named = admin.get("/setup/dictionary/availability", sqlfilters="(t.rowid:=:1)")[0]["label"]
    assert created["availability"] == named
    for verb in ("PUT", "PATCH"):
        changed = admin.ask(verb, f"/orders/{make()}", sent)
        assert picked(changed, KEPT) == expected
        assert changed["user_modification"] == created["user_author_id"]


@pytest.mark.parametrize("name", ALIASES)
def test_second_names_are_written_and_read(admin, make, name):
    value, expected = KEPT[ALIASES[name]]
    for identifier in (make(**{name: value}), make()):
        record = admin.ask("PUT", f"/orders/{identifier}", {name: value})
        assert (record[name], record[ALIASES[name]]) == (expected, expected)


def test_the_day_can_be_named_twice(admin, make):
    # The value used is date_commande if given, else date
    identifier = make(date="2026-11-21", date_commande="2025-01-15")
    assert admin.get(f"/orders/{identifier}")["date"] == EARLIER
    # A client that sends back what it has read, and has changed one of them, is understood whichever it is
    for name in ("date", "date_commande"):
        record = admin.get(f"/orders/{make()}")
        changed = admin.ask("PUT", f"/orders/{record['id']}", record | {name: "2025-01-15"})
        assert (changed["date"], changed["date_commande"]) == (EARLIER, EARLIER)
    changed = admin.ask("PUT", f"/orders/{make()}", {"date": "", "date_commande": "2025-01-15"})
    assert changed["date"] == EARLIER
    assert "`date_commande`" in admin.refused(
        "PUT", f"/orders/{make()}", {"date": DAY, "date_commande": "soon"}, status=400
    )


def test_nothing_chosen_is_no_identifier(admin, make):
    record = admin.get(f"/orders/{make(availability_id=0, demand_reason_id='0')}")
    assert (record["availability_id"], record["demand_reason_id"]) == (None, None)


def test_what_the_server_writes_is_ignored(admin, make):
    for identifier in (make(LINE, MORE, **DROPPED), make(LINE, MORE)):
        before = admin.get(f"/orders/{identifier}")
        assert (before["ref"], before["statut"], totals(before)) == (f"(PROV{identifier})", 0, TOTALS)
        answer = admin.simulate_put(f"/orders/{identifier}", json=DROPPED)
        names = ("date_modification", "fk_user_modif", "user_modification", "user_modification_id")
        assert {**answer.json, **picked(before, names)} == before
        for name, value in DROPPED.items():
            answer = admin.simulate_put(f"/orders/{identifier}", json={name: value})
            assert f"ignored: {name}" in answer.headers["warning"]


# PUT and PATCH --------------------------------------------------------------------------------------------------------


def test_put_replaces_and_patch_merges(admin, make, customer, extrafield):
    for name in ("site", "floor"):
        extrafield("commande", name)
    sent = {name: value for name, (value, _) in KEPT.items()}
    extras = {"options_site": "Lyon", "options_floor": "3"}
    first, second = (make(LINE, MORE, **sent, array_options=extras) for _ in range(2))

    patched = admin.ask("PATCH", f"/orders/{first}", {"note_public": "n", "array_options": {"options_floor": "4"}})
    assert picked(patched, KEPT) == {name: value for name, (_, value) in KEPT.items()} | {"note_public": "n"}
    assert patched["array_options"] == {"options_site": "Lyon", "options_floor": "4"}

    put = admin.ask("PUT", f"/orders/{first}", {"note_public": "n", "array_options": {"options_floor": "4"}})
    assert picked(put, KEPT) == DEFAULTS | {"date": EARLIER, "note_public": "n"}
    assert put["array_options"] == {"options_site": None, "options_floor": "4"}
    stays = ("id", "ref", "socid", "date", "statut", "user_author_id", "date_creation", "lines")
    assert picked(put, stays) == picked(patched, stays)
    assert totals(put) == TOTALS
    empty = admin.ask("PUT", f"/orders/{second}", {})
    assert list(empty["array_options"].values()) == [None, None]
    assert (empty["socid"], empty["date"], empty["ref_client"]) == (customer, EARLIER, None)


def test_own_fields_change_in_every_state_and_lines_do_not(admin, make):
    for state in (-1, 1, 2, 3):
        identifier = make(LINE, state=state)
        before = admin.get(f"/orders/{identifier}")
        changed = admin.ask("PUT", f"/orders/{identifier}", {"note_public": "later"})
        assert changed["note_public"] == "later"
        assert picked(changed, ("ref", "statut", "user_valid")) == picked(before, ("ref", "statut", "user_valid"))
        line = f"/orders/{identifier}/lines/{before['lines'][0]['id']}"
        for verb, path, body in (
            ("POST", f"/orders/{identifier}/lines", MORE), ("PUT", line, {"qty": 9}), ("PATCH", line, {"qty": 9}),
            ("DELETE", line, None),
        ):  # fmt: skip
            assert "it is not a draft" in admin.refused(verb, path, body, status=405)
        assert admin.get(f"/orders/{identifier}")["lines"] == before["lines"]


# Lines ----------------------------------------------------------------------------------------------------------------


def test_put_of_a_line_resets_and_patch_keeps(admin, make, extrafield):
    extrafield("commandedet", "colour")
    sent = {name: value for name, (value, _, _) in LINE_FIELDS.items()} | {"array_options": {"options_colour": "red"}}
    identifier = make(sent)
    line = admin.get(f"/orders/{identifier}")["lines"][0]
    path = f"/orders/{identifier}/lines/{line['id']}"

    patched = admin.ask("PATCH", path, {"qty": 5})
    assert patched["lines"][0]["qty"] == "5.00000000"
    expected = {name: value for name, (_, value, _) in LINE_FIELDS.items()} | {"qty": "5.00000000"}
    assert picked(patched["lines"][0], LINE_FIELDS) == expected

    # PUT sets what is not sent back to its default; an extra field stays
    put = admin.ask("PUT", path, {"qty": 5})
    expected = {name: value for name, (_, _, value) in LINE_FIELDS.items()} | {"qty": "5.00000000"}
    assert picked(put["lines"][0], LINE_FIELDS) == expected
    assert put["lines"][0]["array_options"] == {"options_colour": "red"}
    assert totals(put["lines"][0]) == totals(put) == ("0.00000000",) * 3


def test_a_reset_line_takes_from_its_product_again(admin, make):
    chair = admin.ask("POST", "/products", {"ref": "CHAIR", "label": "Chair", "price": 80, "tva_tx": "5.5"})
    identifier = make({"fk_product": chair, "qty": 2, "subprice": 10, "tva_tx": 20})
    line = admin.get(f"/orders/{identifier}")["lines"][0]["id"]
    # 3 × 80 = 240, VAT 13.20
    record = admin.ask("PUT", f"/orders/{identifier}/lines/{line}", {"qty": 3})
    assert totals(record) == ("240.00000000", "13.20000000", "253.20000000")
    assert (record["lines"][0]["fk_product"], record["lines"][0]["product_ref"]) == (chair, "CHAIR")
