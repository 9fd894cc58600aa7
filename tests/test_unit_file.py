"""The units of `core/RUNNING.md`: systemd understands them, and they fit what Comptoir does."""

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
PAGE = (ROOT / "core/RUNNING.md").read_text()
#: file → its text, as the page shows it
UNITS = dict(re.findall(r"^[^\n]*`/etc/systemd/system/([\w.-]+)`.*?^```ini\n(.*?)^```$", PAGE, re.M | re.S))
PROGRAM = "/opt/comptoir/current/bin/comptoir"


def parsed(name: str) -> configparser.RawConfigParser:
    """Return a unit of the page."""
    unit = configparser.RawConfigParser()
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(UNITS[name])
    return unit


UNIT, BACKUP = parsed("comptoir.service"), parsed("comptoir-backup.service")
SERVICE = UNIT["Service"]

needs_systemd = pytest.mark.skipif(program("systemd-analyze") is None, reason=str(why_without("systemd-analyze")))


def analyzed(*arguments: object) -> str:
    """Return what systemd-analyze prints."""
    command = ["systemd-analyze", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@needs_systemd
def test_systemd_has_nothing_to_say_about_them(tmp_path: Path) -> None:
    assert set(UNITS) == {"comptoir.service", "comptoir-backup.service", "comptoir-backup.timer"}

    def said() -> str:
        told = analyzed("verify", *(tmp_path / name for name in UNITS))
        # What it thinks of this machine's own units doesn't matter here
        return "\n".join(line for line in told.splitlines() if "comptoir" in line)

    # A program that exists takes the place of the installed one
    for name, text in UNITS.items():
        (tmp_path / name).write_text(text.replace(PROGRAM, sys.executable))
    assert said() == ""
    unit = tmp_path / "comptoir.service"
    unit.write_text(unit.read_text().replace("RestartSec", "RestartSecs"))
    assert "RestartSecs" in said(), "it does read it"


@needs_systemd
def test_systemd_finds_the_service_confined(tmp_path: Path) -> None:
    (tmp_path / "comptoir.service").write_text(UNITS["comptoir.service"])
    (level,) = re.findall(
        r"Overall exposure level for comptoir.service: ([\d.]+)",
        analyzed("security", "--offline=true", tmp_path / "comptoir.service"),
    )
    assert float(level) < 3


def test_the_backup_unit_backs_up_and_then_removes_old_ones() -> None:
    service = BACKUP["Service"]
    assert f"{PROGRAM} backup " in service["ExecStart"]
    assert service["ExecStartPost"].startswith("/usr/bin/find . ")
    assert service["WorkingDirectory"] in service["ReadWritePaths"]
    assert (service["User"], service["EnvironmentFile"]) == (SERVICE["User"], SERVICE["EnvironmentFile"])


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
