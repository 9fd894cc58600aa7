"""A customer and proposals."""

import pytest

from tests.modules.proposals.proposals import DAY


@pytest.fixture
def make(admin, customer):
    def make(*lines, **fields):
        body = {
            "socid": customer,
            "date": DAY,
            "lines": [{"subprice": 0, **each} if each.keys() <= {"qty", "special_code"} else each for each in lines],
            **fields,
        }
        return admin.ask("POST", "/proposals", body)

    return make
