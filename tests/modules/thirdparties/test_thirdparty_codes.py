"""Codes and bar codes of third parties."""

import pytest

from core.common.clock import as_if
from modules.setup.constants import set_constant
from tests.modules.thirdparties.thirdparties import make


@pytest.fixture(autouse=True)
def _same_month():
    """Codes name the month in which they are made: 2026-11-21, midnight UTC."""
    with as_if(1795219200):
        yield


@pytest.mark.parametrize("word", ["-1", -1, "auto", "AUTO"])
def test_codes_are_generated_one_behind_the_other(admin, word):
    codes = []
    for _ in range(2):
        identifier = make(admin, client=1, fournisseur=1, code_client=word, code_fournisseur=word)
        record = admin.get(f"/thirdparties/{identifier}")
        codes.append((record["code_client"], record["code_fournisseur"]))
    (first, first_supplier), (second, second_supplier) = codes
    assert first.startswith("CU2611-") and len(first.partition("-")[2]) == 5
    assert first_supplier.startswith("SU2611-")
    assert int(second.partition("-")[2]) == int(first.partition("-")[2]) + 1
    assert int(second_supplier.partition("-")[2]) == int(first_supplier.partition("-")[2]) + 1


def test_codes_are_written_only_for_their_kind(admin):
    sent = {"code_fournisseur": "SU2601-00500", "code_compta": "411", "code_compta_fournisseur": "401"}
    record = admin.get(f"/thirdparties/{make(admin, **sent)}")
    assert {field: record[field] for field in sent} == dict.fromkeys(sent)
    record = admin.get(f"/thirdparties/{make(admin, client=1, fournisseur=1, **sent)}")
    assert {field: record[field] for field in sent} == sent


def test_codes_are_checked_only_for_their_kind(admin):
    message = admin.refused("POST", "/thirdparties", {"name": "x", "client": 1, "code_client": "short"}, status=400)
    assert "expected a customer code" in message
    body = {"name": "x", "fournisseur": 1, "code_fournisseur": "short"}
    assert "expected a supplier code" in admin.refused("POST", "/thirdparties", body, status=400)
    assert admin.get(f"/thirdparties/{make(admin, code_client='short')}")["code_client"] == "short"
    assert admin.get(f"/thirdparties/{make(admin, client=1)}")["code_client"] is None
    assert admin.get(f"/thirdparties/{make(admin, client=1, code_client='')}")["code_client"] is None


def test_codes_are_unique(admin):
    make(admin, client=1, code_client="CU2601-00900")
    for code in ("CU2601-00900", " cu2601-00900 "):
        body = {"name": "x", "client": 1, "code_client": code}
        assert "already uses the customer code" in admin.refused("POST", "/thirdparties", body, status=405)
    make(admin, fournisseur=1, code_fournisseur="SU2601-00900")
    body = {"name": "x", "fournisseur": 1, "code_fournisseur": "SU2601-00900"}
    assert "already uses the supplier code" in admin.refused("POST", "/thirdparties", body, status=405)


def test_deleting_the_last_one_frees_its_number(admin):
    first, last = (make(admin, client=1, code_client="auto") for _ in range(2))
    code = admin.get(f"/thirdparties/{last}")["code_client"]
    admin.ask("DELETE", f"/thirdparties/{last}")
    again = make(admin, client=1, code_client="auto")
    assert admin.get(f"/thirdparties/{again}")["code_client"] == code
    admin.ask("DELETE", f"/thirdparties/{first}")
    further = admin.get(f"/thirdparties/{make(admin, client=1, code_client='auto')}")["code_client"]
    assert int(further.partition("-")[2]) == int(code.partition("-")[2]) + 1


def test_barcodes_are_unique(admin):
    make(admin, barcode="ONE")
    other = make(admin, barcode="")
    make(admin, barcode="")
    assert "barcode" in admin.refused("POST", "/thirdparties", {"name": "x", "barcode": "ONE"}, status=405)
    assert "barcode" in admin.refused("PUT", f"/thirdparties/{other}", {"barcode": "ONE"}, status=405)


