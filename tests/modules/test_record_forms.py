"""Reads and lists with `?dates=iso`."""

import pytest

from core.testing import extra_field


@pytest.fixture(scope="module")
def order(admin):
    customer = admin.ask("POST", "/thirdparties", {"name": "Forms", "client": 1})
    line = {"desc": "Desk", "qty": 1, "subprice": 5, "date_start": "2026-11-24T08:00:00Z"}
    body = {"socid": customer, "date": "2026-11-24", "lines": [line]}
    return int(admin.ask("POST", "/orders", body))


def test_dates_in_iso_8601(admin, order):
    plain = admin.get(f"/orders/{order}")
    record = admin.get(f"/orders/{order}", dates="iso", expand="thirdparty")
    # 1795478400 is 2026-11-24 00:00 UTC
    assert (plain["date"], record["date"]) == (1795478400, "2026-11-24")
    assert record["date_creation"].endswith("Z") and record["date_creation"][:2] == "20"
    assert record["lines"][0]["date_start"] == "2026-11-24T08:00:00Z"
    assert record["thirdparty"]["date_creation"].endswith("Z")
    assert record["id"] == plain["id"] and record.keys() - {"thirdparty"} == plain.keys()
    listed = next(each for each in admin.get("/orders", dates="iso") if each["id"] == order)
    assert listed["date"] == "2026-11-24"
    wrapped = admin.get("/orders", dates="iso", pagination_data=1, properties="date,id")
    assert {"id": order, "date": "2026-11-24"} in wrapped["data"]
    assert admin.get(f"/orders/{order}", dates="seconds") == plain


def test_a_record_in_iso_8601_can_be_sent_back(admin, order):
    before = admin.get(f"/orders/{order}")
    record = admin.get(f"/orders/{order}", dates="iso")
    admin.ask("PATCH", f"/orders/{order}", record, headers={"Prefer": "handling=strict"})
    assert admin.get(f"/orders/{order}") == before


def test_extra_fields(admin):
    with extra_field(admin, "socpeople", "since", type="date"), extra_field(admin, "socpeople", "other"):
        body = {"lastname": "Lenoir", "array_options": {"options_since": "2026-11-24"}}
        made = admin.ask("POST", "/contacts", body)
        record = admin.get(f"/contacts/{made}", dates="iso")
        assert record["array_options"] == {"options_since": "2026-11-24", "options_other": None}


def test_other_words_are_rejected(admin, order):
    error = admin.ask("GET", f"/orders/{order}?dates=french", status=400)
    assert [each["field"] for each in error["error"]["errors"]] == ["dates"]


def test_the_tag_is_that_of_the_whole_record(admin, order):
    tag = admin.simulate_get(f"/orders/{order}", params={"dates": "iso"}).headers["etag"]
    admin.ask("PATCH", f"/orders/{order}", {"ref_client": "X"}, headers={"If-Match": tag})
    admin.refused("PATCH", f"/orders/{order}", {"ref_client": "Y"}, headers={"If-Match": tag}, status=412)
