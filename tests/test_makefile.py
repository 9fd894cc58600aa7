"""`make` takes whatever Python is there, from 3.11 on; tried with Pythons that only pretend to be of a version."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: a Python that says it is another version; its environment holds nothing but a note of who made it
_PRETENDER = """#!/bin/sh
case "$1" in
-c) exec {real} -c 'import sys; sys.version_info = {version}; {without}exec(sys.argv[1])' "$2" ;;
-m) mkdir -p "$3/bin" && echo {name} > "$3/bin/python" ;;
esac
"""

Pretend = Callable[..., None]
Make = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A path on which there is no Python."""
    folder = tmp_path / "path"
    folder.mkdir()
    for name in ("make", "rm", "mkdir"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


@pytest.fixture
def pretend(path: Path) -> Pretend:
    """Put a Python there: ``pretend("python3.13", (3, 13, 0))``; ``bare`` when it cannot make environments."""

    def put(name: str, version: tuple[int, int, int], *, bare: bool = False) -> None:
        without = 'sys.modules["ensurepip"] = None; ' if bare else ""
        file = path / name
        file.write_text(_PRETENDER.format(real=sys.executable, version=version, name=name, without=without))
        file.chmod(0o755)

    return put


@pytest.fixture
def make(path: Path, tmp_path: Path) -> Make:
    """Make the environment."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        venv = tmp_path / "venv"
        command = ["make", "-f", str(ROOT / "Makefile"), f"VENV={venv}", f"{venv}/bin/python", *arguments]
        environment = {"PATH": str(path), **variables}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


def made_by(tmp_path: Path) -> str:
    return (tmp_path / "venv/bin/python").read_text().strip()


@pytest.mark.parametrize("version", [(3, 11, 2), (3, 12, 1), (3, 13, 0), (3, 14, 0)])
def test_any_python_from_3_11_on_is_taken(
    make: Make, pretend: Pretend, tmp_path: Path, version: tuple[int, int, int]
) -> None:
    name = f"python3.{version[1]}"
    pretend(name, version)
    told = make()
    assert told.returncode == 0, told.stdout + told.stderr
    assert made_by(tmp_path) == name
    assert f"Python {'.'.join(map(str, version))} ({tmp_path}/path/{name})" in told.stdout


def test_the_newest_is_taken(make: Make, pretend: Pretend, tmp_path: Path) -> None:
    for minor in (11, 13, 12):
        pretend(f"python3.{minor}", (3, minor, 1))
    make()
    assert made_by(tmp_path) == "python3.13"


def test_python3_is_taken_when_it_is_new_enough(make: Make, pretend: Pretend, tmp_path: Path) -> None:
    pretend("python3", (3, 15, 0))
    assert make().returncode == 0
    assert made_by(tmp_path) == "python3"


def test_one_that_is_named_wins(make: Make, pretend: Pretend, tmp_path: Path) -> None:
    pretend("python3.13", (3, 13, 0))
    pretend("mine", (3, 11, 9))
    assert make(f"PYTHON={tmp_path}/path/mine").returncode == 0
    assert made_by(tmp_path) == "mine"


def test_one_that_does_not_start_is_passed_over(make: Make, pretend: Pretend, path: Path, tmp_path: Path) -> None:
    """As the links of a version manager do, which stand for versions that are not chosen."""
    (path / "python3.13").write_text("#!/bin/sh\necho python3.13 is not chosen >&2\nexit 127\n")
    (path / "python3.13").chmod(0o755)
    pretend("python3.11", (3, 11, 2))
    assert make().returncode == 0
    assert made_by(tmp_path) == "python3.11"


def test_one_that_cannot_make_environments_is_passed_over(make: Make, pretend: Pretend, tmp_path: Path) -> None:
    pretend("python3.12", (3, 12, 0), bare=True)
    pretend("python3.11", (3, 11, 2))
    assert make().returncode == 0
    assert made_by(tmp_path) == "python3.11"


def test_what_is_missing_is_said(make: Make, pretend: Pretend, tmp_path: Path) -> None:
    pretend("python3", (3, 10, 13))
    told = make()
    assert told.returncode != 0
    assert "needs Python 3.11 or newer" in told.stdout
    assert "make PYTHON=" in told.stdout
    pretend("python3.11", (3, 11, 2), bare=True)
    told = make()
    assert told.returncode != 0
    assert "apt install python3.11-venv" in told.stdout
    assert not (tmp_path / "venv").exists()
