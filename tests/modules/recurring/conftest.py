"""A customer, and templates of its invoices."""

from itertools import count

import pytest

LINE = {"desc": "Care", "qty": 1, "subprice": "49.90", "tva_tx": 20}

_numbers = count(1)


@pytest.fixture
def make(admin, customer):
    """Makes a template with one line."""

    def make(**fields):
        body = {"title": f"Care {next(_numbers)}", "socid": customer, "lines": [LINE], **fields}
        return admin.ask("POST", "/invoices/templates", body)

    return make
