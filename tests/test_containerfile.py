"""The Containerfile copies files that exist, installs extras that exist and sets known settings."""

import configparser
import re
from dataclasses import fields
from pathlib import Path

from core.common.settings import Settings, variable_name
from tests.test_wheel import ABOUT, PACKAGES

ROOT = Path(__file__).parent.parent
LINES = (ROOT / "Containerfile").read_text().replace("\\\n", " ").splitlines()


def test_it_copies_the_sources_of_a_wheel():
    copied = [line.split()[1:-1] for line in LINES if line.startswith("COPY ") and "--from" not in line]
    assert {name for names in copied for name in names} == {*PACKAGES, *ABOUT}
    rules = (ROOT / ".dockerignore").read_text().splitlines()
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == {*PACKAGES, *ABOUT}


def test_its_extras_and_settings_exist():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    (extras,) = re.findall(r"/source\[([\w,]+)\]", "\n".join(LINES))
    assert {*extras.split(",")} <= {*setup["options.extras_require"]}
    named = set(re.findall(r"\bCOMPTOIR_[A-Z_]+(?==)", "\n".join(LINES)))
    assert named and named <= {variable_name(each.name) for each in fields(Settings)}
