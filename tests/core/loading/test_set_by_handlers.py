"""Handlers with ``when="checking"`` set values, which are checked as if they were sent."""

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses
from tests.core.loading.services import reason_of

pytestmark = pytest.mark.usefixtures("without_natives")

CRATES = """
from peewee import AutoField, CharField, IntegerField
from core import Crud, Model, RecordField, Records, emit
from core.for_natives import Event

class Crate(Model):
    id = AutoField()
    name = CharField(max_length=10)
    size = IntegerField(default=1)
    place = IntegerField(null=True, choices=((1, "one"), (2, "two")))
    owner = IntegerField(default=0)
    inside = RecordField("self", "Crate", null=True)

    class Meta:
        required = ("name",)
        managed = ("owner",)
        aliases = {"volume": "size"}

class CrateRecords(Records[Crate]):
    events = ("sealed",)
    prepared = []

    def prepare(self, values, before):
        self.prepared.append(dict(values))

    def own(self, id):
        self.change(id, {}, owner=Crate.owner + 5)

    def seal(self, id):
        self.check_event("sealed", id, {"sealed": 1})
        self.notify("sealed", id, checked=True)

crates = CrateRecords(Crate, service="crates", noun="Crate")
"""
API = """
from core import Crud
from ..models import crates

class Crates(Crud):
    '''Crates.'''

    records = crates

    def post_own(self, id: int):
        ''':permission: write'''
        crates.own(id)

    def post_seal(self, id: int):
        ''':permission: write'''
        crates.seal(id)
"""
HANDLER = """
from core import on

@on("crates.{event}", when="checking")
def change(record, values):
    {does}
"""


@pytest.fixture
def crates(served, write):
    write("crates/models.py", CRATES)
    write("crates/class/api_crates.py", API)

    def hears(event, does, module="listener"):
        write(f"{module}/events.py", HANDLER.format(event=event, does=does))
        served.server.reloader.check()
        assert [each.reason for each in catalogue().failures] == []
        return served.client()

    return hears


@pytest.mark.parametrize(
    ("does", "sent", "stored"),
    [
        ("values.setdefault('place', 2)", {}, {"place": 2}),
        ("values.setdefault('place', 2)", {"place": 1}, {"place": 1}),
        ("values['size'] = 3", {"size": 5}, {"size": 3}),
        ("values['size'] = 3", {"volume": 5}, {"size": 3}),
        ("values['volume'] = 3", {"size": 5}, {"size": 3}),
        ("values['size'] *= 2", {"volume": "5"}, {"size": 10}),
        ("values.pop('size')", {"size": 5}, {"size": 1}),
        ("values['name'] = values['name'].upper()", {}, {"name": "A"}),
    ],
)
def test_a_handler_sets_what_a_body_may_set(crates, does, sent, stored):
    client = crates("created", does)
    made = client.ask("POST", "/crates", {"name": "a", **sent})
    assert client.get(f"/crates/{made}").items() >= stored.items()


def test_what_is_set_is_written_with_the_rest(crates):
    client = crates("created", "values['size'] = 3")
    made = client.ask("POST", "/crates", {"name": "a"})
    assert catalogue().services["crates"].records.prepared[-1].items() >= {"name": "a", "size": 3}.items()
    client = crates("changed", "values['place'] = record['id']")
    client.ask("PATCH", f"/crates/{made}", {"size": 4})
    changed, created = (each["after"] for each in client.get(f"/crates/{made}/history"))
    assert (changed["size"], changed["place"]) == (4, 1)
    assert created["size"] == 3


@pytest.mark.parametrize(
    ("does", "status", "reason"),
    [
        ("values['place'] = 3", 400, "`place`: expected 1 or 2, got 3"),
        ("values['name'] = 'longer than ten'", 400, "`name`"),
        ("values['name'] = ''", 400, "`name` is required"),
        ("values.pop('name')", 400, "`name` is required"),
        ("values['inside'] = 99", 404, "Crate 99 not found"),
    ],
)
def test_what_is_set_is_checked_as_if_it_was_sent(crates, does, status, reason):
    client = crates("created", does)
    assert reason in client.refused("POST", "/crates", {"name": "a"}, status=status)
    assert client.get("/crates") == []


