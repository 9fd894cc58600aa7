"""The fuzzing itself: what is found, how short it becomes, and that the targets run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import findings as kept
from tests.fuzz.__main__ import run
from tests.fuzz.engines import drive
from tests.fuzz.findings import Findings, insist
from tests.fuzz.targets import TARGETS


def picky(data: bytes) -> None:
    """Breaks one rule by `bug`, fails in another way by `error`."""
    insist(b"bug" not in data, "there is no bug", data)
    if b"error" in data:
        raise ValueError("wrong")


def test_each_way_of_failing_is_kept_once_with_the_shortest_input() -> None:
    findings = Findings(picky)
    for data in (b"fine", b"a bug in the midst", b"bug bug", b"an error", b"a bug and an error"):
        findings(data)
    findings.shorten()
    assert findings.executions == 5
    assert {place.partition(" in ")[0]: each.data for place, each in findings.found.items()} == {
        "there is no bug": b"bug",
        "ValueError": b"error",
    }


def test_what_takes_too_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LIMIT", 0.05)

    def endless(data: bytes) -> None:
        while data:
            try:
                int(data)
            except Exception:
                pass

    findings = Findings(endless)
    findings(b"x")
    (place,) = findings.found
    assert place.startswith("TooSlow")


def test_the_examples_are_changed_until_something_is_found(tmp_path: Path) -> None:
    findings = Findings(picky)
    drive("hypothesis", findings, [b"nothing is wrong"], [b"bug", b"err", b"or"], 0.5, tmp_path)
    findings.shorten()
    assert b"bug" in {each.data for each in findings.found.values()}
    assert findings.executions > 100


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_runs_and_finds_nothing_at_first_sight(target: str, tmp_path: Path) -> None:
    told = run(target, "hypothesis", 2.0, tmp_path)
    assert told["findings"] == []
    assert told["executions"] > 50