# Other schemes --------------------------------------------------------------------------------------------------------

ADDON, ELEPHANT, LEOPARD = "SOCIETE_CODECLIENT_ADDON", "mod_codeclient_elephant", "mod_codeclient_leopard"
MASKS = {"customer": "COMPANY_ELEPHANT_MASK_CUSTOMER", "supplier": "COMPANY_ELEPHANT_MASK_SUPPLIER"}
#: kind of code → the field that enables it, and its own
FIELDS = {"customer": ("client", "code_client"), "supplier": ("fournisseur", "code_fournisseur")}


def refused(client, kind, code, status):
    flag, field = FIELDS[kind]
    return client.refused("POST", "/thirdparties", {"name": "x", flag: 1, field: code}, status=status)


def codes_of(client, customer, supplier):
    codes = {"code_client": customer, "code_fournisseur": supplier}
    record = client.get(f"/thirdparties/{make(client, client=1, fournisseur=1, **codes)}")
    return tuple(record[field] for field in codes)


def test_masks_give_codes_in_capitals(admin, constant):
    constant(MASKS["customer"], "cli{0000}")
    constant(MASKS["supplier"], "s{yy}{mm}-{000@99}")
    constant(ADDON, ELEPHANT)
    assert codes_of(admin, "auto", "auto") == ("CLI0001", "S2611-001")
    assert codes_of(admin, " cli0007 ", "anything!") == ("CLI0007", "ANYTHING!")
    assert codes_of(admin, "auto", "auto") == ("CLI0008", "S2611-002")
    with as_if(1796083200):  # 2026-12-01
        assert codes_of(admin, "auto", "auto") == ("CLI0009", "S2612-001")
    message = refused(admin, "customer", "cli00010", 400)
    assert 'expected a customer code with the length of the mask cli{0000}, got "CLI00010"' in message
    for kind in MASKS:
        assert f"a {kind} code is required" in refused(admin, kind, " ", 400)


def test_codes_without_a_scheme_are_free_text(admin, constant):
    constant(ADDON, LEOPARD)
    assert codes_of(admin, "my code", "auto") == ("my code", None)
    assert codes_of(admin, "auto", "") == (None, None)


@pytest.mark.parametrize("side", MASKS)
def test_without_a_usable_mask_there_are_no_codes(admin, constant, side):
    name = MASKS[side]
    constant(ADDON, ELEPHANT)
    for code in ("auto", "ABCDEFGH"):
        assert f"the constant {name} has no numbering mask" in refused(admin, side, code, 405)
    constant(name, "A" * 22 + "{000}")
    assert f"longer than 24 characters; shorten it in the constant {name}" in refused(admin, side, "auto", 405)
    constant(name, "A{000+999}")
    assert "ErrorMaxNumberReachForThisMask" in refused(admin, side, "auto", 405)
    # Written past the server
    set_constant(name, "A/{000}")
    assert "ErrorBadMask" in refused(admin, side, "auto", 405)
    assert f"{name}: ErrorBadMask" in refused(admin, side, "ABCDEFGH", 405)


# Codes that are given later -------------------------------------------------------------------------------------------

CODES = ("code_client", "code_fournisseur", "code_compta", "code_compta_fournisseur")


