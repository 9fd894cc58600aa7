"""schemathesis over invoices, third parties and the setup; `fuzzing.py` says how."""

import pytest

from tests.explorer.fuzzing import GOODS_AND_MONEY, INVOICES_AND_SETUP, OFFERS_AND_PEOPLE, Fuzzer, judge

pytestmark = [pytest.mark.slow, pytest.mark.lasting]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    """A server with demonstration data."""
    made = Fuzzer(tmp_path_factory)
    yield made
    made.close()


def test_every_service_is_in_one_file(fuzzer):
    tags = [tag["name"] for tag in fuzzer.document["tags"]]
    assert sorted(tags) == sorted(INVOICES_AND_SETUP + OFFERS_AND_PEOPLE + GOODS_AND_MONEY)


@pytest.mark.parametrize("service", INVOICES_AND_SETUP)
def test_service(fuzzer, service):
    judge(fuzzer, service)
