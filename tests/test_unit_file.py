"""systemd accepts the units of `core/RUNNING.md`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needed import program, why_without

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "core/RUNNING.md").read_text()
#: file → its text, as the page shows it
UNITS = dict(re.findall(r"^[^\n]*`/etc/systemd/system/([\w.-]+)`.*?^```ini\n(.*?)^```$", PAGE, re.M | re.S))
PROGRAM = "/opt/comptoir/current/bin/comptoir"


needs_systemd = pytest.mark.skipif(program("systemd-analyze") is None, reason=str(why_without("systemd-analyze")))


def analyzed(*arguments):
    """Return what systemd-analyze prints."""
    command = ["systemd-analyze", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@needs_systemd
def test_systemd_has_nothing_to_say_about_them(tmp_path):
    assert set(UNITS) == {"comptoir.service", "comptoir-backup.service", "comptoir-backup.timer"}

    def said():
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
def test_systemd_finds_the_service_confined(tmp_path):
    (tmp_path / "comptoir.service").write_text(UNITS["comptoir.service"])
    (level,) = re.findall(
        r"Overall exposure level for comptoir.service: ([\d.]+)",
        analyzed("security", "--offline=true", tmp_path / "comptoir.service"),
    )
    assert float(level) < 3