@pytest.fixture
def required(constant):
    """Codes are required, from masks of two characters and a counter."""
    constant(MASKS["customer"], "KD{0000}")
    constant(MASKS["supplier"], "LF{0000}")
    yield lambda: constant(ADDON, ELEPHANT)


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_a_third_party_without_codes_gets_them_later(admin, verb):
    path = f"/thirdparties/{make(admin, name='Later')}"
    body = {"name": "Later", "client": 1, "fournisseur": 1}
    codes = {"code_client": "auto", "code_fournisseur": f"SU2601-0700{len(verb)}"}
    accounts = {"code_compta": "411L", "code_compta_fournisseur": "401L"}
    record = admin.ask(verb, path, body | codes | accounts)
    assert record["code_client"].startswith("CU2611-")
    given = {name: record[name] for name in CODES}
    assert given == codes | accounts | {"code_client": record["code_client"]}
    # A second request for a code, and a record that is sent back, change nothing
    for again in ({"code_client": "auto"}, {"code_fournisseur": given["code_fournisseur"].lower()}, record, {}):
        record = admin.ask(verb, path, body | again)
        assert {name: record[name] for name in CODES} == given
    for name in CODES:
        for other in ("CU2601-07999", "", None):
            error = admin.ask(verb, path, body | {name: other}, status=405)["error"]
            assert (error["reason"], error["errors"][0]["field"]) == ("locked", name)
            assert f"can't change `{name}`" in error["message"] and given[name] in error["message"]


def test_codes_given_later_are_checked(admin):
    path = f"/thirdparties/{make(admin, client=1)}"
    taken = make(admin, client=1, code_client="CU2601-07100")
    assert admin.get(f"/thirdparties/{taken}")["code_client"] == "CU2601-07100"
    assert "expected a customer code" in admin.refused("PATCH", path, {"code_client": "short"}, status=400)
    refused = admin.refused("PATCH", path, {"code_client": "CU2601-07100"}, status=405)
    assert "already uses the customer code" in refused
    answer = admin.simulate_patch(path, json={"code_fournisseur": "SU2601-07101"})
    assert (answer.status_code, answer.json["code_fournisseur"]) == (200, None)
    assert answer.headers["warning"] == '299 comptoir "ignored: code_fournisseur, because `fournisseur` is 0"'


def test_where_codes_are_required_a_third_party_needs_one_to_become_a_customer(admin, required):
    path = f"/thirdparties/{make(admin)}"
    required()
    assert "a customer code is required" in admin.refused("PATCH", path, {"client": 1}, status=400)
    assert admin.ask("PATCH", path, {"client": 1, "code_client": "auto"})["code_client"].startswith("KD")


@pytest.mark.every_database
def test_where_codes_are_required_the_first_order_gives_one(admin, required):
    line = {"desc": "x", "qty": 1, "subprice": 5}
    customers = [make(admin, client=client) for client in (0, 2)]
    orders = [
        admin.ask("POST", "/orders", {"socid": each, "date": "2026-11-21", "lines": [line]})
        for each in (*customers, make(admin))
    ]
    required()
    for order in orders[:2]:
        admin.ask("POST", f"/orders/{order}/validate")
    codes = [admin.get(f"/thirdparties/{each}")["code_client"] for each in customers]
    assert [code[:2] for code in codes] == ["KD", "KD"] and int(codes[1][2:]) == int(codes[0][2:]) + 1


def test_where_codes_are_free_the_first_order_gives_none(admin):
    prospect = make(admin, client=2)
    body = {"socid": prospect, "date": "2026-11-21", "lines": [{"desc": "x", "qty": 1, "subprice": 5}]}
    admin.ask("POST", f"/orders/{admin.ask('POST', '/orders', body)}/validate")
    record = admin.get(f"/thirdparties/{prospect}")
    assert (record["client"], record["code_client"]) == (3, None)
    assert admin.ask("PATCH", f"/thirdparties/{prospect}", {"code_client": "auto"})["code_client"].startswith("CU2611-")


def test_in_dolibarr16_another_code_is_ignored(serve):
    client = serve(profile_name="dolibarr16").client()
    path = f"/thirdparties/{client.ask('POST', '/thirdparties', {'name': 'Old', 'client': 1, 'code_client': '-1'})}"
    code = client.get(path)["code_client"]
    answer = client.simulate_put(path, json={"code_client": "CU2601-07999"})
    assert (answer.status_code, answer.json["code_client"]) == (200, code)
    assert answer.headers["warning"] == f'299 comptoir "ignored: code_client, because {code} stays"'
