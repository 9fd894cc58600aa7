"""A module's code may raise what isn't an `Exception`: it fails like one, and its thread goes on."""

import logging
import threading

import pytest

from core import transaction
from core.storage.database import execute
from core.testing import serving
from tests.files import write_files

KINDS = '''
import asyncio


class Own(BaseException):
    """As in func_timeout, gevent and pytest."""


def fail(kind):
    if kind == "cancelled":
        raise asyncio.CancelledError
    if kind == "interrupt":
        raise KeyboardInterrupt
    if kind == "generator":
        raise GeneratorExit("closed")
    if kind == "exit":
        raise SystemExit(3)
    if kind == "group":
        raise BaseExceptionGroup("two", [Own("one"), KeyboardInterrupt()])
    if kind == "own":
        raise Own("took too long")
    if kind == "error":
        raise ValueError("ordinary")
'''
MODELS = """
import peewee
from core import Model, Records
from .kinds import fail


class Thing(Model):
    id = peewee.AutoField()
    name = peewee.CharField(unique=True)


class Things(Records[Thing]):
    def prepare(self, values, before):
        if values["name"].startswith("prepare "):
            fail(values["name"].split()[1])

    def complete(self, records):
        for each in records:
            if each["name"].startswith("complete "):
                fail(each["name"].split()[1])


things = Things(Thing, service="things", noun="Thing")
"""
API = """
from core import Crud, ListQuery, transaction
from ..kinds import fail
from ..models import Thing, things


class Things(Crud):
    ":access: protected"
    records = things

    def post_method(self, name: str, kind: str) -> int:
        '''Write, and fail.

        :access: protected
        '''
        with transaction():
            identifier = things.create({"name": name})
            fail(kind)
        return identifier

    def get_lazy(self, kind: str) -> object:
        '''Fail while the response is written.

        :access: protected
        '''
        return {"all": (fail(kind) for _ in "1")}

    def get_rule(self, kind: str) -> int:
        '''Let the rule fail.

        :access: protected
        '''
        from .. import rows
        rows.WANTED.append(kind)
        try:
            return things.count()
        finally:
            rows.WANTED.clear()
"""
EVENTS = """
from .kinds import fail


def before_things_created(record):
    if record["name"].startswith("before "):
        fail(record["name"].split()[1])


def after_things_created(record):
    if record["name"].startswith("after "):
        fail(record["name"].split()[1])


def after_any_created(service, record):
    record["seen"] = True
"""
ROWS = """
from core import Rows
from .kinds import fail
from .models import Thing

WANTED = []


def rule(caller):
    for each in WANTED:
        fail(each)
    return Rows.ALL


RULES = {Thing: rule}
"""
#: kind → the name in messages
NAMES = {
    "cancelled": "CancelledError", "interrupt": "KeyboardInterrupt", "generator": "GeneratorExit", "exit": "SystemExit",
    "group": "BaseExceptionGroup", "own": "Own", "error": "ValueError",
}  # fmt: skip


@pytest.fixture(scope="module")
def things(kind, tmp_path_factory):
    """A server with the module `things`, on each kind of database."""
    folder = tmp_path_factory.mktemp(kind)
    files = {"class/api_things.py": API, "kinds.py": KINDS, "models.py": MODELS, "events.py": EVENTS, "rows.py": ROWS}
    write_files(folder / "modules/things", files)
    with serving(folder, kind, modules=str(folder / "modules")) as served:
        yield served


class Answer:
    """A response to a request of a thread of its own: a Ctrl-C in the main thread would end the test."""

    def __init__(self, served, verb, path, body=None, **headers):
        def ask():
            try:
                client = served.client()
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                self.found = client.simulate_request(verb, path, json=body, headers=named)
            finally:
                served.close()

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        self.status, self.json = self.found.status_code, self.found.json


def names(client):
    return {each["name"] for each in client.get("/things", limit=500)}


