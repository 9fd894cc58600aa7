"""Codes and bar codes of third parties over HTTP; the masks themselves: test_codes.py."""

import pytest

from core.common.clock import as_if
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
