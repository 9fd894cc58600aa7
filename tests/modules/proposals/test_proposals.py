"""Lines of a proposal, and a proposal's life as the specification tells it."""

import datetime

import pytest

from tests.modules.proposals.proposals import DAY, DAYS, put, read

# Lines ----------------------------------------------------------------------------------------------------------------


def test_put_of_a_line_keeps_what_is_absent(admin, make):
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


def test_the_single_route_takes_one_line(admin, make):
    identifier = make()
    line = admin.ask("POST", f"/proposals/{identifier}/line", {"desc": "third", "qty": 1, "subprice": 10, "tva_tx": 20})
    record = read(admin, identifier)
    assert [each["id"] for each in record["lines"]] == [line]
    assert record["total_ttc"] == "12.00000000"
    admin.refused("POST", f"/proposals/{identifier}/line", [{"qty": 1, "subprice": 0}], status=400)
    admin.ask("POST", f"/proposals/{identifier}/validate")
    admin.refused("POST", f"/proposals/{identifier}/line", {"qty": 1, "subprice": 0}, status=405)


@pytest.mark.parametrize(
    ("line", "code"),
    [({"qty": 0}, 3), ({}, 3), ({"qty": 1}, 0), ({"qty": 0, "special_code": 1}, 1), ({"qty": 1, "special_code": 4}, 4)],
)
def test_a_line_without_quantity_is_an_option(admin, make, line, code):
    record = read(admin, make(line | {"subprice": 100, "tva_tx": 20}, {"qty": 1, "subprice": 1}))
    assert record["lines"][0]["special_code"] == code
    added = admin.ask("POST", f"/proposals/{record['id']}/lines", {"subprice": 0, **line})
    assert {each["id"]: each["special_code"] for each in read(admin, record["id"])["lines"]}[added] == code


# The specification's sentences ----------------------------------------------------------------------------------------


def test_the_specifications_sentences(admin, customer, server):
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


def test_notrigger_is_a_number_where_it_is_sent(admin, make):
    identifier = make()
    admin.refused("POST", f"/proposals/{identifier}/validate", {"notrigger": "x"}, status=400)
    assert admin.ask("POST", f"/proposals/{identifier}/validate", {"notrigger": 1})["statut"] == 1


def test_lines_whose_sum_is_too_large_for_a_document(admin, customer, make):
    # Each line fits below 2^63 / 10^8 = 92233720368.54775807, two of them together do not
    line = {"qty": 1, "subprice": 60_000_000_000, "tva_tx": 0}
    body = {"socid": customer, "date": "2026-11-21", "lines": [line, line]}
    assert "total_ht" in admin.refused("POST", "/proposals", body, status=400)
    identifier = make(lines=[line])
    assert "total_ht" in admin.refused("POST", f"/proposals/{identifier}/lines", line, status=400)
    assert len(read(admin, identifier)["lines"]) == 1
