"""Events of modules: handlers that run, are replaced, cannot be loaded, or are never called."""

import pytest

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


def test_a_handler_that_nobody_will_call_is_a_failure(served, write):
    write("listener/events.py", "def before_bxoes_created(record):\n    pass\n")
    assert reason_of(served, "listener/events") == "before_bxoes_created: unknown service bxoes"
