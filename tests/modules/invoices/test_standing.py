"""What has become of an invoice, on its PDF: paid, when and by what; abandoned; nothing that asks for money then."""

from datetime import date

import pytest

from modules.invoices.discount_words import Source, named_discount
from tests.modules.documents.native_texts import native_language
from tests.modules.invoices.invoices import act
from tests.modules.invoices.printed import kept, printed

LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}
#: 2026-11-03 and 2026-11-17, noon UTC
THIRD, SEVENTEENTH = 1793707200, 1794916800
ASKS = ("Due date", "Payment terms", "Payment method", "IBAN")


@pytest.fixture(autouse=True)
def bank(constant):
    constant("MAIN_BANK_IBAN", "FR7630006000011234567890189")


@pytest.fixture
def billed(admin, make):
    """A validated invoice of 120.00 with terms and a mode of payment."""

    def billed(**fields):
        identifier = make(LINE, cond_reglement_id=2, mode_reglement_id=2, **fields)
        act(admin, identifier, "validate")
        return identifier

    return billed


def pay(admin, identifier, amount, day):
    body = {"arrayofamounts": {str(identifier): amount}, "datepaye": day, "paymentid": 2, "closepaidinvoices": "yes"}
    admin.ask("POST", "/invoices/paymentsdistributed", body)


def test_a_paid_invoice_says_so_and_when(admin, billed):
    identifier = billed()
    text = printed(admin, identifier)
    assert all(word in text for word in ASKS)
    assert "PAID" not in text and "Paid on" not in text
    pay(admin, identifier, "20", THIRD)
    text = printed(admin, identifier)
    assert "Paid on Nov 3, 2026: €20.00 (Bank transfer)" in text
    assert "Remaining to pay €100.00" in text
    assert all(word in text for word in ASKS)
    assert "PAID" not in text
    pay(admin, identifier, "100", SEVENTEENTH)
    # Printed anew when its state changes, and by nobody's order
    text = kept(admin, identifier)
    assert "PAID" in text
    assert "Paid on Nov 3, 2026: €20.00" in text and "Paid on Nov 17, 2026: €100.00" in text
    assert not any(word in text for word in ASKS)


def test_one_that_is_owed_again_asks_again(admin, billed):
    identifier = billed()
    act(admin, identifier, "settopaid")
    assert "PAID" in kept(admin, identifier)
    act(admin, identifier, "settounpaid")
    text = kept(admin, identifier)
    assert "PAID" not in text
    assert all(word in text for word in ASKS)


def test_a_payment_is_printed(admin, billed):
    identifier = billed()
    pay(admin, identifier, "20", THIRD)
    assert "Paid on Nov 3, 2026: €20.00" in kept(admin, identifier)


def test_what_settles_it_besides_money(admin, billed, make):
    deposit = make({**LINE, "subprice": "50"}, type=3, date="2026-11-03")
    act(admin, deposit, "validate")
    pay(admin, deposit, "60", THIRD)
    act(admin, deposit, "markAsCreditAvailable")
    credit = make({**LINE, "subprice": "10"}, type=2, date="2026-11-05")
    act(admin, credit, "validate")
    act(admin, credit, "markAsCreditAvailable")
    identifier = billed()
    refs = [admin.get(f"/invoices/{each}")["ref"] for each in (deposit, credit)]
    for each in (deposit, credit):
        act(admin, identifier, f"usecreditnote/{admin.get(f'/invoices/{each}/discount')['id']}")
    pay(admin, identifier, "48", SEVENTEENTH)
    text = printed(admin, identifier, "de_DE")
    assert "BEZAHLT" in text
    assert f"Anzahlung {refs[0]} vom 03.11.2026: 60,00 €" in text
    assert f"Rechnungskorrektur {refs[1]} vom 05.11.2026: 12,00 €" in text
    assert "Bezahlt am 17.11.2026: 48,00 €" in text
    text = printed(admin, credit)
    assert "SETTLED" in text
    assert "PAID" not in text


def test_a_credit_note_asks_for_nothing(admin, billed):
    text = printed(admin, billed(type=2))
    assert "Credit note" in text
    assert not any(word in text for word in ASKS)


def test_an_abandoned_one_and_what_replaces_it(admin, billed, make, customer):
    identifier = billed()
    admin.ask("POST", f"/invoices/{identifier}/settopaid", {"close_code": "badcustomer"})
    text = kept(admin, identifier)
    assert "ABANDONED" in text
    assert not any(word in text for word in ASKS)
    replaced = billed()
    new = make(LINE, type=1, fk_facture_source=replaced, date="2026-11-24")
    ref = act(admin, new, "validate")["ref"]
    text = printed(admin, replaced)
    assert f"Replaced by {ref} of Nov 24, 2026" in text
    # Nobody has lost anything: the other one is to be paid instead
    assert "REPLACED" in text and "ABANDONED" not in text


def test_one_that_was_closed_with_a_rest_asks_for_it_no_more(admin, billed):
    identifier = billed()
    pay(admin, identifier, "20", THIRD)
    admin.ask("POST", f"/invoices/{identifier}/settopaid", {"close_code": "discount_vat"})
    text = printed(admin, identifier)
    assert "CLOSED" in text and "Already paid €20.00" in text
    assert "PAID" not in text and "Remaining to pay" not in text


def test_lines_that_take_a_discount_away_are_told_in_words(admin, make):
    deposit = make({**LINE, "subprice": "50"}, type=3, date="2026-11-03")
    act(admin, deposit, "validate")
    pay(admin, deposit, "60", THIRD)
    act(admin, deposit, "markAsCreditAvailable")
    ref = admin.get(f"/invoices/{deposit}")["ref"]
    identifier = make(LINE)
    act(admin, identifier, f"usediscount/{admin.get(f'/invoices/{deposit}/discount')['id']}")
    for language, said in (
        ("en_US", f"Deposit {ref} of Nov 3, 2026"), ("fr_FR", f"Acompte {ref} du 3 nov. 2026"),
        ("de_DE", f"Anzahlung {ref} vom 03.11.2026"), ("pl_PL", f"Zaliczka {ref} z dnia 3 lis 2026"),
    ):  # fmt: skip
        text = printed(admin, identifier, language)
        assert said in text
        assert "(DEPOSIT)" not in text
    assert admin.get(f"/invoices/{identifier}")["lines"][1]["desc"] == "(DEPOSIT)"


@pytest.mark.parametrize(
    ("stored", "source", "said"),
    [
        ("(CREDIT_NOTE)", Source("AV2611-0001", date(2026, 11, 3)), "Credit note AV2611-0001 of Nov 3, 2026"),
        ("(EXCESS RECEIVED)", Source("FA2611-0009", date(2026, 11, 3)), "Excess payment FA2611-0009 of Nov 3, 2026"),
        ("(EXCESS PAID)", None, "Excess payment"),
        ("(DEPOSIT) half of it", None, "Deposit half of it"),
        ("", Source("", date(2026, 11, 3)), "Discount Nov 3, 2026"),
        # What somebody wrote stays what it is
        ("Loyalty", Source("FA2611-0009", date(2026, 11, 3)), "Loyalty"),
        ("(DEPOSITS)", None, "(DEPOSITS)"),
    ],
)
def test_what_a_mark_says(stored, source, said):
    assert named_discount(stored, source, native_language("en_US")) == said
