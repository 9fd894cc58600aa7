"""Lines of documents, on each kind: what they take from a product, their order, what does not fit."""

import pytest

from tests.modules.commercial.documents.desk import DAY, ONE_KIND, nothing_written, ranks, totals


def test_a_line_takes_what_it_does_not_say_from_its_product(desk, admin, product):
    record = desk.made({"fk_product": product, "qty": 2})
    line = record["lines"][0]
    expected = {
        "subprice": "80.00000000", "tva_tx": "5.5000", "product_type": 1, "desc": "An hour of work", "fk_unit": 2,
        "product_ref": "WORK", "product_label": "Work", "product_desc": "An hour of work", "fk_product_type": 1,
        "ref": "WORK", "libelle": "Work", "pa_ht": "60.00000000", "label": None,
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected
    assert totals(record) == ("160.00", "8.80", "168.80")
    own = {"fk_product": product, "qty": 1, "subprice": 0, "tva_tx": 20, "product_type": 0, "desc": "Ours", "pa_ht": 1}
    added = admin.ask("POST", desk.path(record["id"], "lines"), own)
    line = desk.read(record["id"])["lines"][1]
    assert line["id"] == added
    assert [line[name] for name in ("subprice", "tva_tx", "product_type", "desc", "pa_ht")] == [
        "0.00000000", "20.0000", 0, "Ours", "1.00000000",
    ]  # fmt: skip
    found = admin.get(desk.path(record["id"], "lines"), sqlfilters="(p.ref:=:'WORK') and (t.qty:>:1)")
    assert len(found) == 1


def test_the_product_of_a_line_stays(desk, admin, product):
    record = desk.made({"fk_product": product, "qty": 1})
    answer = admin.simulate_patch(desk.path(record["id"], "lines", record["lines"][0]["id"]), json={"fk_product": None})
    assert answer.json["lines"][0]["fk_product"] == product
    assert "fk_product" in answer.headers["warning"]
    assert "is used by" in admin.refused("DELETE", f"/products/{product}", status=405)


def test_one_line_or_a_list_of_them(desk, admin):
    identifier = desk.make()
    lines = desk.path(identifier, "lines")
    first = admin.ask("POST", lines, {"desc": "a", "qty": 1, "subprice": 1})
    assert isinstance(first, int)
    more = admin.ask("POST", lines, [{"desc": "b", "qty": 1, "subprice": 2}, {"desc": "c", "qty": 1, "subprice": 3}])
    assert admin.ask("POST", lines, []) == []
    record = desk.read(identifier)
    assert [line["id"] for line in record["lines"]] == [first, *more]
    assert ranks(record) == [("a", 1), ("b", 2), ("c", 3)]
    assert totals(record)[0] == "6.00"
    assert [line["id"] for line in admin.get(lines)] == [first, *more]
    assert [line["desc"] for line in admin.get(lines, sqlfilters="(t.subprice:>:1.5)")] == ["b", "c"]


@ONE_KIND
def test_lines_are_filtered_by_d_and_p(desk, admin, product):
    record = desk.made({"desc": "a", "fk_product": product}, {"desc": "bc", "qty": 2}, {"desc": "b", "qty": 3})
    lines = desk.path(record["id"], "lines")
    for filters, found in (
        ("(d.description:like:'%b%')", ["bc", "b"]), ("(d.qty:>:2) or (p.ref:=:'WORK')", ["a", "b"]),
        ("(d.rang:=:2)", ["bc"]), ("(d.fk_product:is:NULL) and (t.qty:=:2)", ["bc"]),
    ):  # fmt: skip
        assert [line["desc"] for line in admin.get(lines, sqlfilters=filters)] == found
    admin.refused("GET", lines, status=400, params={"sqlfilters": "(p.qty:>:2)"})


def test_lines_make_room_for_one_another(desk, admin):
    record = desk.made({"desc": "a"}, {"desc": "b"}, {"desc": "c", "rang": -1})
    lines = desk.path(record["id"], "lines")
    assert ranks(record) == [("a", 1), ("b", 2), ("c", 3)]
    admin.ask("POST", lines, {"desc": "d", "rang": 1})
    assert ranks(desk.read(record["id"])) == [("d", 1), ("a", 2), ("b", 3), ("c", 4)]
    ids = {line["desc"]: line["id"] for line in desk.read(record["id"])["lines"]}
    moved = admin.ask("PATCH", f"{lines}/{ids['c']}", {"rang": 2})
    assert [line["desc"] for line in moved["lines"]] == ["d", "c", "a", "b"]
    moved = admin.ask("PATCH", f"{lines}/{ids['d']}", {"rang": -1})
    assert [line["desc"] for line in moved["lines"]] == ["c", "a", "b", "d"]
    moved = admin.ask("PATCH", f"{lines}/{ids['a']}", {"desc": "A"})
    assert [line["desc"] for line in moved["lines"]] == ["c", "A", "b", "d"]


@ONE_KIND
def test_a_place_beyond_all_others(desk, admin):
    identifier = desk.make({"desc": "a", "rang": 70000})
    for rank in (70000, 0):
        admin.ask("POST", desk.path(identifier, "lines"), {"desc": "b", "rang": rank})
    assert [line["rang"] for line in desk.read(identifier)["lines"]] == [70000, 70001, 70002]
    with nothing_written():
        for body in ({"subprice": 0, "rang": 2**31 - 1}, [{"subprice": 0, "rang": 2**31 - 1}] * 2):
            admin.refused("POST", desk.path(identifier, "lines"), body, status=400)


def test_a_line_is_deleted(desk, admin):
    record = desk.made({"desc": "a", "qty": 1, "subprice": 1}, {"desc": "b", "qty": 1, "subprice": 2})
    first, second = (line["id"] for line in record["lines"])
    child = admin.ask("POST", desk.path(record["id"], "lines"), {"desc": "c", "fk_parent_line": first})
    admin.ask("DELETE", desk.path(record["id"], "lines", first))
    left = admin.get(desk.path(record["id"]))
    assert [(line["id"], line["fk_parent_line"]) for line in left["lines"]] == [(second, None), (child, None)]
    assert totals(left)[0] == "2.00"


@ONE_KIND
def test_lines_have_no_cycle(desk, admin):
    record = desk.made({"desc": "a"}, {"desc": "b"}, {"desc": "c"})
    top, middle, bottom = (desk.path(record["id"], "lines", line["id"]) for line in record["lines"])
    for path, above in ((middle, top), (bottom, middle)):
        admin.ask("PUT", path, {"fk_parent_line": int(above.rpartition("/")[2])})
    with nothing_written():
        for below in (top, middle, bottom):
            error = admin.ask("PUT", top, {"fk_parent_line": int(below.rpartition("/")[2])}, status=400)["error"]
            assert [each["field"] for each in error["errors"]] == ["fk_parent_line"]


def test_a_line_of_another_document_is_404(desk, admin):
    mine, other = desk.made({"desc": "a"}), desk.made({"desc": "b"})
    line = other["lines"][0]["id"]
    with nothing_written():
        for verb in ("PUT", "PATCH", "DELETE"):
            for number in (line, 999999):
                body = None if verb == "DELETE" else {"qty": 2}
                admin.refused(verb, desk.path(mine["id"], "lines", number), body, status=404)
            admin.refused(verb, desk.path(999999, "lines", line), body, status=404)
        admin.refused("POST", desk.path(mine["id"], "lines"), {"desc": "c", "fk_parent_line": line}, status=404)
        admin.refused("PATCH", desk.path(other["id"], "lines", line), {"fk_parent_line": line}, status=400)


def test_a_line_stays_in_its_document(desk, admin):
    line, other = {"desc": "a", "qty": 1, "subprice": 1}, desk.make()
    record = desk.made(line | {desk.kind.parent: other})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    for verb in ("PUT", "PATCH"):
        answer = admin.simulate_request(verb, path, json=line | {desk.kind.parent: other})
        assert answer.status_code == 200
        assert desk.kind.parent in answer.headers["warning"]
        assert [each[desk.kind.parent] for each in answer.json["lines"]] == [record["id"]]
    admin.ask("POST", desk.path(record["id"], "lines"), line | {desk.kind.parent: other})
    assert len(desk.read(record["id"])["lines"]) == 2
    assert desk.read(other)["lines"] == []


@ONE_KIND
@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"qty": "2,5"}, "qty"), ({"subprice": "1,000.00"}, "subprice"), ({"tva_tx": "TVA"}, "tva_tx"),
        ({"tva_tx": -1}, "tva_tx"), ({"tva_tx": "-5 (X)"}, "tva_tx"), ({"tva_tx": 1000}, "tva_tx"),
        ({"qty": "1e11", "subprice": 1}, "qty"), ({"subprice": 10**30}, "subprice"), ({"qty": "NaN"}, "qty"),
        ({"qty": 10**9, "subprice": 10**9}, "total_ht"), ({"qty": 9 * 10**10, "subprice": 1, "tva_tx": 20}, "total"),
        ({"product_type": 2}, "product_type"), ({"qty": True}, "qty"), ({"qty": [1]}, "qty"),
        ({"date_start": DAY, "date_end": DAY - 1}, "date_end"), ({"date_start": "soon"}, "date_start"),
        ({"label": "x" * 256}, "label"), ({"vat_src_code": "x" * 11}, "vat_src_code"), ({"fk_unit": "x"}, "fk_unit"),
        ({"rang": "first"}, "rang"), ({"info_bits": 2**40}, "info_bits"), ({"array_options": "x"}, "array_options"),
    ],
    ids=str,
)  # fmt: skip
def test_a_line_that_does_not_fit(desk, admin, line, field):
    record = desk.made({"qty": 1, "subprice": 1})
    identifier, number = record["id"], record["lines"][0]["id"]
    with nothing_written():
        for verb, path, body in (
            ("POST", desk.path(identifier, "lines"), line), ("POST", desk.path(identifier, "lines"), [{"subprice": 0}, line]),
            ("PUT", desk.path(identifier, "lines", number), line), ("POST", desk.path(), desk.body({}, line)),
            ("PATCH", desk.path(identifier, "lines", number), line),
        ):  # fmt: skip
            answer = admin.ask(verb, path, body, status=400)
            assert field in answer["error"]["message"]
            assert field in str(answer["error"]["errors"])


