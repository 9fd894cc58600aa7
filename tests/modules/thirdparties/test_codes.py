"""Customer and supplier codes, as SOCIETE_CODECLIENT_ADDON chooses."""

import pytest

from core import BadRequest, Refused, transaction
from core.common.clock import as_if
from core.storage.database import ensure_connected
from modules.numbering.models import Counter
from modules.setup.constants import set_constant, unset_constant
from modules.thirdparties.codes import ADDON, check_code, next_code, release_code

MASKS = {"customer": "COMPANY_ELEPHANT_MASK_CUSTOMER", "supplier": "COMPANY_ELEPHANT_MASK_SUPPLIER"}


@pytest.fixture(autouse=True)
def constants(server):
    ensure_connected()
    Counter.delete().execute()
    # 2026-11-21, midnight UTC
    with as_if(1795219200):
        yield
    for name in (ADDON, *MASKS.values()):
        unset_constant(name)


def take(kind, existing):
    with transaction():
        code = next_code(kind, lambda: existing)
    existing.append(code)
    return code


def elephant(customer="", supplier=""):
    set_constant(ADDON, "mod_codeclient_elephant")
    for kind, mask in (("customer", customer), ("supplier", supplier)):
        if mask:
            set_constant(MASKS[kind], mask)


def test_monkey_is_the_default():
    customers, suppliers = ["CU2001-00041", "FREE-TEXT-CODE"], ["SU2611-99999"]
    assert take("customer", customers) == "CU2611-00042"
    assert take("customer", customers) == "CU2611-00043"
    assert take("supplier", suppliers) == "SU2611-100000"
    assert take("supplier", suppliers) == "SU2611-100001"


def test_a_chosen_code_counts_in_the_transaction_that_stores_it():
    codes = []
    assert take("customer", codes) == "CU2611-00001"
    check_code("customer", "cu2611-00070")
    assert take("customer", codes) == "CU2611-00002"
    with transaction():
        codes.append(check_code("customer", "cu2611-00090"))
    assert take("customer", codes) == "CU2611-00091"


def test_leopard_is_free_text():
    set_constant(ADDON, "mod_codeclient_leopard")
    assert take("customer", []) == ""
    assert check_code("customer", " my code ") == " my code "
    assert check_code("supplier", "") == ""
    with transaction():
        release_code("customer", "anything")


def test_elephant_follows_its_masks():
    elephant("cli{0000}", "{yy}{mm}{000@99}")
    codes = []
    assert [take("customer", codes), take("customer", codes)] == ["CLI0001", "CLI0002"]
    Counter.update(value=1).execute()
    codes.append("CLI0003")
    assert take("customer", codes) == "CLI0004"
    del codes[2:]
    Counter.delete().execute()
    assert take("customer", codes) == "CLI0003"
    with transaction():
        release_code("customer", codes.pop())
    assert take("customer", codes) == "CLI0003"
    assert take("supplier", []) == "2611001"
    assert check_code("customer", "abcdefg") == "ABCDEFG"
    with pytest.raises(BadRequest, match=r"expected a customer code with the length of the mask cli\{0000\}"):
        check_code("customer", "abcdefgh")
    with pytest.raises(BadRequest, match="a customer code is required"):
        check_code("customer", "")
    with pytest.raises(BadRequest, match="a supplier code is required"):
        check_code("supplier", " ")


def test_elephant_is_refused_while_its_masks_are_unusable():
    elephant()
    for kind, constant in MASKS.items():
        with pytest.raises(Refused, match=f"the constant {constant} has no numbering mask"):
            take(kind, [])
        with pytest.raises(Refused, match="has no numbering mask"):
            check_code(kind, "ABCDEFGH")
    elephant("A/{000}", "A{000}")
    with pytest.raises(Refused, match="ErrorBadMask"):
        take("customer", [])
    with pytest.raises(Refused, match="COMPANY_ELEPHANT_MASK_CUSTOMER: ErrorBadMask"):
        check_code("customer", "ABCDEFGH")
    with pytest.raises(Refused, match="ErrorMaxNumberReachForThisMask"):
        take("supplier", ["A999"])
