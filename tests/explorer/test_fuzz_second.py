"""schemathesis over the other half of the services; `fuzzing.py` says how."""

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


@pytest.mark.parametrize("service", PARTS[1])
def test_service(fuzzer: Fuzzer, service: str) -> None:
    judge(fuzzer, service)
