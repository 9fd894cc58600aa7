"""Events of modules: handlers that run, are replaced, cannot be loaded, or are never called."""

import pytest

from core.contract.catalogue import catalogue
from tests.core.loading.services import BOXES, STORE, reason_of

pytestmark = pytest.mark.usefixtures("without_natives")


def test_events_run_before_and_after_and_a_reload_replaces_them(served, write):
    write(
        "store/models.py",
        "from peewee import *\nfrom core import Model, Records\nclass Box(Model):\n    id = AutoField()\n"
        "    name = CharField(default='')\nboxes = Records(Box, service='boxes')\nseen = []\n",
    )
    write(
        "store/class/api_boxes.py",
        "from ..models import boxes, seen\nclass Boxes:\n    ''':access: public'''\n"
        "    def index(self): return boxes.page()\n    def seen(self): return seen\n"
        "    def post(self, request_data: dict): return boxes.create(request_data)\n",
    )
    write(
        "listener/events.py",
        "from core import Refused\nfrom ..store.models import seen\n"
        "def before_boxes_created(record):\n    if record['name'] == 'bad': raise Refused('no bad boxes')\n"
        "def after_boxes_created(record):\n    seen.append(record['name'])\n    if record['name'] == 'late': 1 / 0\n",
    )
    client = served.client(None)
    assert client.ask("POST", "/boxes", {"name": "good"}) == 1
    assert client.refused("POST", "/boxes", {"name": "bad"}, status=405) == "Method Not Allowed: no bad boxes"
    answer = client.simulate_post("/boxes", json={"name": "late"})
    assert answer.status_code == 200
    assert "after_boxes_created failed: ZeroDivisionError" in answer.headers["Warning"]
    assert client.get("/boxes/seen") == ["good", "late"]
    assert [box["name"] for box in client.get("/boxes")] == ["good", "late"]
    write("listener/events.py", "")
    served.server.reloader.check()
    assert client.ask("POST", "/boxes", {"name": "bad"}) == 3


@pytest.mark.parametrize("broken", ["syntax error (", "import nothing\n", "raise SystemExit\n"])
def test_events_that_cannot_be_loaded_refuse_what_they_might_have_refused(served, write, broken):
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    write("listener/events.py", broken + "\ndef before_boxes_created(record):\n    pass\n")
    client = served.client(None)
    message = client.refused("POST", "/boxes", {"name": "x"}, status=405)
    assert "listener/events.py must approve this change but can't be loaded" in message
    write("listener/events.py", "def before_boxes_created(record):\n    pass\n")
    served.server.reloader.check()
    assert client.ask("POST", "/boxes", {"name": "x"}) == 1


@pytest.mark.parametrize(
    "declared",
    [
        "@on('boxes.created', when='before')",
        '@on( "boxes.created" , when = "checking")',
        "@core.on('boxes.created', when=WHEN)",
    ],
)
def test_a_declared_handler_that_cannot_be_loaded_refuses_too(served, write, declared):
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    write("listener/events.py", f"import nothing\n{declared}\ndef approve(record):\n    pass\n")
    assert "must approve this change" in served.client(None).refused("POST", "/boxes", {"name": "x"}, status=405)
    write("listener/events.py", "import nothing\n@on('boxes.created', when='after')\ndef tell(record):\n    pass\n")
    served.server.reloader.check()
    assert served.client(None).ask("POST", "/boxes", {"name": "x"}) == 1


DECLARED = "from core import on\n@on({event!r}, when={when!r})\ndef hear({takes}):\n    pass\n"


@pytest.mark.parametrize(
    ("event", "when", "takes", "reason"),
    [
        ("boxes", "before", "record", 'expected on("<service>.<event>"'),
        ("boxes.created", "later", "record", 'expected on("<service>.<event>"'),
        ("boxes.created", "checking", "record", "hear takes (record); expected (record, values)"),
        (
            "any.created",
            "checking",
            "record, values",
            "hear takes (record, values); expected (service, record, values)",
        ),
        ("any.created", "after", "record", "hear takes (record); expected (service, record)"),
        ("health.store", "after", "record", "hear: health.store takes no handlers with when='after', only before"),
        ("bxoes.created", "after", "record", "hear: unknown service bxoes"),
        (
            "boxes.craeted",
            "checking",
            "record, values",
            "hear: boxes doesn't send the event craeted; did you mean created?",
        ),
    ],
)
def test_a_wrong_declaration_is_a_failure_with_its_line(served, write, event, when, takes, reason):
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    write("listener/events.py", DECLARED.format(event=event, when=when, takes=takes))
    assert reason in reason_of(served, "listener/events")
    assert next(each for each in catalogue().failures if each.name == "listener/events").line == 2


def test_one_function_may_have_several_events(served, write):
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    write(
        "listener/events.py",
        "from core import Refused, on\n@on('boxes.created', when='checking')\n@on('any.created', when='before')\n"
        "def refuse(*given):\n    raise Refused(f'{len(given)}')\n",
    )
    client = served.client(None)
    assert client.refused("POST", "/boxes", {"name": "x"}, status=405) == "Method Not Allowed: 2"


def test_the_log_names_a_slow_handler_inside_the_transaction(served, write, caplog, monkeypatch):
    monkeypatch.setattr("core.records.events.LONG_SECONDS", 0)
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    write(
        "listener/events.py",
        "from core import on\n@on('boxes.created', when='checking')\ndef ask(record, values): pass\n"
        "def before_boxes_created(record): pass\ndef after_boxes_created(record): pass\n",
    )
    served.client(None).ask("POST", "/boxes", {"name": "x"})
    slow = [each.getMessage() for each in caplog.records if "inside the transaction" in each.getMessage()]
    assert len(slow) == 1 and "listener.events.before_boxes_created took" in slow[0]


def test_a_handler_that_nobody_will_call_is_a_failure(served, write):
    write("listener/events.py", "def before_bxoes_created(record):\n    pass\n")
    assert reason_of(served, "listener/events") == "before_bxoes_created: unknown service bxoes"
