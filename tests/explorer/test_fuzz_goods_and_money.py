"""schemathesis over categories, bank accounts, warehouses, stock movements, shipments and dictionaries; `fuzzing.py` says how."""

import pytest

from tests.explorer.fuzzing import GOODS_AND_MONEY, Fuzzer, judge

pytestmark = [pytest.mark.slow, pytest.mark.lasting]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    """A server with demonstration data."""
    made = Fuzzer(tmp_path_factory)
    yield made
    made.close()


@pytest.mark.parametrize("service", GOODS_AND_MONEY)
def test_service(fuzzer, service):
    judge(fuzzer, service)
