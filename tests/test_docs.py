"""The examples of the tutorial for module authors, and of its reference pages, run."""

import json
import re
import runpy
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click.testing
import pytest

from core.common.clock import as_if
from core.storage.database import database
from core.testing import constant

ROOT = Path(__file__).parent.parent
#: in the order in which their calls are made
PAGES = [ROOT / f"modules/{name}.md" for name in ("README", "RECORDS", "EVENTS", "OPERATIONS", "DOCUMENTS")]
GUIDE = "\n".join(page.read_text() for page in PAGES)
#: kinds of blocks that are files of a module
FILES = ("python", "po", "tsv", "json", "toml")

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def guide(tmp_path):
    """A module folder with exactly the files that the guide shows."""
    files = [body for kind, body in BLOCK.findall(GUIDE) if kind in FILES]
    assert len(files) > 20
    for body in files:
        head, _, text = body.partition("\n")
        file = tmp_path / "guide" / head.removeprefix("# ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "guide"


@pytest.fixture
def guided(serve, guide):
    """A server over that folder, in November 2026: references of documents have the month."""
    with as_if(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()):
        yield serve(modules=str(guide))


def test_each_block_is_run():
    kinds = [kind for kind, _ in BLOCK.findall(GUIDE)]
    # The text block shows lines of a docstring, which a file of its own can't hold
    assert {*kinds} - {*FILES, "calls"} == {"text"} and kinds.count("text") == 1
    heads = [body.partition("\n")[0] for kind, body in BLOCK.findall(GUIDE) if kind in FILES]
    assert [head for head in heads if not re.fullmatch(r"# [a-z]+/[\w/]+\.[a-z]+", head)] == []
    assert len({*heads}) == len(heads)


def test_every_call_of_the_guide_answers_as_it_says(guided):
    clients = {"": guided.client()}
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


def test_the_keys_of_the_guide_are_answered(serve, guide):
    client = serve(modules=str(guide), profile_name="dolibarr16").client()
    number = client.ask("POST", "/loyaltycards", {"number": "47"})
    shown = json.loads(re.findall(r"a card without points is `(.*?)`", GUIDE)[0])
    assert client.get(f"/loyaltycards/{number}") == shown


def test_the_jobs_of_the_guide_run(guided):
    admin = guided.client()
    for number in ("1", "2"):
        admin.ask("POST", "/loyaltycards", {"number": number})
    # A Monday, 06:00 in UTC
    monday = 1_800_252_000
    guided.run_jobs(monday)
    with constant(admin, "club.first_points", "20"):
        # The schedule, and a job for each card
        assert guided.run_jobs(monday + 1800) >= 3
    assert [each["points"] for each in admin.get("/loyaltycards")] == [20, 20]


def test_the_migrations_of_the_guide_run(kind, serve, guide):
    models = guide / "loyalty/models.py"
    present, migrations = models.read_text(), guide / "loyalty/migrations"
    migrations.rename(guide / "loyalty/later")
    former = present.replace("number = CharField(max_length=20, unique=True", "code = CharField(max_length=40")
    former = former.replace("points = IntegerField(default=0", "points = ExactField(10, 2, default=0")
    models.write_text(former.replace('"number"', '"code"').replace("import Model", "import ExactField, Model"))
    served = serve(kind=kind, modules=str(guide))
    points = (1234000000, 74000000, 75000000) if kind == "sqlite" else ("12.34", "0.74", "0.75")
    for number, kept in enumerate(points):
        database.execute_sql(f"INSERT INTO loyalty_card (code, points) VALUES ('n{number}', {kept})")
    models.write_text(present)
    (guide / "loyalty/later").rename(migrations)
    served.server.reloader.check()
    cards = served.client().get("/loyaltycards")
    assert [(card["number"], card["points"]) for card in cards] == [("N0", 12), ("N1", 0), ("N2", 1)]


@pytest.mark.parametrize("test", ["test_users_see_their_own_hours", "test_hours_are_imported_and_exported"])
def test_the_tests_of_the_guide_pass(guide, tmp_path, test):
    runpy.run_path(str(guide / "timesheets/tests/test_timesheets.py"))[test](tmp_path)


def test_the_test_client_needs_no_pytest():
    told = "import sys, core.testing; print('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_first_data_and_the_command_of_the_guide(guide, guided):
    from core.__main__ import main

    admin = guided.client()
    assert [each["label"] for each in admin.get("/categories")] == ["Members"]
    assert admin.get("/setup/extrafields/societe/club_level")["label"] == "Club level"
    for number in ("1", "2"):
        admin.ask("POST", "/loyaltycards", {"number": number})
    variables = {"COMPTOIR_DATABASE": guided.settings.database, "COMPTOIR_MODULES": str(guide)}
    told = click.testing.CliRunner().invoke(main, ["cards"], env=variables, catch_exceptions=False)
    assert told.stdout == "2\n"


def test_the_tutorial_has_five_thousand_words_at_most():
    assert len(PAGES[0].read_text().split()) <= 5000


def test_the_explorer_shows_the_examples_and_search_words_of_the_guide(guided):
    admin = guided.client()
    spend = admin.get("/explorer/openapi.json")["paths"]["/loyaltycards/{id}/spend"]["post"]
    assert '{"points": 10}' in json.dumps(spend)
    assert "voucher" in admin.simulate_get("/explorer/index.json").text
