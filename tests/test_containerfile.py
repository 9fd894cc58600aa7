"""The Containerfile, read: what it copies is there, what it runs exists, what it sets is a setting."""

from __future__ import annotations

import configparser
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from core.__main__ import main
from core.common.settings import Settings, variable_name
from tests.test_wheel import ABOUT, PACKAGES

ROOT = Path(__file__).parent.parent
LINES = (ROOT / "Containerfile").read_text().replace("\\\n", " ").splitlines()
#: instruction → what follows it, line by line
STEPS: dict[str, list[str]] = {}
for line in LINES:
    if line and not line.startswith("#"):
        STEPS.setdefault(line.split()[0], []).append(line.partition(" ")[2].strip())

SET = dict(each.split("=", 1) for each in STEPS["ENV"][0].split())


def copied() -> set[str]:
    """What is taken from the tree."""
    return {name for line in STEPS["COPY"] if not line.startswith("--from") for name in line.split()[:-1]}


def test_it_copies_what_a_wheel_is_made_of_and_nothing_else() -> None:
    assert copied() == {*PACKAGES, *ABOUT}
    assert all((ROOT / name).exists() for name in copied())


def test_what_it_copies_is_not_kept_from_it() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied()


def test_it_installs_extras_that_exist() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    (extras,) = re.findall(r"/source\[([\w,]+)\]", " ".join(STEPS["RUN"]))
    assert set(extras.split(",")) == {"postgresql", "mysql", "s3"} <= set(setup["options.extras_require"])


def test_its_python_is_one_that_is_taken() -> None:
    versions = re.findall(r"python:3\.(\d+)-slim", " ".join(STEPS["FROM"]))
    assert len(versions) == len(STEPS["FROM"]) == 2
    assert all(int(version) >= 11 for version in versions)
    assert len(set(versions)) == 1


def test_it_runs_a_command_that_exists() -> None:
    program, *arguments = json.loads(STEPS["CMD"][-1])
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["options.entry_points"]["console_scripts"].split()[0] == program
    assert arguments[0] in main.commands


def test_it_sets_settings_and_keeps_data_in_its_volume() -> None:
    own = {name: value for name, value in SET.items() if name.startswith("COMPTOIR_")}
    assert set(own) <= {variable_name(each.name) for each in fields(Settings)}
    settings = Settings.from_environment(own)
    assert settings.bind.startswith("0.0.0.0:"), "reached from outside of the container"
    (volume,) = STEPS["VOLUME"]
    assert settings.database == f"sqlite:///{volume}/comptoir.db"
    assert settings.documents.startswith(f"{volume}/")
    # served from a folder that is there, and no store of files lies in it
    assert f"{settings.module_folders[1]}" in STEPS["RUN"][1].split("install -d")[1].split()
    assert STEPS["EXPOSE"] == [settings.bind.split(":")[1]]


def test_nobody_serves_as_root() -> None:
    order = [line.split()[0] for line in LINES if line and not line.startswith((" ", "#"))]
    assert STEPS["USER"] == ["comptoir"]
    assert order.index("USER") < order.index("CMD")
    assert "RUN" not in order[order.index("USER") :]


def test_its_health_is_asked_for_where_it_is_answered(serve: Any) -> None:
    (asked,) = STEPS["HEALTHCHECK"]
    address, path = re.findall(r"http://([\d.:]+)(/[\w/]+)", asked)[0]
    assert address == f"127.0.0.1:{STEPS['EXPOSE'][0]}"
    serve().client(None).get(path)
