"""schemathesis over one half of the services; `fuzzing.py` says how."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.explorer.fuzzing import PARTS, Fuzzer, judge


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzer]:
    """A server with demonstration data."""
    made = Fuzzer(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.close()


def test_every_service_is_in_one_part(fuzzer: Fuzzer) -> None:
    tags = [tag["name"] for tag in fuzzer.document["tags"]]
    assert sorted(tags) == sorted(service for part in PARTS for service in part)


@pytest.mark.parametrize("service", PARTS[0])
def test_service(fuzzer: Fuzzer, service: str) -> None:
    judge(fuzzer, service)
