"""Payments of invoices: what they settle, their references, and what may become of them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.storage.database import close, database, ensure_connected

#: 2026-11-21 01:53:20
MOMENT = 1795226000
TERMS = {"datepaye": MOMENT, "paymentid": 2, "closepaidinvoices": "no"}
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}
TABLES = ("llx_paiement", "llx_paiement_facture", "llx_facture", "comptoir_counter")


@pytest.fixture
def make(admin, customer):
    """An invoice of 120.00, validated unless `state` is 0."""

    def make(*lines, state=1, **fields):
        body = {"socid": customer, "date": "2026-11-21", "lines": list(lines or (LINE,)), **fields}
        identifier = admin.ask("POST", "/invoices", body)
        if state:
            admin.ask("POST", f"/invoices/{identifier}/validate")
        if state == 2:
            admin.ask("POST", f"/invoices/{identifier}/settopaid")
        if state == 3:
            admin.ask("POST", f"/invoices/{identifier}/settopaid", {"close_code": "abandon"})
        return identifier

    return make


def read(admin, identifier):
    return admin.get(f"/invoices/{identifier}")


def money(admin, identifier):
    record = read(admin, identifier)
    left = record["remaintopay"]
    assert len(left.partition(".")[2]) == 8
    return record["totalpaid"], left.rstrip("0").rstrip("."), record["statut"], record["paye"]


def pay(admin, identifier, *, status=200, **more):
    return admin.ask("POST", f"/invoices/{identifier}/payments", TERMS | more, status=status)


def distribute(admin, amounts, *, status=200, **more):
    if isinstance(amounts, dict):
        amounts = {str(key): value for key, value in amounts.items()}
    body = TERMS | {"arrayofamounts": amounts} | more
    return admin.ask("POST", "/invoices/paymentsdistributed", body, status=status)


def payments(admin, identifier):
    return admin.get(f"/invoices/{identifier}/payments")


def contents():
    ensure_connected()
    names = [name for name in TABLES if database.table_exists(name)]
    assert len(names) >= 3
    return [sorted(map(repr, database.execute_sql(f"SELECT * FROM {name}").fetchall())) for name in names]


@pytest.mark.parametrize("closes", ["yes", "no"])
def test_a_full_payment_closes_where_it_is_asked_to(admin, make, closes):
    first, second = make(), make()
    pay(admin, first, closepaidinvoices=closes)
    distribute(admin, {second: "119.99"}, closepaidinvoices=closes)
    assert money(admin, first) == ("120.00000000", "0", *((2, 1) if closes == "yes" else (1, 0)))
    assert money(admin, second) == ("119.99000000", "0.01", 1, 0)
    assert (read(admin, first)["date_closing"] is not None) == (closes == "yes")
    distribute(admin, {second: {"amount": "remain"}}, closepaidinvoices=closes)
    assert money(admin, second)[1:] == ("0", *((2, 1) if closes == "yes" else (1, 0)))


def test_one_payment_of_several_invoices(admin, make):
    ids = [make() for _ in range(4)]
    amounts = {
        ids[0]: {"amount": "10", "multicurrency_amount": ""}, ids[1]: {"amount": "remain", "multicurrency_amount": ""},
        ids[2]: "20.5", ids[3]: 7,
    }  # fmt: skip
    distribute(admin, amounts, ref_ext="BANK-1", closepaidinvoices="yes")
    assert [money(admin, each)[1:3] for each in ids] == [("110", 1), ("0", 2), ("99.5", 1), ("113", 1)]
    rows = [payments(admin, each) for each in ids]
    assert len({row[0]["ref"] for row in rows}) == 1
    assert {row[0]["ref_ext"] for row in rows} == {"BANK-1"}
    ensure_connected()
    newest = "SELECT MAX(rowid) FROM llx_paiement"
    sql = f"SELECT COUNT(*) FROM llx_paiement_facture WHERE fk_paiement = ({newest})"
    assert database.execute_sql(sql).fetchone()[0] == 4


def test_all_or_nothing(admin, make):
    good, small, draft = make(), make(), make(state=0)
    before = contents()
    for amounts, status in (
        ({good: "10", small: "120.01"}, 400), ({good: "10", draft: "10"}, 405), ({good: "10", 999999: "1"}, 404),
        ({good: "10", small: "-1"}, 400),
    ):  # fmt: skip
        distribute(admin, amounts, status=status)
    assert contents() == before


@pytest.mark.parametrize("state", [0, 2, 3])
def test_only_validated_invoices_are_paid(admin, make, state):
    identifier = make(state=state)
    before = contents()
    name = {0: "draft", 2: "paid", 3: "abandoned"}[state]
    assert name in pay(admin, identifier, status=405)["error"]["message"]
    assert name in distribute(admin, {identifier: "1"}, status=405)["error"]["message"]
    assert contents() == before


@pytest.mark.parametrize(
    "amount",
    ["0", 0, "-5", -5, "abc", "", None, "2,5", "0.004", "NaN", "Infinity", True, [], "1e30", "remaining",
     {}, {"amount": ""}, {"amount": "1", "multicurrency_amount": "1"}, {"amount": "-1"}, {"amount": {}}],
    ids=str,
)  # fmt: skip
def test_amounts_that_do_not_fit(admin, make, amount):
    identifier = make()
    before = contents()
    error = distribute(admin, {identifier: amount}, status=400, accepthigherpayment=True)["error"]
    assert str(identifier) in error["message"]
    # null is no amount, so all that remains would be paid
    if amount is not None:
        error = pay(admin, identifier, status=400, amount=amount, accepthigherpayment=True)["error"]
        assert [each["field"] for each in error["errors"]] == ["amount"]
    assert contents() == before


def test_an_amount_pays_that_much_of_an_invoice(admin, make):
    identifier = make()
    # 120 - 50 - 20.25 - 0.01
    for amount, left in (("50", "70"), (20.25, "49.75"), ("0.01", "49.74")):
        pay(admin, identifier, amount=amount, closepaidinvoices="yes")
        assert money(admin, identifier)[1:] == (left, 1, 0)
    error = pay(admin, identifier, status=400, amount="49.75")["error"]
    assert error["reason"] == "too_much"
    limit = "expected an amount up to the unpaid remainder of 49.74, got 49.75"
    assert error["message"].endswith(f"{limit}; to book an overpayment, send `accepthigherpayment`")
    pay(admin, identifier, amount="49.74", closepaidinvoices="yes")
    assert money(admin, identifier) == ("120.00000000", "0", 2, 1)
    rows = [row["amount"] for row in payments(admin, identifier)]
    assert rows == ["50.00000000", "20.25000000", "0.01000000", "49.74000000"]
    pay(admin, identifier, status=405, amount="1")


@pytest.mark.parametrize("sent", [{}, {"amount": "remain"}, {"amount": None}], ids=str)
def test_without_an_amount_all_that_remains_is_paid(admin, make, sent):
    identifier = make()
    pay(admin, identifier, amount=100)
    pay(admin, identifier, **sent)
    assert [row["amount"] for row in payments(admin, identifier)] == ["100.00000000", "20.00000000"]


def test_a_payment_sent_again_is_made_once(admin, make):
    identifier = make()
    options = {"headers": {"Idempotency-Key": f"part-of-{identifier}"}}
    body = TERMS | {"amount": "30"}
    first, again = (admin.ask("POST", f"/invoices/{identifier}/payments", body, **options) for _ in range(2))
    assert (first, money(admin, identifier)[1]) == (again, "90")
    admin.ask("POST", f"/invoices/{identifier}/payments", TERMS | {"amount": "31"}, status=422, **options)
    assert money(admin, identifier)[1] == "90"


@pytest.mark.parametrize("name", ["amout", "multicurrency_amount", "arrayofamounts", "remise", "Amount"])
def test_a_payment_with_an_unknown_name_is_refused(admin, make, name):
    identifier = make()
    distribute(admin, {identifier: 1})
    before = contents()
    error = pay(admin, identifier, status=400, **{name: "50"})["error"]
    assert (error["errors"][0]["field"], error["reason"]) == (name, "unknown_field")
    admin.refused("POST", f"/invoices/{identifier}/payments", TERMS, status=400, params={name: "50"})
    if name != "arrayofamounts":
        distribute(admin, {identifier: "50"}, status=400, **{name: "50"})
    assert contents() == before


def test_an_amount_with_an_unknown_name_is_refused(admin, make):
    first, second = make(), make()
    before = contents()
    amounts = {first: {"amount": "5", "amout": "7"}, second: {"multicurrencyamount": "5"}}
    error = distribute(admin, amounts, status=400)["error"]
    assert error["reason"] == "unknown_field"
    assert [(each["field"], each["message"]) for each in error["errors"]] == [
        (f"arrayofamounts.{first}", "unknown field 'amout'; known names: amount, multicurrency_amount"),
        (f"arrayofamounts.{second}", "unknown field 'multicurrencyamount'; known names: amount, multicurrency_amount"),
    ]
    assert contents() == before


def test_an_action_that_moves_money_refuses_an_unknown_name(admin, make):
    paid, credit, draft = make(), make(type=2), make(state=0)
    payment = pay(admin, make(), num_payment="P1")
    before = contents()
    for verb, path, body in (
        ("PUT", f"payments/{payment}", {"number": "P2"}),
        ("POST", f"{credit}/markAsCreditAvailable", {"amount": "10"}),
    ):  # fmt: skip
        assert "unknown" in admin.refused(verb, f"/invoices/{path}", body, status=400)
    assert contents() == before
    admin.ask("POST", f"/invoices/{credit}/markAsCreditAvailable")
    discount = admin.get(f"/invoices/{credit}/discount")["id"]
    for path in (f"{paid}/usecreditnote/{discount}", f"{draft}/usediscount/{discount}"):
        assert "unknown" in admin.refused("POST", f"/invoices/{path}", {"amount": "10"}, status=400)
    assert (money(admin, paid)[1], len(read(admin, draft)["lines"])) == ("120", 1)


@pytest.mark.parametrize("amounts", [{}, [], "", "x", None, {"x": "1"}, {"0": "1"}, {"-1": "1"}, {"1.5": "1"}], ids=str)
def test_invoices_that_are_not_named(admin, amounts):
    distribute(admin, amounts, status=400)


def test_all_wrong_amounts_are_named(admin, make):
    first, second = make(), make()
    error = distribute(admin, {first: "x", second: "-1"}, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == [f"arrayofamounts.{first}", f"arrayofamounts.{second}"]


def test_amounts_have_the_decimals_of_totals(admin, make):
    identifier = make()
    distribute(admin, {identifier: "10.005"})
    assert money(admin, identifier)[:2] == ("10.01000000", "109.99")
    pay(admin, identifier, amount="9.994")
    assert money(admin, identifier)[:2] == ("20.00000000", "100")
    answer = admin.simulate_post(f"/invoices/{identifier}/payments", json=TERMS | {"amount": "9.995"})
    assert "`amount`: 9.995 is rounded to 10.00" in answer.headers["Warning"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("datepaye", "tomorrow"), ("datepaye", "2026-02-30"), ("datepaye", 0), ("datepaye", ""), ("datepaye", None),
        ("datepaye", 10**15), ("paymentid", 0), ("paymentid", 12345), ("paymentid", "NONE"), ("paymentid", None),
        ("closepaidinvoices", "maybe"), ("closepaidinvoices", ""), ("accountid", 0), ("accountid", "x"),
        ("num_payment", "x" * 51), ("chqbank", "x" * 256), ("comment", ["x"]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(admin, make, field, value):
    identifier = make()
    before = contents()
    assert field in pay(admin, identifier, status=400, **{field: value})["error"]["message"]
    assert field in distribute(admin, {identifier: "1"}, status=400, **{field: value})["error"]["message"]
    assert contents() == before


def test_a_cheque_names_who_drew_it(admin, make):
    identifier = make()
    for sent in ({}, {"chqemetteur": ""}):
        message = pay(admin, identifier, status=400, paymentid=7, **sent)["error"]["message"]
        assert message == "Bad Request: `chqemetteur` is required because the payment method is CHQ"
    distribute(admin, {identifier: 1}, paymentid=7, chqemetteur="Acme", chqbank="Bank")
    pay(admin, identifier, paymentid=7, chqemetteur="Acme", chqbank="Bank")
    assert [row["type"] for row in payments(admin, identifier)] == ["CHQ", "CHQ"]
    ensure_connected()
    kept = database.execute_sql("SELECT emetteur, banque FROM llx_paiement ORDER BY rowid DESC LIMIT 1").fetchone()
    assert tuple(kept) == ("Acme", "Bank")


def test_more_than_what_remains(admin, make):
    identifier = make()
    distribute(admin, {identifier: "120.01"}, status=400, accepthigherpayment=False)
    distribute(admin, {identifier: "150"}, accepthigherpayment=True, closepaidinvoices="yes")
    assert money(admin, identifier) == ("150.00000000", "-30", 2, 1)
    paid_at_once = make()
    pay(admin, paid_at_once, amount="150", accepthigherpayment=True, closepaidinvoices="yes")
    assert money(admin, paid_at_once) == ("150.00000000", "-30", 2, 1)
    another = make()
    distribute(admin, {another: "150"}, accepthigherpayment=True)
    # What came in too much is not paid back by paying what remains
    assert "has nothing left to pay" in pay(admin, another, status=400)["error"]["message"]


def test_a_credit_note_is_paid_back(admin, make):
    identifier = make(type=2)
    assert money(admin, identifier)[1:] == ("-120", 1, 0)
    distribute(admin, {identifier: "20"})
    assert money(admin, identifier)[:2] == ("-20.00000000", "-100")
    distribute(admin, {identifier: "100.01"}, status=400)
    pay(admin, identifier, status=400, amount="100.01")
    pay(admin, identifier, status=400, amount="-30")
    pay(admin, identifier, amount="30", closepaidinvoices="yes")
    assert money(admin, identifier) == ("-50.00000000", "-70", 1, 0)
    pay(admin, identifier, closepaidinvoices="yes")
    assert money(admin, identifier) == ("-120.00000000", "0", 2, 1)
    assert [row["amount"] for row in payments(admin, identifier)] == ["-20.00000000", "-30.00000000", "-70.00000000"]


def test_an_invoice_and_its_credit_note_at_once(admin, make):
    invoice, credit = make(), make({"qty": 1, "subprice": 50, "tva_tx": 20}, type=2)
    distribute(admin, {invoice: "remain", credit: "remain"}, closepaidinvoices="yes")
    assert (money(admin, invoice)[2], money(admin, credit)[2]) == (2, 2)
    ensure_connected()
    assert database.execute_sql("SELECT COUNT(*) FROM llx_paiement").fetchone()[0] >= 1
    # Nothing has moved where both come to the same
    error = distribute(admin, {make(): "remain", make(type=2): "remain"}, status=400)["error"]
    assert "expected a payment with a total other than 0" in error["message"]


def test_nothing_to_pay(admin, make):
    identifier = make({"qty": 1, "subprice": 0})
    assert "has nothing left to pay" in pay(admin, identifier, status=400)["error"]["message"]


def test_references_of_payments(admin, make):
    def ref(moment):
        identifier = make()
        pay(admin, identifier, datepaye=moment)
        return str(payments(admin, identifier)[0]["ref"])

    # PAY{yy}{mm}-{0000} by the day of the payment, never reset
    first = ref(MOMENT)
    number = int(first[-4:])
    # 2025-01-15
    assert [first[:8], ref(1736899200), ref(MOMENT)] == [
        "PAY2611-", f"PAY2501-{number + 1:04d}", f"PAY2611-{number + 2:04d}",
    ]  # fmt: skip
    # A payment that is refused takes no number
    distribute(admin, {make(): "999"}, status=400)
    assert ref(MOMENT) == f"PAY2611-{number + 3:04d}"


def test_a_payment_that_is_not_there(admin, server, make):
    body = {"num_payment": "x"}
    own, other = (admin.ask("POST", "/thirdparties", {"name": name}) for name in ("Own Ltd", "Other Ltd"))
    mine, foreign = make(socid=own), make(socid=other)
    alone, both = distribute(admin, {mine: 1}), distribute(admin, {mine: 1, foreign: 1})
    external = server.user("invoices.read", "invoices.pay", socid=own)
    external.ask("PUT", f"/invoices/payments/{alone}", body)
    external.refused("PUT", f"/invoices/payments/{both}", body, status=404)
    external.refused("PUT", f"/invoices/payments/{pay(admin, foreign)}", body, status=404)


def test_many_pay_at_once(server, admin, make):
    first, second = make(), make()
    clients = [server.client() for _ in range(8)]

    def one(number):
        try:
            # In either order: whoever waits, waits for the same invoice first
            ids = (first, second) if number % 2 else (second, first)
            body = TERMS | {"arrayofamounts": {str(each): "60" for each in ids}}
            return clients[number].simulate_post("/invoices/paymentsdistributed", json=body).status_code
        finally:
            close()

    with ThreadPoolExecutor(8) as pool:
        found = sorted(pool.map(one, range(8)))
    assert found == [200, 200, *[400] * 6]
    assert money(admin, first)[:2] == money(admin, second)[:2] == ("120.00000000", "0")


def test_a_text_body_counts_as_its_numbers(admin, make):
    identifier = make()
    body = {"datepaye": str(MOMENT), "paymentid": "2", "closepaidinvoices": "yes", "accountid": "3"}
    admin.ask("POST", f"/invoices/{identifier}/payments", body)
    assert payments(admin, identifier)[0]["date"] == MOMENT
