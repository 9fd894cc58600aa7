"""schemathesis over proposals, orders, products, contacts, users, documents and the login; `fuzzing.py` says how."""

import pytest

from tests.explorer.fuzzing import OFFERS_AND_PEOPLE, Fuzzer, judge

pytestmark = [pytest.mark.slow, pytest.mark.lasting]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    """A server with demonstration data."""
    made = Fuzzer(tmp_path_factory)
    yield made
    made.close()


@pytest.mark.parametrize("service", OFFERS_AND_PEOPLE)
def test_service(fuzzer, service):
    judge(fuzzer, service)
