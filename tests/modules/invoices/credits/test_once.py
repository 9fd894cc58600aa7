"""What is given back once, and discounts that are free again: with invoices abandoned, replaced, deleted, set to draft."""

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.invoices.credits.credits import LINE, TERMS, act, distribute, read, refuse
from tests.modules.invoices.credits.office import open_office


@pytest.fixture
def office(server):
    return open_office(server)


def _state(office, discount):
    """Return what uses a discount: nothing, a line or an invoice."""
    rows = office.client.get(f"/thirdparties/{office.customer}/fixedamountdiscounts")
    row = next(row for row in rows if int(row["id"]) == discount)
    return int(row["fk_facture_line"] or 0), int(row["fk_facture"] or 0)


FREE = (0, 0)


def _prepaid(office, subprice=50):
    """Make a paid deposit and return it with its discount."""
    deposit = office.make(LINE | {"desc": "Deposit", "subprice": subprice}, type=3)
    act(office.client, deposit, "payments", TERMS)
    act(office.client, deposit, "markAsCreditAvailable")
    return deposit, int(office.client.get(f"/invoices/{deposit}/discount")["id"])


def _using(office, discount, way):
    """Make a validated invoice of 240.00 that uses a discount."""
    is_line = way == "usediscount"
    invoice = office.make(LINE | {"subprice": 200}, validated=not is_line)
    act(office.client, invoice, f"{way}/{discount}")
    if is_line:
        act(office.client, invoice, "validate")
    return invoice


# Once -----------------------------------------------------------------------------------------------------------------


@pytest.mark.every_database
def test_a_deposit_is_given_back_once(office):
    deposit, discount = _prepaid(office)
    note = office.credit(deposit, LINE | {"desc": "Deposit", "subprice": 50}, validated=False)
    assert "has been converted to a discount" in office.refused(note)
    listed = office.client.get(f"/thirdparties/{office.customer}/getinvoicesqualifiedforcreditnote")
    assert str(deposit) not in listed
    invoice = _using(office, discount, "usecreditnote")
    assert "has been converted to a discount" in office.refused(note)
    # The discount free and withdrawn, the deposit can be credited, and then no longer be a discount
    act(office.client, invoice, "settodraft")
    act(office.client, deposit, "settounpaid")
    act(office.client, note, "validate")
    assert office.refused(deposit, "markAsCreditAvailable")
    assert office.discounts(deposit) == []


def test_a_deposit_that_was_credited_in_part_gives_the_rest(office):
    deposit = office.make(LINE, LINE | {"desc": "Book", "tva_tx": "5.5"}, type=3)
    act(office.client, deposit, "payments", TERMS)
    office.credit(deposit, LINE | {"subprice": 40})
    act(office.client, deposit, "markAsCreditAvailable")
    # 120 − 48 at 20 %, 105.50 at 5.5 %
    assert office.discounts(deposit) == [("20.00", "60.00", "12.00", "72.00"), ("5.50", "100.00", "5.50", "105.50")]


@pytest.mark.every_database
def test_of_a_note_and_a_discount_at_once_one_gives_a_deposit_back(office):
    for _ in range(3):
        deposit = office.make(LINE, type=3)
        act(office.client, deposit, "payments", TERMS)
        note = office.credit(deposit, validated=False)
        paths = f"/invoices/{note}/validate", f"/invoices/{deposit}/markAsCreditAvailable"
        answers = at_once([lambda path=path: office.client.simulate_post(path).status_code for path in paths])
        assert sorted(answers) == [200, 405]


def test_an_overpayment_is_given_back_once(office):
    invoice = office.make(LINE)
    distribute(office.client, {invoice: "150.5"}, accepthigherpayment=True)
    assert office.client.get(f"/invoices/{invoice}")["remaintopay"] == "-30.50000000"
    act(office.client, invoice, "markAsCreditAvailable")
    assert "already" in office.refused(invoice, "markAsCreditAvailable")
    # The invoice itself can be credited, and no more than it
    assert office.total(office.credit(invoice)) == "-120.00"
    assert "credited in full" in office.refused(office.credit(invoice, LINE, validated=False))


def test_a_discount_is_at_most_the_total_of_the_draft(office):
    _, discount = _prepaid(office, 100)
    draft = office.make(LINE | {"subprice": 50}, validated=False)
    assert "is 120, but its total is only 60" in refuse(office.client, draft, f"usediscount/{discount}")
    assert (office.total(draft), _state(office, discount)) == ("60.00", FREE)
    office.client.ask("POST", f"/invoices/{draft}/lines", LINE | {"subprice": 50})
    act(office.client, draft, f"usediscount/{discount}")
    assert office.total(draft) == "0.00"
    # Nor is it more when the draft is validated
    line = read(office.client, draft)["lines"][0]["id"]
    office.client.ask("DELETE", f"/invoices/{draft}/lines/{line}")
    assert "discounts" in office.refused(draft)


# Free again -----------------------------------------------------------------------------------------------------------


@pytest.mark.every_database
@pytest.mark.parametrize("way", ["usediscount", "usecreditnote"])
def test_a_replaced_invoice_frees_its_discount(office, way):
    _, discount = _prepaid(office)
    invoice = _using(office, discount, way)
    used = _state(office, discount)
    replacement = office.make(LINE | {"subprice": 200}, type=1, fk_facture_source=invoice)
    assert (read(office.client, invoice)["statut"], _state(office, discount)) == (3, FREE)
    # The customer owes 180.00
    act(office.client, replacement, f"usecreditnote/{discount}")
    assert read(office.client, replacement)["remaintopay"] == "180.00000000"
    # Reopened: refused while the replacement uses it, then taken again
    act(office.client, replacement, "settodraft")
    assert _state(office, discount) == FREE
    act(office.client, replacement, f"usediscount/{discount}")
    assert "used elsewhere" in office.refused(invoice, "settounpaid")
    office.client.ask("DELETE", f"/invoices/{replacement}")
    assert act(office.client, invoice, "settounpaid")["statut"] == 1
    assert (_state(office, discount), read(office.client, invoice)["remaintopay"]) == (used, "180.00000000")
    if way == "usecreditnote":
        # Taken again once: freed by the draft, it isn't a discount of the abandoned invoice
        for action, code in (("settodraft", None), ("validate", None), ("settopaid", {"close_code": "other"})):
            act(office.client, invoice, action, code)
        act(office.client, invoice, "settounpaid")
        assert _state(office, discount) == FREE


