"""Lines of a proposal, and a proposal's life as the specification tells it."""

import pytest

from tests.modules.proposals.proposals import DAY, read

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
