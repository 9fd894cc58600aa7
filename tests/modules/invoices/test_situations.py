"""Situation invoices: what of a work is done, on each line and of the whole, by the invoices of its series."""

import importlib
from decimal import Decimal

import pytest

from tests.modules.documents.pdf_text import text_of, without_spaces

#: 10 × 123.45 − 10 % = 1111.05 and 1 × 5000 when all is done
WALLS = {"desc": "Walls", "qty": 10, "subprice": "123.45", "remise_percent": 10, "tva_tx": 20}
ROOF = {"desc": "Roof", "qty": 1, "subprice": "5000", "tva_tx": 20}


def situation(admin, socid, place, walls, roof, **more):
    """A validated situation invoice; its lines continue those that are given."""
    before = more.pop("before", None)
    lines = [WALLS | {"situation_percent": walls}, ROOF | {"situation_percent": roof}]
    if before:
        # The order says nothing: a line names the one before it
        lines = [line | {"fk_prev_id": int(old["id"])} for line, old in zip(lines, before["lines"], strict=True)][::-1]
    title = {"desc": "Lot 1", "product_type": 9, "special_code": 0, "qty": 0, "subprice": "0", "tva_tx": 0}
    body = {"type": 5, "situation_cycle_ref": 7, "situation_counter": place, "lines": [title, *lines], **more}
    identifier = admin.ask("POST", "/invoices", {"socid": socid, "date": "2026-11-21", **body})
    admin.ask("POST", f"/invoices/{identifier}/validate", {})
    found = admin.get(f"/invoices/{identifier}")
    return found | {"lines": [line for line in found["lines"] if int(line["product_type"]) != 9]}


def printed(record, name="sponge"):
    """The printing of an invoice in English, and its PDF."""
    module = importlib.import_module(f"modules.invoices.doctemplates.pdf_{name}")
    template = getattr(module, name.title())
    whole = importlib.import_module("modules.invoices.invoices").invoices.read(int(record["id"]))
    printing = template(whole, "en_US")
    return printing, printing.document()


@pytest.fixture
def socid(admin):
    admin.ask("PUT", "/setup/company", {"name": "Builder", "country_code": "FR", "currency_code": "EUR"})
    return int(admin.ask("POST", "/thirdparties", {"name": "Owner", "client": 1}))


def test_situation_2_of_3_says_what_is_done_before_now_and_in_all(admin, socid):
    first = situation(admin, socid, 1, "30", "10")
    second = situation(
        admin, socid, 2, "25.5", "40", before=first, retained_warranty="5", retained_warranty_date_limit="2027-11-21"
    )
    situation(admin, socid, 3, "44.5", "50", before=second, situation_final=1)
    # Neither another customer's series nor another series of this one counts
    situation(admin, socid, 1, "99", "99", situation_cycle_ref=8)
    situation(admin, int(admin.ask("POST", "/thirdparties", {"name": "Other", "client": 1})), 1, "99", "99")

    template, document = printed(second)
    cells = {line.text.partition("\n")[0]: line.more for line in document.lines if line.kind == "line"}
    # 1111.05 × 30 % = 333.315 → 333.32; × 25.5 % = 283.31775 → 283.32
    assert cells["Walls"] == {"contract": "1,111.05", "before": "333.32", "done": "616.64", "remaining": "494.41"}
    assert cells["Roof"] == {"contract": "5,000.00", "before": "500.00", "done": "2,500.00", "remaining": "2,500.00"}
    assert [line.total for line in document.lines if line.kind == "line"] == ["2,000.00", "283.32"]
    # now: 2283.32, with 20 % VAT 2739.98 (each line rounded: 2400.00 + 339.98), of which 5 % are 136.999
    assert Decimal(second["total_ttc"]) == Decimal("2739.98")
    # done: 3116.64 of 6111.05 are 51.0001… %
    assert document.parts == [
        ("Contract total", "€6,111.05"),
        ("Done before", "€833.32"),
        ("Done now", "€2,283.32"),
        ("Total done (51%)", "€3,116.64"),
        ("Remaining", "€2,994.41"),
        ("Retained warranty (5%)", "€137.00"),
    ]
    assert {("Situation no.", "2"), ("Retained until", "Nov 21, 2027")} <= set(document.facts)

    # 2739.98 − 137.00: what is retained is not asked for yet
    assert document.payment is not None
    asked = "To pay: €2,602.98 by Nov 21, 2026 (retained warranty of €137.00 deducted)"
    assert document.payment.sentence == asked

    text = without_spaces(text_of(template.render(document)))
    for amount in ("Contracttotal", "Donenow", "333.32", "616.64", "€6,111.05", "€2,994.41", "€137.00"):
        assert amount in text


def test_a_credit_note_takes_back_what_was_done_and_lines_find_each_other_by_their_texts(admin, socid):
    first = situation(admin, socid, 1, "30", "10")
    credit = {"type": 2, "fk_facture_source": int(first["id"]), "lines": [ROOF | {"situation_percent": "4"}]}
    identifier = admin.ask("POST", "/invoices", {"socid": socid, "date": "2026-11-21", **credit})
    admin.ask("POST", f"/invoices/{identifier}/validate", {})
    assert Decimal(admin.get(f"/invoices/{identifier}")["total_ht"]) == -200

    _, document = printed(situation(admin, socid, 2, "0", "20"), "crabe")
    # 500 − 200 before, 1000 now
    assert document.lines[-1].more == {
        "contract": "5,000.00",
        "before": "300.00",
        "done": "1,300.00",
        "remaining": "3,700.00",
    }
    assert dict(document.parts)["Done before"] == "€633.32"
    assert "Retained warranty" not in str(document.parts)


def test_other_invoices_say_nothing_of_that(admin, socid):
    identifier = admin.ask("POST", "/invoices", {"socid": socid, "date": "2026-11-21", "lines": [WALLS]})
    _, document = printed({"id": identifier})
    assert not document.parts and not document.lines[0].more


def test_the_contract_of_an_agreed_price(admin, socid):
    """10,000 × 1.00 including 5.5 % VAT: 9478.67; 10,000 × 0.94787 would be 9478.70. Half of it: 5000 / 1.055."""
    screws = {"desc": "Screws", "qty": 10000, "subprice": "1", "price_base_type": "TTC", "tva_tx": "5.5"}
    body = {"type": 5, "socid": socid, "date": "2026-11-21", "lines": [screws | {"situation_percent": 50}]}
    identifier = admin.ask("POST", "/invoices", body)
    _, document = printed({"id": identifier})
    (line,) = document.lines
    assert (line.more["contract"], line.more["done"], line.more["remaining"]) == ("9,478.67", "4,739.34", "4,739.33")
