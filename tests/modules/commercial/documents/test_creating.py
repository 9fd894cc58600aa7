"""Creating and reading documents, on each kind."""

from tests.modules.commercial.documents.desk import DAY, totals


def test_a_new_document_is_a_draft(desk):
    record = desk.made({"desc": "free", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10},
                       {"desc": "second", "qty": "2", "subprice": 100, "tva_tx": "5.5"})  # fmt: skip
    assert record["ref"] == f"(PROV{record['id']})"
    assert (record["statut"], record["status"], record["brouillon"]) == (0, 0, 1)
    assert (record["socid"], record["date"], record["entity"]) == (desk.customer, DAY, 1)
    assert (record["user_author_id"], record["user_valid_id"], record["date_validation"]) == (1, None, None)
    assert (record["multicurrency_code"], record["multicurrency_tx"]) == ("EUR", "1.00000000")
    # 53.97 + 200, 10.80 + 11, 64.77 + 211
    assert totals(record) == ("253.97", "21.80", "275.77")
    assert totals({name: record[f"multicurrency_{name}"] for name in ("total_ht", "total_tva", "total_ttc")}) == (
        "253.97", "21.80", "275.77",
    )  # fmt: skip
    assert [totals(line) for line in record["lines"]] == [("53.97", "10.80", "64.77"), ("200.00", "11.00", "211.00")]
    assert [line[desk.kind.parent] for line in record["lines"]] == [record["id"]] * 2
    assert (record["contacts_ids"], record["linkedObjectsIds"], record["array_options"]) == ([], {}, {})


def test_a_line_has_the_defaults_of_the_reference(desk):
    line = desk.made({})["lines"][0]
    expected = {
        "desc": "", "label": None, "product_type": 0, "fk_product": None, "qty": "0.00000000",
        "subprice": "0.00000000", "tva_tx": "0.0000", "vat_src_code": "", "localtax1_tx": "0.0000",
        "localtax2_tx": "0.0000", "localtax1_type": "0", "localtax2_type": "0", "remise_percent": "0.0000",
        "fk_remise_except": None, "total_ht": "0.00000000", "total_ttc": "0.00000000", "date_start": None,
        "date_end": None, "info_bits": 0, "fk_parent_line": None, "rang": 1, "fk_unit": None, "pa_ht": "0.00000000",
        "fk_fournprice": None, "product_ref": None, "product_label": None, "libelle": None, "ref": None,
        "marge_tx": None, "marque_tx": "100.0000", "price": "0.00000000", "product_tosell": None, "weight": None,
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected
    assert (line["rowid"], line["description"]) == (line["id"], line["desc"])


def test_every_field_of_a_line_is_kept(desk, admin):
    sent = {
        "desc": "<b>text</b> & 'quotes'", "label": "a label", "product_type": 1, "qty": "1.23456789",
        "subprice": "9.87654321", "tva_tx": "19.6", "vat_src_code": "XY", "remise_percent": "12.3456",
        "date_start": DAY + 3600, "date_end": "2026-11-22T00:00:00Z", "info_bits": 2, "special_code": 4, "rang": 7,
        "fk_unit": 2, "pa_ht": "5", "fk_fournprice": 8,
    }  # fmt: skip
    # The values are stored rounded
    stored = sent | {
        "qty": "1.23457000", "subprice": "9.87654000", "tva_tx": "19.6000", "remise_percent": "12.3460",
        "date_end": DAY + 86400, "pa_ht": "5.00000000", "multicurrency_subprice": "9.87654000",
    }  # fmt: skip
    record = desk.made(sent)
    for line in (record["lines"][0], admin.get(desk.path(record["id"], "lines"))[0]):
        assert {name: line[name] for name in stored} == stored
        assert totals(line) == ("10.69", "2.09", "12.78")
    assert totals(record) == ("10.69", "2.09", "12.78")
    first, second = (admin.ask("POST", desk.path(record["id"], "lines"), each) for each in (sent, sent | {"rang": 0}))
    lines = {line["id"]: line for line in desk.read(record["id"])["lines"]}
    assert {name: lines[first][name] for name in stored} == stored
    assert {name: lines[second][name] for name in stored} == stored | {"rang": 9}
    # 9.87654 × (1 − 12.346 %) = 8.6571824; 3.6571824 over a cost of 5: 73.14365 % of it, 42.24449 % of the price
    assert (lines[first]["marge_tx"], lines[first]["marque_tx"]) == ("73.1436", "42.2445")


def test_found_by_reference_and_by_another_systems_reference(desk, admin):
    first, second = (desk.make(ref_ext=f"{desk.kind.path}-shop 12-7") for _ in range(2))
    assert admin.get(desk.path("ref", f"(PROV{second})"))["id"] == second
    assert "got 2" in admin.refused("GET", desk.path("ref_ext", f"{desk.kind.path}-shop 12-7"), status=409)
    third = desk.make(ref_ext=f"{desk.kind.path}-shop 12-8")
    assert admin.get(desk.path("ref_ext", f"{desk.kind.path}-shop 12-8"))["id"] == third
    found = admin.get(desk.path(), sqlfilters=f"(t.ref:like:'(PROV{first})')")
    assert [record["id"] for record in found] == [first]
    found = admin.get(desk.path(), sqlfilters=f"(t.ref:in:'(PROV{first})','(PROV{second})')", sortorder="DESC")
    assert [record["id"] for record in found] == [second, first]
    assert admin.get(desk.path(), sqlfilters="(t.ref:=:'(PROV0)')") == []
    for path in ("ref/(PROV0)", "ref_ext/nowhere", "999999"):
        admin.refused("GET", desk.path(path), status=404)


def test_a_list_of_documents(desk, admin):
    other = admin.ask("POST", "/thirdparties", {"name": "Another Ltd"})
    first, second = (desk.make({"qty": number, "subprice": 1}, socid=other) for number in (1, 2))
    found = admin.get(desk.path(), thirdparty_ids=f"{other},999999")
    assert [record["id"] for record in found] == [first, second]
    assert [totals(record)[0] for record in found] == ["1.00", "2.00"]
    assert [len(record["lines"]) for record in found] == [1, 1]
    # Filled on single reads alone, as clients of the reference know it
    assert found[0]["linkedObjectsIds"] is None
    assert admin.get(desk.path(), thirdparty_ids=str(other), limit=1, page=1, properties="id,total_ht") == [
        {"id": second, "total_ht": "2.00000000"}
    ]
    admin.refused("GET", desk.path(), status=400, params={"thirdparty_ids": "1;2"})
    assert "is used by" in admin.refused("DELETE", f"/thirdparties/{other}", status=405)
