"""A customer, drafts and validated invoices."""

import pytest

from tests.modules.invoices.invoices import DAY, LINE, act


@pytest.fixture
def make(admin, customer):
    def make(*lines, **fields):
        body = {"socid": customer, "date": DAY, "lines": list(lines), **fields}
        return admin.ask("POST", "/invoices", body)

    return make


@pytest.fixture
def validated(admin, make):
    def validated(*lines, **fields):
        identifier = make(*(lines or (LINE,)), **fields)
        act(admin, identifier, "validate")
        return identifier

    return validated