@pytest.mark.parametrize("kind_", NAMES)
def test_a_method_fails_and_is_undone(things, kind_, caplog):
    caplog.set_level(logging.ERROR, "comptoir")
    answer = Answer(things, "POST", "/things/method", {"name": f"method {kind_}", "kind": kind_})
    assert answer.status == 500
    raised = answer.json["error"]["raised"]
    assert (raised["file"], raised["line"] > 8) == ("things/kinds.py", True)
    assert ("sys.exit()" if kind_ == "exit" else NAMES[kind_]) in raised["message"]
    assert NAMES[kind_] in caplog.text
    assert f"method {kind_}" not in names(things.client())


@pytest.mark.parametrize("kind_", NAMES)
def test_a_claim_is_released(things, kind_):
    body = {"name": f"once {kind_}", "kind": kind_}
    first, second = (Answer(things, "POST", "/things/method", body, Idempotency_Key=f"key-{kind_}") for _ in "12")
    assert first.status == second.status == 500
    third = Answer(things, "POST", "/things/method", body | {"kind": ""}, Idempotency_Key=f"key-{kind_}")
    assert third.status == 200
    assert f"once {kind_}" in names(things.client())


@pytest.mark.parametrize("place", ["before", "prepare"])
@pytest.mark.parametrize("kind_", NAMES)
def test_what_runs_before_rejects(things, kind_, place):
    assert Answer(things, "POST", "/things", {"name": f"{place} {kind_}"}).status == 500
    assert f"{place} {kind_}" not in names(things.client())


@pytest.mark.parametrize("kind_", NAMES)
def test_what_runs_after_leaves_a_warning(things, kind_):
    answer = Answer(things, "POST", "/things", {"name": f"after {kind_}"})
    assert answer.status == 200
    assert f"after_things_created failed: {NAMES[kind_]}" in answer.found.headers["warning"]
    assert f"after {kind_}" in names(things.client())


@pytest.mark.parametrize("kind_", NAMES)
@pytest.mark.parametrize("place", ["before", "prepare"])
def test_an_entry_of_a_batch_fails_alone_or_with_all(things, kind_, place):
    bodies = [{"name": f"{place}1 {kind_}"}, {"name": f"{place} {kind_}"}, {"name": f"{place}2 {kind_}"}]
    entries = [{"method": "POST", "body": each} for each in bodies]
    answer = Answer(things, "POST", "/things/batch", {"entries": entries, "atomic": True})
    assert answer.status == 500
    assert not names(things.client()) & {each["name"] for each in bodies}
    answer = Answer(things, "POST", "/things/batch", {"entries": entries, "atomic": False})
    assert [each["status"] for each in answer.json["results"]] == [200, 500, 200]
    assert names(things.client()) & {each["name"] for each in bodies} == {bodies[0]["name"], bodies[2]["name"]}


@pytest.mark.parametrize("kind_", NAMES)
def test_rules_and_iterators_fail_the_request(things, kind_):
    for path in ("rule", "lazy"):
        answer = Answer(things, "GET", f"/things/{path}?kind={kind_}")
        assert answer.status == 500
        assert answer.json["error"]["raised"]["file"] == "things/kinds.py"


@pytest.mark.parametrize("kind_", NAMES)
def test_a_stream_that_fails_first_is_a_response(things, kind_):
    with transaction():
        execute("INSERT INTO thing (name) VALUES (?)", [f"complete {kind_}"])
    try:
        answer = Answer(things, "GET", "/things?all=1", Accept="application/x-ndjson")
    finally:
        execute("DELETE FROM thing WHERE name LIKE 'complete %'")
    assert answer.status == 500


def test_a_ctrl_c_in_the_main_thread_ends_a_test(things):
    with pytest.raises(KeyboardInterrupt):
        things.client().simulate_post("/things/method", json={"name": "stopped", "kind": "interrupt"})


@pytest.mark.parametrize("text", ["raise asyncio.CancelledError", "class Own(BaseException): pass\nraise Own"])
def test_a_file_that_raises_one_is_a_failure(serve, folder, write, text):
    write("ends/class/api_ends.py", f"import asyncio\n{text}\n")
    client = serve(modules=str(folder)).client()
    assert client.get("/health/ready")["degraded"] == ["ends"]
    client.get("/ends", status=501)