@pytest.mark.parametrize("name", ["owner", "colour"])
def test_what_a_body_cannot_set_is_the_mistake_of_the_handler(crates, name):
    client = crates("created", f"values[{name!r}] = 1")
    raised = client.ask("POST", "/crates", {"name": "a"}, status=500)["error"]["raised"]
    assert raised["message"] == f"ValueError: modules.listener.events.change can't set {name} of crates.created"


def test_the_module_may_set_an_expression(crates):
    client = crates("changed", "values['size'] = 7")
    made = client.ask("POST", "/crates", {"name": "a"})
    client.ask("POST", f"/crates/own/{made}", {})
    assert client.get(f"/crates/{made}").items() >= {"size": 7, "owner": 5}.items()


def test_another_event_cannot_be_set(crates):
    client = crates("sealed", "values['sealed'] = 2")
    made = client.ask("POST", "/crates", {"name": "a"})
    raised = client.ask("POST", f"/crates/seal/{made}", {}, status=500)["error"]["raised"]
    assert raised["message"].endswith("can't set sealed of crates.sealed")


def test_handlers_run_in_the_order_of_their_modules(crates):
    crates("created", "values['name'] += 'b'", module="beta")
    client = crates("created", "values['name'] += 'a'", module="alpha")
    made = client.ask("POST", "/crates", {"name": "_"})
    assert client.get(f"/crates/{made}")["name"] == "_ab"


def test_a_body_that_is_wrong_is_not_checked_by_handlers(crates):
    client = crates("created", "raise AssertionError")
    message = client.refused("POST", "/crates", {"place": 3}, status=400)
    assert "`place`" in message


def test_a_handler_of_every_service_chooses_its_services(crates, write, served):
    write(
        "chooser/events.py",
        "from core import Refused, on\n@on('any.created', when='before', services=lambda each: each != 'crates')\n"
        "def refuse(service, record): raise Refused('never')\n",
    )
    client = crates("changed", "pass")
    client.ask("POST", "/crates", {"name": "a"})


def test_the_status_of_a_file_names_handlers_without_a_declaration(crates, write, served):
    write("named/events.py", "\ndef before_crates_created(record): pass\n")
    crates("changed", "pass")
    notes = {each.module: each.notes for each in file_statuses(catalogue()) if each.file.name == "events.py"}
    declared = '@on("crates.created", when="before")'
    said = f"line 2: before_crates_created has no @on; add {declared} above it"
    assert notes == {"named": (said,), "listener": ()}


def test_a_description_of_an_event_is_checked(served, write):
    write("crates/models.py", CRATES.replace('("sealed",)', '{"sealed": "a text"}'))
    write("crates/class/api_crates.py", API)
    assert (
        reason_of(served, "crates") == "models.py:33: ValueError: `events`: expected an Event for sealed, got 'a text'"
    )


@pytest.mark.parametrize("moments", ('"before"', "5", "()", '("during",)'))
def test_the_moments_of_an_event_are_checked(served, write, moments):
    write("crates/models.py", CRATES.replace('("sealed",)', f'{{"sealed": Event("a text", moments={moments})}}'))
    write("crates/class/api_crates.py", API)
    assert "expected some of ('checking', 'before', 'after')" in reason_of(served, "crates")


OTHERS = """
from core import Api
from core.for_natives import Event

class Others(Api):
    '''Others.'''

    events = {"created": Event("a text", moments=("after",))}

    def index(self) -> int:
        ''':access: public'''
        return 1
"""


@pytest.mark.parametrize(
    "declared", ["'any.created', when='before'", "'any.created', when='before', services=lambda name: name.nope"]
)
def test_another_service_or_its_own_mistake_silences_no_handler_of_all_services(crates, write, served, declared):
    """One service sends the event at fewer moments; `services` raises an error."""
    write("others/class/api_others.py", OTHERS)
    refusal = "    if service == 'crates':\n        raise Refused('never')\n"
    write(
        "chooser/events.py", f"from core import Refused, on\n@on({declared})\ndef refuse(service, record):\n{refusal}"
    )
    client = crates("changed", "pass")
    assert "never" in client.refused("POST", "/crates", {"name": "a"}, status=405)