@ONE_KIND
def test_a_total_that_is_too_large(desk, admin):
    line = {"qty": 1, "subprice": 6 * 10**10}
    identifier = desk.make(line)
    with nothing_written():
        admin.refused("POST", desk.path(identifier, "lines"), line, status=400)
        admin.refused("POST", desk.path(), desk.body(line, line), status=400)


@ONE_KIND
def test_dates_of_a_line_are_compared_with_those_that_stay(desk, admin):
    record = desk.made({"date_start": DAY, "date_end": DAY + 60})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    with nothing_written():
        admin.refused("PATCH", path, {"date_end": DAY - 60}, status=400)
        admin.refused("PATCH", path, {"date_start": DAY + 120}, status=400)
    line = admin.ask("PATCH", path, {"date_start": DAY + 60})["lines"][0]
    assert (line["date_start"], line["date_end"]) == (DAY + 60, DAY + 60)


@ONE_KIND
def test_all_that_is_wrong_is_named_at_once(desk, admin):
    body = {
        "socid": "x",
        "date": "soon",
        "note_public": 7,
        "cond_reglement_id": "y",
        "lines": [{"qty": "a"}, 5, {"tva_tx": -1, "rang": "b"}],
    }
    with nothing_written():
        answer = admin.ask("POST", desk.path(), body, status=400)
    names = {error["field"] for error in answer["error"]["errors"]}
    assert names >= {
        "socid", "date", "cond_reglement_id", "lines[0].qty", "lines[1]", "lines[2].tva_tx", "lines[2].rang",
    }  # fmt: skip
    admin.refused("POST", desk.path(), desk.body() | {"lines": "none"}, status=400)


@ONE_KIND
def test_a_thousand_lines_in_one_request(desk, admin, product):
    lines = [{"desc": f"l{number}", "qty": number, "subprice": "0.01", "tva_tx": 20} for number in range(1, 1001)]
    record = desk.made(*lines)
    # 0.01 × 1000 × 1001 / 2
    assert totals(record)[0] == "5005.00"
    assert [line["rang"] for line in record["lines"]] == list(range(1, 1001))
    admin.ask("POST", desk.path(record["id"], "lines"), [{"fk_product": product, "qty": 1}] * 50)
    # 50 × 80
    assert totals(desk.read(record["id"]))[0] == "9005.00"
    assert len(admin.get(desk.path(record["id"], "lines"))) == 1050
