"""What the codes of payments hold, line by line as the guidelines say."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest

from modules.documents.payment import swiss_slip as slips
from modules.documents.payment.account import Account, check_bic, check_iban, is_iban
from modules.documents.payment.demand import Demand
from modules.documents.payment.swiss_slip import latin
from modules.documents.payment.transfer_code import transfer_code

DEMAND = Demand(42, "FA2611-0001", Decimal("1200"), "EUR")
RED_CROSS = Account("Red Cross of Belgium", "BE72000000001616", "BPOTBEB1")
#: the account and the address of the Swiss guidelines' example
SCHNEIDER = Account("Robert Schneider AG", "CH4431999123000889012")
OWN = {"name": "Schneider", "address": "Rue du Lac 1268", "zip": "2501", "town": "Biel", "country_code": "CH"}


def test_a_transfer_is_told_line_by_line():
    assert transfer_code(DEMAND, RED_CROSS).split("\n") == [
        "BCD", "002", "1", "SCT", "BPOTBEB1", "Red Cross of Belgium", "BE72000000001616", "EUR1200.00", "", "",
        "FA2611-0001",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "amount, told",
    [("0.01", "EUR0.01"), ("999999999.99", "EUR999999999.99"), ("0.005", "EUR0.01"), ("0.004", ""),
     ("999999999.995", ""), ("-1", "")],
)  # fmt: skip
def test_amounts_have_two_decimals_and_limits(amount, told):
    code = transfer_code(replace(DEMAND, amount=Decimal(amount)), RED_CROSS)
    assert (code.split("\n")[7] if code else "") == told


@pytest.mark.parametrize(
    "demand, account",
    [
        (replace(DEMAND, currency="USD"), RED_CROSS),
        # Outside of the Economic Area a BIC must be named; outside of SEPA there is no such transfer
        (DEMAND, Account("X", "CH9300762011623852957")),
        (DEMAND, Account("X", "TR330006100519786457841326", "AAAATRAA")),
        (DEMAND, Account(" \n", "BE72000000001616")),
    ],
)
def test_there_are_transfers_without_a_code(demand, account):
    assert transfer_code(demand, account) == ""


def test_names_have_70_characters_and_one_line():
    code = transfer_code(replace(DEMAND, ref="A\nB"), replace(RED_CROSS, owner="Ä\n" + "x" * 100, bic=""))
    lines = code.split("\n")
    assert lines[4:6] == ["", "Ä " + "x" * 68]
    assert lines[10] == "A B"


@pytest.mark.parametrize(
    "amount, until, left",
    [
        ("100", date(2027, 1, 1), ("95", date(2026, 12, 1), "5")), ("100", None, ("95", date(2026, 12, 1), "5")),
        # Only what was retained remains: it is due by its own day
        ("5", date(2027, 1, 1), ("5", date(2027, 1, 1), "0")), ("3", None, ("3", None, "0")),
        # It is not kept longer than the rest
        ("100", date(2026, 12, 1), ("100", date(2026, 12, 1), "0")),
    ],
)  # fmt: skip
def test_what_is_retained_is_not_asked_for(amount, until, left):
    demand = replace(DEMAND, amount=Decimal(amount), due=date(2026, 12, 1)).without(Decimal(5), until)
    assert (demand.amount, demand.due, demand.retained) == (Decimal(left[0]), left[1], Decimal(left[2]))


def slip(monkeypatch, demand, account, **fields):
    """The slip of a demand to a customer in Switzerland, if there is one."""
    monkeypatch.setattr(slips, "country_code", lambda identifier: identifier)
    customer = SimpleNamespace(
        **{
            "name": "Pia-Maria Rutschmann-Schnyder", "address": "Grosse Marktgasse 28", "zip": "9400",
            "town": "Rorschach", "country_id": "CH", **fields,
        }
    )  # fmt: skip
    return slips.swiss_slip(demand, account, OWN, customer, "de")


def test_a_swiss_slip_is_told_line_by_line(monkeypatch):
    found = slip(monkeypatch, replace(DEMAND, amount=Decimal("1949.75"), currency="CHF"), SCHNEIDER)
    assert found is not None
    assert found.payload.split("\n") == [
        "SPC", "0200", "1", "CH4431999123000889012",
        "S", "Robert Schneider AG", "Rue du Lac", "1268", "2501", "Biel", "CH",
        "", "", "", "", "", "", "",
        "1949.75", "CHF",
        "S", "Pia-Maria Rutschmann-Schnyder", "Grosse Marktgasse", "28", "9400", "Rorschach", "CH",
        "QRR", "000000261100010000000000429", "FA2611-0001", "EPD",
    ]  # fmt: skip


def test_an_ordinary_account_has_a_creditor_reference_or_none(monkeypatch):
    account = replace(SCHNEIDER, iban="CH5204835012345671000")
    found = slip(monkeypatch, replace(DEMAND, ref="539007547034"), account)
    assert found is not None and (found.kind, found.reference) == ("SCOR", "RF18539007547034")
    found = slip(monkeypatch, replace(DEMAND, ref="A" * 22), account)
    assert found is not None and (found.kind, found.reference, found.message) == ("NON", "", "A" * 22)


@pytest.mark.parametrize(
    "address, told",
    [
        ("Hauptstrasse 7a", ("Hauptstrasse", "7a")),
        ("Hauptstrasse 7 b", ("Hauptstrasse", "7 b")),
        ("Im Winkel", ("Im Winkel", "")),
        ("12 rue du Lac", ("12 rue du Lac", "")),
        ("c/o Meier\nHauptstrasse 7\nHinterhaus", ("Hauptstrasse", "7")),
        ("Улица 5", ("5", "")),
        ("", ("", "")),
    ],
)
def test_the_number_of_a_building_is_told_apart(monkeypatch, address, told):
    found = slip(monkeypatch, DEMAND, SCHNEIDER, address=address, zip="CH-9400")
    assert found is not None and found.debtor is not None
    assert (found.debtor.street, found.debtor.building, found.debtor.code) == (*told, "9400")


@pytest.mark.parametrize("code", ["79539", "D-79539", "DE-79539", "de - 79539"])
def test_a_country_before_a_postal_code_is_left_out(monkeypatch, code):
    found = slip(monkeypatch, DEMAND, SCHNEIDER, zip=code)
    assert found is not None and found.debtor is not None
    assert found.debtor.code == "79539"


@pytest.mark.parametrize("missing", ["name", "zip", "town"])
def test_who_is_not_known_completely_is_left_blank(monkeypatch, missing):
    found = slip(monkeypatch, DEMAND, SCHNEIDER, **{missing: ""})
    assert found is not None and found.debtor is None
    assert found.payload.split("\n")[20:27] == [""] * 7


@pytest.mark.parametrize(
    "demand, account",
    [(replace(DEMAND, currency="USD"), SCHNEIDER), (DEMAND, RED_CROSS), (DEMAND, replace(SCHNEIDER, owner="商店"))],
)
def test_there_are_demands_without_a_slip(monkeypatch, demand, account):
    assert slip(monkeypatch, demand, account) is None


def test_the_letters_of_payments_are_latin():
    assert latin("Łódź “Ἀθῆναι” – ﬁn\t商\u0301", 70) == 'Łódź "" - fin'
    assert latin("Ñandú & Cie, Țara", 8) == "Ñandú &"


@pytest.mark.parametrize(
    "iban, sound",
    [
        ("FR7630006000011234567890189", True), ("FR7630006000011234567890188", False),
        # The right check digits, one digit too few for France
        ("FR483000600001123456789018", False), ("XX7630006000011234567890189", False), ("", False), ("FR76", False),
    ],
)  # fmt: skip
def test_an_iban_has_its_length_and_check_digits(iban, sound):
    assert is_iban(iban) is sound


def test_constants_of_the_account_may_have_spaces():
    check_iban("MAIN_BANK_IBAN", " fr76 3000 6000 0112 3456 7890 189")
    check_bic("MAIN_BANK_BIC", "AGRI FR PP XXX")
    with pytest.raises(ValueError, match="expected a BIC of 8 or 11 characters"):
        check_bic("MAIN_BANK_BIC", "AGRIFRP")