def test_the_copied_line_of_a_replacement_takes_the_discount_over(office):
    _, discount = _prepaid(office)
    invoice = _using(office, discount, "usediscount")
    replacement = office.make(*read(office.client, invoice)["lines"], type=1, fk_facture_source=invoice)
    deducting = read(office.client, replacement)["lines"][1]
    assert (office.total(replacement), deducting["fk_remise_except"]) == ("180.00", discount)
    assert _state(office, discount) == (deducting["id"], 0)


def test_an_abandoned_invoice_frees_its_discount(office):
    _, discount = _prepaid(office)
    invoice = _using(office, discount, "usediscount")
    used = _state(office, discount)
    assert act(office.client, invoice, "settopaid", {"close_code": "badcustomer"})["statut"] == 3
    assert _state(office, discount) == FREE
    act(office.client, invoice, "settounpaid")
    assert _state(office, discount) == used
    act(office.client, invoice, "settopaid", {"close_code": "abandon"})
    other = _using(office, discount, "usecreditnote")
    assert "used elsewhere" in office.refused(invoice, "settounpaid")
    act(office.client, other, "settodraft")
    # Nor is one that was withdrawn taken again
    deposit = int(office.client.get(f"/thirdparties/{office.customer}/fixedamountdiscounts")[0]["fk_facture_source"])
    act(office.client, deposit, "settounpaid")
    assert "withdrawn" in office.refused(invoice, "settounpaid")


def test_an_invoice_that_a_discount_pays_in_part_is_closed_and_keeps_it(office):
    _, discount = _prepaid(office)
    invoice = _using(office, discount, "usecreditnote")
    assert act(office.client, invoice, "settopaid", {"close_code": "badcustomer"})["statut"] == 2
    assert _state(office, discount) == (0, invoice)
    act(office.client, invoice, "settounpaid")
    assert _state(office, discount) == (0, invoice)


@pytest.mark.every_database
def test_a_draft_keeps_the_discount_of_a_line_and_frees_one_that_paid(office):
    _, first = _prepaid(office)
    _, second = _prepaid(office, 10)
    invoice = _using(office, first, "usediscount")
    act(office.client, invoice, f"usecreditnote/{second}")
    used = _state(office, first)
    assert read(office.client, invoice)["remaintopay"] == "168.00000000"
    act(office.client, invoice, "settodraft")
    assert (_state(office, first), _state(office, second)) == (used, FREE)
    act(office.client, invoice, "validate")
    assert read(office.client, invoice)["remaintopay"] == "180.00000000"
    # Money stays
    act(office.client, invoice, f"usecreditnote/{second}")
    distribute(office.client, {invoice: "1"})
    assert "has payments" in office.refused(invoice, "settodraft")
    assert "has payments" in office.client.refused("DELETE", f"/invoices/{invoice}", status=405)
    assert _state(office, second) == (0, invoice)


def test_a_deleted_invoice_frees_its_discounts(office):
    _, first = _prepaid(office)
    _, second = _prepaid(office, 10)
    invoice = _using(office, first, "usediscount")
    act(office.client, invoice, f"usecreditnote/{second}")
    office.client.ask("DELETE", f"/invoices/{invoice}")
    assert (_state(office, first), _state(office, second)) == (FREE, FREE)


def test_an_invoice_that_was_credited_stays(office):
    invoice = office.make(LINE)
    office.credit(invoice, LINE | {"subprice": 10})
    assert office.client.refused("DELETE", f"/invoices/{invoice}", status=405)
    act(office.client, invoice, "settodraft")
    assert office.client.refused("DELETE", f"/invoices/{invoice}", status=405)


# Amounts ----------------------------------------------------------------------------------------------------------------


def test_a_discount_has_no_local_taxes(office, constant):
    constant("MAIN_INFO_SOCIETE_COUNTRY", "4:ES:Spain")
    office.client.ask("PATCH", f"/thirdparties/{office.customer}", {"country_id": 4})
    # A service: 100.00 + 21.00 − 15.00
    line = {"desc": "Advice", "product_type": 1, "qty": 1, "subprice": 100, "tva_tx": 21, "localtax2_tx": -15}
    deposit = office.make(line, type=3)
    act(office.client, deposit, "payments", TERMS)
    act(office.client, deposit, "markAsCreditAvailable")
    assert office.discounts(deposit) == [("21.00", "85.00", "21.00", "106.00")]
    invoice = office.make(line | {"qty": 2}, validated=False)
    act(office.client, invoice, f"usediscount/{office.client.get(f'/invoices/{deposit}/discount')['id']}")
    # 200.00 + 42.00 − 30.00, less 106.00; the totals add up
    record = read(office.client, invoice)
    names = ("total_ht", "total_tva", "total_localtax2", "total_ttc")
    assert [float(record[name]) for name in names] == [115, 21, -30, 106]
    # The credit note of each is its opposite
    act(office.client, invoice, "validate")
    note = read(office.client, office.credit(invoice))
    assert [float(note[name]) for name in names] == [-115, -21, 30, -106]
