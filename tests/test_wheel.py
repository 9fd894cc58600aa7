"""The wheel: what is in it, and that it serves outside of any checkout."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from tests.serving.running import own_port

ROOT = Path(__file__).parent.parent
PACKAGES = ("core", "explorer", "modules")
#: what a wheel is made of besides
ABOUT = ("setup.cfg", "pyproject.toml", "README.md", "LICENSE")
#: seconds after which a server that does not answer is a failure
PATIENCE = 60.0

# Builds, installs and starts
pytestmark = [pytest.mark.slow, pytest.mark.lasting]


def run(*command, folder, **variables):
    """Run a command in a folder; answers what it printed."""
    told = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def environment(**variables):
    """The environment of somebody who has no checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMPTOIR_", "PYTHON"))}
    return {**kept, **variables}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Made from a copy of the tree: what setuptools leaves beside it would be in the next wheel, too."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / "tree" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ABOUT:
        shutil.copy(ROOT / name, folder / "tree" / name)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "--wheel-dir", folder / "made", folder / "tree", folder=folder)
    (made,) = (folder / "made").iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The programs of an environment with the wheel, which sees the libraries of this one."""
    home = tmp_path_factory.mktemp("installed") / "env"
    run(sys.executable, "-m", "venv", "--without-pip", home, folder=home.parent)
    run(sys.executable, "-m", "pip", "--python", home / "bin/python", "install", "--quiet", "--no-deps", wheel,
        folder=home.parent)  # fmt: skip
    (packages,) = home.glob("lib/*/site-packages")
    # Behind its own, and no links of an editable installation are followed
    (packages / "libraries.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return home / "bin"


@pytest.fixture
def empty(tmp_path):
    """A folder in which nothing is."""
    return tmp_path


def test_it_holds_every_file_that_serving_needs_and_no_test(wheel):
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
    tree = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and "pictures" not in file.parts
    }
    assert {name.split("/")[0] for name in names} == set(PACKAGES)
    assert names == tree


def test_it_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as opened:
        about = {name.split(".dist-info/")[1]: opened.read(name).decode() for name in opened.namelist()
                 if ".dist-info/" in name}  # fmt: skip
    said = Parser().parsestr(about["METADATA"])
    assert said["Name"] == "comptoir"
    assert said["License"] == "MIT"
    assert said["Requires-Python"] == ">=3.11"
    assert {"postgresql", "mysql", "s3"} <= set(said.get_all("Provides-Extra", []))
    assert about["licenses/LICENSE"] == (ROOT / "LICENSE").read_text()
    assert said.get_payload().strip() == (ROOT / "README.md").read_text().strip()


def test_it_serves_from_an_empty_folder(installed, empty):
    port = own_port()
    key = "a-key-for-the-wheel-0123456789"
    with (empty / "output").open("w") as output:
        server = subprocess.Popen(
            [installed / "comptoir", "serve"],
            cwd=empty,
            env=environment(COMPTOIR_BIND=f"127.0.0.1:{port}", COMPTOIR_ADMIN_KEY=key, COMPTOIR_WORKERS="1"),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:

        def ask(path, key=""):
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    url = f"http://127.0.0.1:{port}/{path}"
                    asked = urllib.request.Request(url, headers={"DOLAPIKEY": key} if key else {})
                    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                        return answer.read()
                except (ConnectionError, urllib.error.URLError):
                    assert server.poll() is None and time.monotonic() < end, (empty / "output").read_text()
                    time.sleep(0.1)

        assert b'"code":200' in ask("status", key)
        assert b"script" in ask("explorer/")
        # a class file, a file of data, the explorer's description and a page of its guide
        for path, expected in (
            ("thirdparties", b"[]"),
            ("setup/dictionary/countries?sqlfilters=(t.code:=:'FR')", b"France"),
            ("explorer/openapi/proposals.json", b"openapi"),
            ("explorer/guide/walk", b"# From quote"),
            # as it was installed
            ("setup/checkintegrity?target=local", b'"resultcode":"ok"'),
        ):
            assert expected in ask(path, key), path
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE) == 0
    assert (empty / "data/comptoir.db").is_file(), "data lies in the current folder"


def test_its_commands_work_in_an_empty_folder(installed, empty):
    packages = next(installed.parent.glob("lib/*/site-packages"))
    before = sorted(packages.rglob("*.py"))
    checked = run(installed / "comptoir", "check", folder=empty)
    assert re.search(r"^\d+ loaded, 0 failed, 0 skipped$", checked, re.M), checked
    routes = run(installed / "comptoir", "routes", folder=empty)
    assert re.search(r"^POST +/proposals/\{id\}/validate ", routes, re.M)
    made = run(installed / "comptoir", "new", "loyalty", "cards", "--now", folder=empty)
    assert "written  modules/loyalty/class/api_loyaltycards.py" in made
    own = {"COMPTOIR_MODULES": str(empty / "modules")}
    routes = run(installed / "python", "-m", "core", "routes", folder=empty, **own)
    assert re.search(r"^GET +/loyaltycards ", routes, re.M)
    assert sorted(packages.rglob("*.py")) == before, "nothing is written into the installation"


@pytest.mark.lasting
def test_its_demonstration_data_is_made(installed, empty):
    run(installed / "comptoir", "demo", folder=empty)
    # Jobs print the documents, once a server runs, or this command
    with (empty / "output").open("w") as output:
        command = [installed / "comptoir", "jobs", "run"]
        jobs = subprocess.Popen(command, cwd=empty, env=environment(), stdout=output, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + PATIENCE
        while not list((empty / "data/documents").rglob("*.pdf")):
            assert jobs.poll() is None and time.monotonic() < end, (empty / "output").read_text()
            time.sleep(0.1)
    finally:
        jobs.send_signal(signal.SIGINT)
        assert jobs.wait(PATIENCE) == 0
