"""Handlers, operations and rules that would never run are load failures, and what they guard is refused meanwhile."""

from pathlib import Path

import pytest

from core.contract.catalogue import catalogue

pytestmark = pytest.mark.usefixtures("without_natives")

MODELS = """
from peewee import AutoField, CharField
from core import Model, Records, emit

class Box(Model):
    id = AutoField()
    name = CharField(default="")

class Boxes(Records[Box]):
    events = ("sealed", "unsealed")

    def seal(self, identifier):
        self.notify("sealed" if identifier else "unsealed", identifier)

boxes = Boxes(Box, service="boxes", noun="box")
"""
API = """
from core import Api
from ..models import boxes

class Boxes(Api):
    ''':access: public'''
    records = boxes

    def get(self, id: int):
        return boxes.read(id)

    def post(self, request_data: dict):
        return boxes.create(request_data)

    def put(self, id: int, request_data: dict):
        return boxes.change(id, request_data)

    def post_seal(self, id: int):
        boxes.seal(id)
"""
REFUSED = "Method Not Allowed: listener/events.py must approve this change but can't be loaded"


@pytest.fixture
def boxes(served, write):
    write("store/models.py", MODELS)
    write("store/class/api_boxes.py", API)
    served.server.reloader.check()
    assert not failures("store")
    return served


def failures(module):
    return [each for each in catalogue().failures if each.module == module]


def failure(served, write, file, text):
    """The only failure of a file's module, once it has been written."""
    write(file, text)
    served.server.reloader.check()
    (found,) = failures(file.partition("/")[0])
    return found


def create(served, **body):
    return served.client(None).ask("POST", "/boxes", {"name": "box", **body})


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        ("async def before_boxes_created(record): 1 / 0", "before_boxes_created is async; expected a plain function"),
        ("async def before_boxes_created(record): yield", "before_boxes_created is async; expected a plain function"),
        ("def before_boxes_created(record): yield", "before_boxes_created is a generator; expected a plain function"),
        ("def before_boxes_created(): pass", "before_boxes_created takes (); expected (record)"),
        ("def before_boxes_created(a, b): pass", "before_boxes_created takes (a, b); expected (record)"),
        ("def before_any_created(a): pass", "before_any_created takes (a); expected (service, record)"),
        ("before_boxes_created = print", "before_boxes_created isn't defined here; expected a plain function (def)"),
    ],
)
def test_a_handler_that_would_not_run_is_a_failure_and_its_guard_refuses(boxes, write, handler, reason):
    found = failure(boxes, write, "listener/events.py", f"from core.for_natives import after_commit\n\n{handler}\n")
    assert reason in found.reason
    assert found.file.name == "events.py"
    assert found.line == (3 if "def" in handler else None)
    message = boxes.client(None).refused("POST", "/boxes", {"name": "x"}, status=405)
    assert message.startswith(REFUSED)
    write("listener/events.py", "def before_boxes_created(record, more=1): pass\ndef before_any_created(*a): pass\n")
    boxes.server.reloader.check()
    assert not failures("listener")
    assert create(boxes) == 1


def test_a_misspelt_event_is_a_failure_and_every_event_of_the_service_is_refused(boxes, write):
    assert create(boxes) == 1
    client = boxes.client(None)
    found = failure(boxes, write, "listener/events.py", "\n\ndef before_boxes_seald(record):\n    pass\n")
    assert found.reason == "before_boxes_seald: boxes doesn't send the event seald; did you mean sealed?"
    assert found.line == 3
    for verb, path in (("POST", "/boxes"), ("PUT", "/boxes/1"), ("POST", "/boxes/seal/1")):
        assert client.refused(verb, path, {"name": "new"}, status=405).startswith(REFUSED)
    write("listener/events.py", "def before_boxes_sealed(record):\n    pass\n")
    boxes.server.reloader.check()
    assert not failures("listener")
    client.ask("POST", "/boxes/seal/1")
    assert create(boxes) == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("after_boxes_saeled", "after_boxes_saeled: boxes doesn't send the event saeled; did you mean sealed?"),
        ("before_bxoes_created", "before_bxoes_created: unknown service bxoes; did you mean boxes?"),
        ("before_any_craeted", "before_any_craeted: no service sends the event craeted; did you mean created?"),
        ("before_boxes", "before_boxes isn't an event's name; expected before_<service>_<event>"),
    ],
)
def test_a_name_that_no_service_sends_is_a_failure(boxes, write, name, reason):
    found = failure(boxes, write, "listener/events.py", f"def {name}(record, more=None): pass\n")
    assert found.reason.startswith(reason)
    assert found.line == 1
    created = boxes.client(None).simulate_post("/boxes", json={"name": "x"})
    # What runs after the commit guards nothing
    assert created.status_code == (200 if name in ("after_boxes_saeled", "before_boxes") else 405)


