"""The examples of the module authors' guide run."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import click.testing
import pytest

from core.storage.database import database
from core.testing import Client, Served

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "modules/README.md").read_text()
README = (ROOT / "README.md").read_text()

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    """A module folder with exactly the files that the guide shows."""
    files = [body for kind, body in BLOCK.findall(GUIDE) if kind in ("python", "po", "tsv")]
    assert len(files) > 4
    for body in files:
        head, _, text = body.partition("\n")
        file = tmp_path / "guide" / head.removeprefix("# ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "guide"


@pytest.fixture
def guided(serve: Any, guide: Path) -> Served:
    """A server over that folder."""
    served: Served = serve(modules=str(guide))
    return served


def test_every_call_of_the_guide_answers_as_it_says(guided: Served) -> None:
    clients: dict[str, Client] = {"": guided.client()}
    blocks = [body for kind, body in BLOCK.findall(GUIDE) if kind == "calls"]
    calls = [call.splitlines() for body in blocks for call in body.strip().split("\n\n")]
    assert len(calls) > 15
    for asked, *headers, answered in calls:
        verb, path, *body = asked.split(" ", 2)
        status, _, expected = answered.partition(" ")
        sent = dict(header.split(": ", 1) for header in headers)
        login, service = sent.pop("As", ""), re.split("[/?]", path)[1]
        if login not in clients:
            clients[login] = guided.user(f"{service}.read", f"{service}.write", login=login)
        options = {"headers": sent} if sent else {}
        asking = clients[login]
        answer = asking.ask(verb, path, json.loads(body[0]) if body else None, status=int(status), **options)
        if int(status) == 202:
            # What the process beside the workers does meanwhile
            guided.run_jobs()
        if int(status) < 400 and expected:
            assert answer == json.loads(expected), asked
        elif expected:
            assert answer["error"]["message"] == expected, asked


def test_the_keys_of_the_guide_are_answered(serve: Any, guide: Path) -> None:
    client = serve(modules=str(guide), profile_name="dolibarr16").client()
    number = client.ask("POST", "/loyaltycards", {"number": "47"})
    shown = json.loads(re.findall(r"a card without points is `(.*?)`", GUIDE)[0])
    assert client.get(f"/loyaltycards/{number}") == shown


def test_the_jobs_of_the_guide_run(guided: Served) -> None:
    admin = guided.client()
    for number in ("1", "2"):
        admin.ask("POST", "/loyaltycards", {"number": number})
    # A Monday, 06:00 in UTC
    monday = 1_800_252_000
    guided.run_jobs(monday)
    # The schedule, and a job for each card
    assert guided.run_jobs(monday + 1800) >= 3
    assert [each["points"] for each in admin.get("/loyaltycards")] == [10, 10]


def test_the_migrations_of_the_guide_run(kind: str, serve: Any, guide: Path) -> None:
    models = guide / "loyalty/models.py"
    present, migrations = models.read_text(), guide / "loyalty/migrations"
    migrations.rename(guide / "loyalty/later")
    former = present.replace("number = CharField(max_length=20, unique=True", "code = CharField(max_length=40")
    former = former.replace("points = IntegerField(default=0", "points = ExactField(10, 2, default=0")
    models.write_text(former.replace('"number"', '"code"').replace("import Model", "import ExactField, Model"))
    served = serve(kind=kind, modules=str(guide))
    points = (1234, 74, 75) if kind == "sqlite" else ("12.34", "0.74", "0.75")
    for number, kept in enumerate(points):
        database.execute_sql(f"INSERT INTO loyalty_card (code, points) VALUES ('n{number}', {kept})")
    models.write_text(present)
    (guide / "loyalty/later").rename(migrations)
    served.server.reloader.check()
    cards = served.client().get("/loyaltycards")
    assert [(card["number"], card["points"]) for card in cards] == [("N0", 12), ("N1", 0), ("N2", 1)]


def test_the_test_of_the_guide_passes(guide: Path, tmp_path: Path) -> None:
    tests = runpy.run_path(str(guide / "loyalty/tests/test_reading.py"))
    tests["test_reading_needs_its_right"](tmp_path)


def test_the_test_client_needs_no_pytest() -> None:
    told = "import sys, core.testing; print('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_command_of_the_guide_is_run(guide: Path, guided: Served) -> None:
    from core.__main__ import main
    from core.storage.database import database, ensure_connected

    guided.client().ask("POST", "/loyaltycards", {"number": "C7"})
    ensure_connected()
    database.execute_sql("UPDATE loyalty_card SET points = 7")
    variables = {"COMPTOIR_DATABASE": guided.settings.database, "COMPTOIR_MODULES": str(guide)}
    assert click.testing.CliRunner().invoke(main, ["cards"], env=variables, catch_exceptions=False).stdout == "7\n"
