"""Lines of bank accounts: by hand, by transfers, and what may become of them."""

import pytest

from tests.modules.banks.banks import DAY, line, opened
from tests.modules.commercial.documents.test_at_once import at_once


def balance(admin, account):
    return str(admin.get(f"/bankaccounts/{account}/balance")["balance"])


@pytest.fixture(scope="module")
def account(admin):
    return opened(admin)


def test_a_line_is_kept_as_it_was_sent(admin, account):
    body = {"cheque_number": "7", "cheque_writer": "Acme", "cheque_bank": "Bank", "datev": "2026-11-23", "type": "CHQ"}
    made = line(admin, account, "-12.345678905", **body)
    record = admin.get(f"/bankaccounts/{account}/lines/{made}")
    expected = {
        "fk_account": account, "amount": "-12.34567891", "label": "Rent", "fk_type": "CHQ", "num_chq": "7",
        "emetteur": "Acme", "banque": "Bank", "dateo": DAY, "datev": DAY + 2 * 86400, "rappro": 0, "num_releve": None,
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    found = admin.get(f"/bankaccounts/{account}/lines", sqlfilters="(t.num_chq:=:'7') and (t.amount:<:0)")
    assert [each["id"] for each in found] == [made]
    assert admin.get(f"/bankaccounts/{account}/lines/{made}/links") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", "much"),
        ("amount", None),
        ("type", "NOTHING"),
        ("date", "someday"),
        ("label", "x" * 256),
        ("label", None),
    ],
)
def test_what_does_not_fit(admin, account, field, value):
    body = {"date": "2026-11-21", "type": "VIR", "label": "Rent", "amount": "1"}
    assert field in admin.refused("POST", f"/bankaccounts/{account}/lines", body | {field: value}, status=400)


def test_lines_of_others(admin, account):
    other = opened(admin)
    foreign = line(admin, other)
    path = f"/bankaccounts/{account}/lines/{foreign}"
    for verb, where in (("GET", path), ("PUT", path), ("DELETE", path), ("GET", f"{path}/links")):
        admin.refused(verb, where, {} if verb == "PUT" else None, status=404)


def test_a_line_with_an_unknown_name_is_refused(admin):
    account = opened(admin)
    body = {"date": "2026-11-21", "type": "VIR", "label": "Rent", "amount": "1", "sens": "debit"}
    assert "`sens` is unknown" in admin.refused("POST", f"/bankaccounts/{account}/lines", body, status=400)
    assert balance(admin, account) == "0.00000000"


def test_label_and_days_may_change_until_a_statement_has_the_line(admin, account):
    made = line(admin, account, "5")
    path = f"/bankaccounts/{account}/lines/{made}"
    changed = admin.ask("PUT", path, {"label": "Other", "dateo": "2026-11-20", "amount": "900"})
    assert (changed["label"], changed["dateo"], changed["amount"]) == ("Other", DAY - 86400, "5.00000000")
    assert "num_releve" in admin.refused("PUT", path, {"rappro": 1}, status=400)
    found = admin.ask("PUT", path, {"rappro": 1, "num_releve": "202611"})
    assert (found["rappro"], found["num_releve"]) == (1, "202611")
    assert "reconciled" in admin.refused("PUT", path, {"label": "Third"}, status=405)
    assert "202611" in admin.refused("DELETE", path, status=405)
    back = admin.ask("PUT", path, {"rappro": 0})
    assert (back["rappro"], back["num_releve"]) == (0, None)
    assert admin.ask("DELETE", path)["success"]["code"] == 200
    admin.refused("DELETE", path, status=404)


def test_a_closed_account_takes_no_lines(admin):
    account, other = opened(admin), opened(admin)
    made = line(admin, account)
    admin.ask("PUT", f"/bankaccounts/{account}", {"clos": 1})
    body = {"date": "2026-11-21", "type": "VIR", "label": "Rent", "amount": "1"}
    assert "closed" in admin.refused("POST", f"/bankaccounts/{account}/lines", body, status=405)
    assert "closed" in admin.refused("DELETE", f"/bankaccounts/{account}/lines/{made}", status=405)
    moved = {"bankaccount_from_id": other, "bankaccount_to_id": account, "date": DAY, "description": "x", "amount": 1}
    admin.refused("POST", "/bankaccounts/transfer", moved, status=405)
    assert balance(admin, other) == "0.00000000"
    admin.ask("PUT", f"/bankaccounts/{account}", {"status": 0})
    line(admin, account)