def test_events_of_bases_imports_and_of_no_record_are_known(boxes, write):
    write("base/rows.py.txt", "")
    write(
        "base/kinds.py",
        "from core import Records\nclass Kind(Records):\n    events = ('lent',)\n",
    )
    write(
        "crates/models.py",
        "from peewee import AutoField\nfrom core import Model\nfrom ..base.kinds import Kind\n"
        "class Crate(Model):\n    id = AutoField()\nclass Crates(Kind):\n    events = ('stacked',)\n"
        "crates = Crates(Crate, service='crates')\n",
    )
    write(
        "crates/class/api_crates.py",
        "events = ('tipped',)\nclass Crates:\n    ''':access: public'''\n    def index(self): return 1\n",
    )
    names = (
        "before_crates_lent", "before_crates_stacked", "before_crates_tipped", "before_any_lent", "before_boxes_unsealed",
        "before_health_store",
    )  # fmt: skip
    write("listener/events.py", "".join(f"def {name}(*a): pass\n" for name in names))
    boxes.server.reloader.check()
    assert not catalogue().failures
    found = failure(boxes, write, "listener/events.py", "def before_boxes_loaned(record): pass\n")
    assert found.reason.startswith("before_boxes_loaned: boxes doesn't send the event loaned")


def test_a_handler_of_every_service_is_not_refused_while_a_module_is_broken(boxes, write):
    write("listener/events.py", "def before_any_sealed(service, record): pass\n")
    write("store/models.py", "1 / 0\n")
    boxes.server.reloader.check()
    assert not failures("listener")
    assert boxes.client(None).get("/health/ready")["ready"]


@pytest.mark.parametrize("declared", ['("sealed")', "[1]"])
def test_events_that_are_no_names_are_a_failure(served, write, declared):
    api = "class Crates:\n    ''':access: public'''\n    def index(self): return 1\n"
    found = failure(served, write, "crates/class/api_crates.py", f"events = {declared}\n{api}")
    assert found.reason.startswith('`events`: expected names such as ("spent",), got ')


def test_an_event_that_is_not_declared_is_an_error(boxes, write):
    write(
        "mover/class/api_mover.py",
        "from core import Api, emit\nfrom ...store.models import boxes\nclass Mover(Api):\n    ''':access: public'''\n"
        "    def post_moved(self, id: int): boxes.notify('moved', id)\n"
        "    def post_saeled(self): emit('boxes', 'saeled', {})\n",
    )
    box = boxes.client(None).ask("POST", "/boxes", {"name": "x"})
    answers = [
        boxes.client().ask("POST", f"/mover/{path}", status=500)["error"]["raised"]
        for path in (f"moved/{box}", "saeled")
    ]
    assert [(each["message"], each["line"]) for each in answers] == [
        ("ValueError: the event moved isn't declared; declare it in `events` of Boxes", 5),
        (
            "ValueError: the event saeled isn't declared; did you mean sealed?",
            6,
        ),
    ]


def test_a_service_that_cannot_be_loaded_is_not_held_against_its_listeners(boxes, write):
    write("listener/events.py", "def before_boxes_seald(record): pass\ndef before_crates_created(record): pass\n")
    write("store/class/api_boxes.py", "1 / 0\n")
    write("crates/class/api_crates.py", "1 / 0\n")
    boxes.server.reloader.check()
    assert not failures("listener")
    # Once it is there it can be seen that it does not send it
    write("store/class/api_boxes.py", API)
    boxes.server.reloader.check()
    assert [each.reason for each in failures("listener")] == [
        "before_boxes_seald: boxes doesn't send the event seald; did you mean sealed?"
    ]


@pytest.mark.parametrize("yields", ["pass", "yield 1"])
def test_async_operations_are_failures(served, write, yields):
    text = f"class Slow:\n    ''':access: public'''\n\n    async def index(self):\n        {yields}\n"
    found = failure(served, write, "slow/class/api_slow.py", text)
    assert (found.reason, found.line) == ("Slow.index: is async; expected a plain function (def)", 4)
    assert served.client(None).simulate_get("/slow").status_code == 501


def test_an_async_row_rule_is_a_failure(boxes, write):
    text = "from .models import Box\n\nasync def mine(caller):\n    pass\n\nRULES = {Box: mine}\n"
    found = failure(boxes, write, "store/rows.py", text)
    assert (found.reason, found.line) == ("mine is async; expected a plain function (def)", 3)


@pytest.mark.parametrize("file", ["cards/class/api_cards.class.py", "cards/events.py"])
def test_a_model_outside_models_py_is_a_failure(served, write, file):
    text = "from core import Model\nfrom peewee import AutoField\n\nclass Card(Model):\n    id = AutoField()\n"
    more = "class Cards:\n    ''':access: public'''\n    def index(self): return 1\n" if "class" in file else ""
    found = failure(served, write, file, text + more)
    reason = f"the model Card in {Path(file).name} gets no table; move it to models.py or import it there"
    assert (found.reason, found.line) == (reason, 4)


def test_a_model_of_a_helper_is_one_that_models_py_imports(served, write):
    write(
        "cards/tables.py",
        "from core import Model\nfrom peewee import AutoField\nclass Card(Model):\n    id = AutoField()\n",
    )
    api = "from ..tables import Card\nclass Cards:\n    ''':access: public'''\n    def index(self): return Card.select().count()\n"
    found = failure(served, write, "cards/class/api_cards.py", api)
    assert found.reason == "the model Card in tables.py gets no table; move it to models.py or import it there"
    write("cards/models.py", "from .tables import Card\n")
    client = served.client(None)
    served.server.reloader.check()
    assert client.get("/cards") == 0
