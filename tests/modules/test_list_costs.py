"""A list costs the same number of statements, whatever its service and however many records it has."""

import pytest

from core.testing import cost
from tests.modules.services import SERVICES, prepare

#: the caller, the records, the lines of documents, and what is computed of all of them
MOST_STATEMENTS = 8


@pytest.fixture(scope="module", autouse=True)
def _prepared(admin):
    prepare(admin)


@pytest.mark.parametrize("service", SERVICES, ids=lambda each: each.path)
def test_a_longer_list_costs_no_more_statements(admin, service):
    lines = {name: value for name, value in service.filled.items() if name == "lines"}
    for _ in range(9):
        admin.ask("POST", f"/{service.path}", service.body(**lines))
    # What is kept in memory, such as the countries, is read once
    admin.get(f"/{service.path}", limit=9)
    few, many = (cost(lambda limit=limit: admin.get(f"/{service.path}", limit=limit)) for limit in (2, 9))
    assert few == many <= MOST_STATEMENTS
