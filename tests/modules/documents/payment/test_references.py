"""References of payments: check digits that are right, and found when a digit is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.documents.payment.swiss_slip import creditor_reference, qr_reference

#: the rows of the recursive check (modulo 10): what is carried on after the digit with this sum
CARRIED = (0, 9, 4, 6, 8, 2, 7, 1, 3, 5)


def carried(digits):
    carry = 0
    for digit in digits:
        carry = CARRIED[(carry + int(digit)) % 10]
    return carry


def test_the_references_of_the_guidelines_have_their_check_digits():
    # Published with the standards: RF18 5390 0754 7034, and the QR reference of the Swiss guidelines' first example
    assert creditor_reference("539007547034") == "RF18539007547034"
    assert qr_reference("21000000000313", 947143000901) == "210000000003139471430009017"
    # 2: 4; 6: 0; 1: 9; 1: 0; 000: 0; 1: 9; ten 0: 5 2 4 8 3 6 7 1 9 5; 4: 5; 2: 1; so 10 - 1
    assert qr_reference("FA2611-0001", 42) == "00000026110001" + "000000000042" + "9"


@given(st.text("0123456789-AF", max_size=30), st.integers(1, 10**10))
def test_a_qr_reference_has_27_digits_and_tells_of_every_wrong_one(ref, identifier):
    made = qr_reference(ref, identifier)
    assert len(made) == 27 and made.isdigit()
    assert int(made[14:26]) == identifier
    # All 27 digits together leave nothing
    assert (carried(made[:26]) + int(made[26])) % 10 == 0
    wrong = f"{made[:20]}{(int(made[20]) + 1) % 10}{made[21:]}"
    assert (carried(wrong[:26]) + int(wrong[26])) % 10 != 0


@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=1, max_size=21))
def test_a_creditor_reference_leaves_one_when_divided_by_97(ref):
    made = creditor_reference(ref)
    assert made[:2] == "RF" and made[4:] == ref
    turned = made[4:] + made[:4]
    assert int("".join(str(int(each, 36)) for each in turned)) % 97 == 1


@pytest.mark.parametrize("ref", ["", "(/)", "Ä", "A" * 22])
def test_what_makes_no_creditor_reference(ref):
    assert creditor_reference(ref) == ""
