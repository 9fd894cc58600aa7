"""The README's unit file: systemd understands it, and what it says fits what Comptoir does."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import main
from core.common.settings import Settings
from tests.needed import program, why_without

ROOT = Path(__file__).parent.parent
(TEXT,) = re.findall(r"^```ini\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
UNIT = configparser.RawConfigParser()
UNIT.optionxform = str  # type: ignore[assignment,method-assign]
UNIT.read_string(TEXT)
SERVICE = UNIT["Service"]


@pytest.mark.skipif(program("systemd-analyze") is None, reason=str(why_without("systemd-analyze")))
def test_systemd_has_nothing_to_say_about_it(tmp_path: Path) -> None:
    program = SERVICE["ExecStart"].split()[0]
    unit = tmp_path / "comptoir.service"

    def said() -> str:
        told = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
        # what it thinks of this machine's own units is not our business
        return "\n".join(line for line in (told.stdout + told.stderr).splitlines() if "comptoir" in line)

    # a program that is there stands for the installed one
    unit.write_text(TEXT.replace(program, sys.executable))
    assert said() == ""
    unit.write_text(TEXT.replace(program, sys.executable).replace("RestartSec", "RestartSecs"))
    assert "RestartSecs" in said(), "it does read it"


def test_it_serves() -> None:
    program, command = SERVICE["ExecStart"].split()
    assert program.endswith("/bin/comptoir")
    assert command in main.commands


def test_it_waits_for_the_database_and_never_gives_up() -> None:
    assert {"network-online.target", "postgresql.service", "mariadb.service"} <= set(UNIT["Unit"]["After"].split())
    assert "network-online.target" in UNIT["Unit"]["Wants"].split()
    assert SERVICE["Restart"] == "always"
    assert UNIT["Unit"]["StartLimitIntervalSec"] == "0"
    assert float(SERVICE["RestartSec"]) > 0


def test_requests_that_have_begun_may_end() -> None:
    """The main process alone is told to end, and has longer than it gives its workers."""
    assert SERVICE["KillMode"] == "mixed"
    assert int(SERVICE["TimeoutStopSec"]) > Settings().timeout


def test_an_upgrade_changes_the_main_process() -> None:
    assert SERVICE["Type"] == "notify"
    assert SERVICE["NotifyAccess"] == "all", "the new one is no child of systemd when it says so"
    assert "-HUP" in SERVICE["ExecReload"]


def test_data_lies_where_it_may_write() -> None:
    assert SERVICE["WorkingDirectory"] == f"/var/lib/{SERVICE['StateDirectory']}"
    assert SERVICE["ProtectSystem"] == "strict"