def test_a_transfer_is_two_lines(admin):
    left, right = opened(admin), opened(admin)
    body = {
        "bankaccount_from_id": left, "bankaccount_to_id": right, "date": "2026-11-21", "description": "Cash",
        "amount": "30.25", "cheque_number": "T1",
    }  # fmt: skip
    made = admin.ask("POST", "/bankaccounts/transfer", body)
    one, other = made["bank_id_from"], made["bank_id_to"]
    assert (balance(admin, left), balance(admin, right)) == ("-30.25000000", "30.25000000")
    for account, own, linked in ((left, one, other), (right, other, one)):
        (link,) = admin.get(f"/bankaccounts/{account}/lines/{own}/links")
        assert (link["type"], link["url_id"]) == ("banktransfert", linked)
        record = admin.get(f"/bankaccounts/{account}/lines/{own}")
        assert (record["label"], record["num_chq"], record["dateo"]) == ("Cash", "T1", DAY)
    # Found on one statement: neither goes
    admin.ask("PUT", f"/bankaccounts/{right}/lines/{other}", {"rappro": 1, "num_releve": "1"})
    admin.refused("DELETE", f"/bankaccounts/{left}/lines/{one}", status=405)
    admin.ask("PUT", f"/bankaccounts/{right}/lines/{other}", {"rappro": 0})
    admin.ask("DELETE", f"/bankaccounts/{left}/lines/{one}")
    assert admin.get(f"/bankaccounts/{right}/lines") == []


def test_transfers_that_are_refused(admin):
    left, right, dollars = opened(admin), opened(admin), opened(admin, currency_code="USD")
    body = {"bankaccount_from_id": left, "date": "2026-11-21", "description": "x", "amount": "10"}
    for more, status, field in (
        ({"bankaccount_to_id": left}, 400, "bankaccount_to_id"), ({"bankaccount_to_id": 999999}, 404, "999999"),
        ({"bankaccount_to_id": right, "amount": "0"}, 400, "amount"),
        ({"bankaccount_to_id": right, "amount": "-1"}, 400, "amount"),
        ({"bankaccount_to_id": right, "amount_to": "11"}, 400, "amount_to"),
        ({"bankaccount_to_id": dollars}, 400, "amount_to"), ({}, 400, "bankaccount_to_id"),
        ({"bankaccount_to_id": right, "amountto": "10"}, 400, "amountto"),
    ):  # fmt: skip
        assert field in admin.refused("POST", "/bankaccounts/transfer", body | more, status=status)
    admin.ask("POST", "/bankaccounts/transfer", body | {"bankaccount_to_id": dollars, "amount_to": "11.5"})
    assert [balance(admin, each) for each in (left, right, dollars)] == ["-10.00000000", "0.00000000", "11.50000000"]


def test_many_at_once_lose_nothing(admin):
    """Transfers to and fro wait for each other in one order, and each is whole."""
    left, right = opened(admin), opened(admin)

    def move(number):
        ends = (left, right) if number % 2 else (right, left)
        body = {"date": "2026-11-21", "description": "x", "amount": "1.1"}
        body |= dict(zip(("bankaccount_from_id", "bankaccount_to_id"), ends, strict=True))
        codes = [admin.simulate_post("/bankaccounts/transfer", json=body).status_code for _ in range(3)]
        line(admin, left, "0.01")
        return sum(code == 200 for code in codes)

    assert at_once([lambda number=number: move(number) for number in range(6)]) == [3] * 6
    # As many to as fro; and six cents by hand
    assert (balance(admin, left), balance(admin, right)) == ("0.06000000", "0.00000000")


def test_of_a_closing_and_a_line_one_comes_first(admin):
    account = opened(admin)
    body = {"date": "2026-11-21", "type": "VIR", "label": "Rent", "amount": "1"}

    def write():
        return int(admin.simulate_post(f"/bankaccounts/{account}/lines", json=body).status_code)

    def close():
        return int(admin.simulate_put(f"/bankaccounts/{account}", json={"status": 1}).status_code)

    found = at_once([write, write, close, write])
    assert found[2] == 200
    assert set(found) <= {200, 405}
    assert balance(admin, account) == f"{sum(code == 200 for code in (found[0], found[1], found[3]))}.00000000"


def test_of_two_who_delete_a_transfer_one_does(admin):
    left, right = opened(admin), opened(admin)
    body = {"bankaccount_from_id": left, "bankaccount_to_id": right, "date": DAY, "description": "x", "amount": 1}
    made = admin.ask("POST", "/bankaccounts/transfer", body)
    paths = [f"/bankaccounts/{left}/lines/{made['bank_id_from']}", f"/bankaccounts/{right}/lines/{made['bank_id_to']}"]
    codes = at_once([lambda path=path: admin.simulate_delete(path).status_code for path in paths * 2])
    assert sorted(codes) == [200, 404, 404, 404]
    assert balance(admin, left) == balance(admin, right) == "0.00000000"
