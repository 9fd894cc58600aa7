"""Each fuzz target accepts its own proper inputs, so that a change of an interface is found before the nightly."""

from importlib import import_module
from pathlib import Path

import pytest

TARGETS = sorted(each.stem for each in (Path(__file__).parent / "targets").glob("[a-z]*.py"))


@pytest.mark.parametrize("name", TARGETS)
def test_proper_inputs_are_no_findings(name, tmp_path):
    target = import_module(f"tests.fuzz.targets.{name}").Target(tmp_path)
    try:
        for data in (b"", *target.seeds):
            target(data)
    finally:
        target.close()
