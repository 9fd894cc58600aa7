"""Invoices that come from something else: replacements, and invoices of orders."""

from core.common.clock import as_if
from tests.modules.invoices.invoices import CODE, DAY, DAYS, LINE, act, pay, read

# Replacement ----------------------------------------------------------------------------------------------------------


def test_a_replacement_abandons_what_it_replaces(admin, make, validated):
    source = validated()
    identifier = make(LINE, type=1, fk_facture_source=source)
    assert read(admin, source)["statut"] == 1
    assert act(admin, identifier, "validate")["statut"] == 1
    record = read(admin, source)
    assert (record["statut"], record["close_code"], record["paye"]) == (3, "replaced", 0)
    assert record["date_closing"]
    # Two invoices for one thing are one too many
    assert "replaced" in admin.refused("POST", f"/invoices/{source}/settounpaid", status=405)
    act(admin, identifier, "settodraft")
    assert act(admin, identifier, "validate")["statut"] == 1
    act(admin, identifier, "settodraft")
    assert act(admin, source, "settounpaid")["statut"] == 1


def test_what_cannot_be_replaced(admin, make, validated):
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    part, paid, gone = validated(), validated(), validated()
    pay(admin, part, "1")
    act(admin, paid, "settopaid")
    act(admin, gone, "settopaid", CODE)
    sources = {
        None: "fk_facture_source", make(LINE): "must be validated and unpaid", part: "has payments", paid: "unpaid", gone: "unpaid",
        validated(socid=other): "third party", validated(type=3): "standard", validated(type=2): "standard",
    }  # fmt: skip
    for source, reason in sources.items():
        identifier = make(LINE, type=1, fk_facture_source=source)
        before = read(admin, source) if source else None
        assert reason in admin.refused("POST", f"/invoices/{identifier}/validate", status=405)
        assert read(admin, identifier)["statut"] == 0
        assert (read(admin, source) if source else None) == before


# From an order --------------------------------------------------------------------------------------------------------


def test_an_invoice_of_an_order(admin, customer, extrafield):
    for element in ("commande", "facture", "commandedet", "facturedet"):
        extrafield(element, "site")
    extrafield("commande", "inside")
    carrier = admin.ask("POST", "/contacts", {"lastname": "Carrier", "socid": customer})
    body = {
        "socid": customer, "date": "2026-01-05", "ref_client": "CUST-REF", "fk_project": 7, "fk_account": 3,
        "cond_reglement_id": 2, "mode_reglement_id": 2, "note_public": "new public", "note_private": "private note",
        "module_source": "takepos", "pos_source": "1", "array_options": {"options_site": "Lyon", "options_inside": "x"},
        "lines": [
            {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10,
             "array_options": {"options_site": "hall"}},
            {"desc": "product line", "qty": 2, "subprice": 100, "tva_tx": "5.5"},
            {"desc": "order line", "qty": 2, "subprice": "12.5", "tva_tx": 20},
        ],
    }  # fmt: skip
    order = admin.ask("POST", "/orders", body)
    for role in ("BILLING", "CUSTOMER", "SHIPPING"):
        admin.ask("POST", f"/orders/{order}/contact/{carrier}/{role}")
    with as_if(DAY + 2 * DAYS + 3600):
        record = admin.ask("POST", f"/invoices/createfromorder/{order}", {})
    assert (record["origin"], record["origin_id"], record["type"], record["statut"]) == ("commande", order, 0, 0)
    assert record["ref"] == f"(PROV{record['id']})"
    copied = [name for name in body if name not in ("date", "lines", "array_options")]
    assert {name: record[name] for name in copied} == {name: body[name] for name in copied}
    assert record["array_options"] == {"options_site": "Lyon"}
    assert [line["array_options"].get("options_site") for line in record["lines"]] == ["hall", None, None]
    # As release 16 answered
    assert (record["total_ht"], record["total_tva"], record["total_ttc"]) == (
        "278.97000000", "26.80000000", "305.77000000",
    )  # fmt: skip
    assert [(line["desc"], line["total_ttc"], line["situation_percent"]) for line in record["lines"]] == [
        ("free line", "64.77000000", "100.00000000"), ("product line", "211.00000000", "100.00000000"),
        ("order line", "30.00000000", "100.00000000"),
    ]  # fmt: skip
    assert (record["date"], record["date_lim_reglement"]) == (DAY + 2 * DAYS, DAY + 32 * DAYS)
    assert list(record["linkedObjectsIds"]["commande"].values()) == [order]
    roles = {row["code"] for row in admin.get(f"/invoices/{record['id']}/contacts")}
    assert roles == {"BILLING", "SHIPPING"}
    after = admin.get(f"/orders/{order}")
    assert (after["billed"], after["statut"]) == (0, 0)
