"""schemathesis over invoices, third parties and the setup; `fuzzing.py` says how."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.explorer.fuzzing import GOODS_AND_MONEY, INVOICES_AND_SETUP, OFFERS_AND_PEOPLE, Fuzzer, judge

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzer]:
    """A server with demonstration data."""
    made = Fuzzer(tmp_path_factory)
    yield made
    made.close()


def test_every_service_is_in_one_file(fuzzer: Fuzzer) -> None:
    tags = [tag["name"] for tag in fuzzer.document["tags"]]
    assert sorted(tags) == sorted(INVOICES_AND_SETUP + OFFERS_AND_PEOPLE + GOODS_AND_MONEY)


@pytest.mark.parametrize("service", INVOICES_AND_SETUP)
def test_service(fuzzer: Fuzzer, service: str) -> None:
    judge(fuzzer, service)
