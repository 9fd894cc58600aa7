"""`Meta.internal`: what only internal users read and write, in a module's own records, on each kind of database."""

import base64

import pytest

from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.any_database

MODELS = '''
from decimal import Decimal
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, TextField

from core import ExactField, Model, RecordField, Records

from ..thirdparties.models import Thirdparty


class DealAnswers(TypedDict, total=False):
    """What is computed."""

    margin: Annotated[str, "price less cost"]


class Deal(Model):
    """A deal."""

    id = AutoField()
    label = CharField(max_length=40)
    socid = RecordField(Thirdparty, "Third party")
    price = ExactField(12, 2, default=Decimal(0))
    cost = ExactField(12, 2, default=Decimal(0))
    memo = TextField(null=True)

    class Meta:
        table_name = "deals_deal"
        thirdparty = "socid"
        searched = ("label",)
        aliases = {"expense": "cost"}
        internal = ("cost", "memo", "margin")
        answers = DealAnswers


class Share(Model):
    """A share in a deal."""

    id = AutoField()
    deal = RecordField(Deal, "Deal")

    class Meta:
        table_name = "deals_share"
        thirdparty = "deal.socid"


class Deals(Records):
    model = Deal
    service = "deals"
    noun = "Deal"
    sort = "t.cost"

    def complete(self, records):
        for record in records:
            record["margin"] = str(Decimal(record["price"]) - Decimal(record["cost"]))


class Shares(Records):
    model = Share
    service = "shares"
    joins = {"d": (Deal, "deal", ("label", "cost"))}
    answers = {"deal_label": "d.label", "deal_cost": "d.cost"}


deals = Deals()
shares = Shares()
heard = []
'''
DEALS = '''
from core import Crud
from ..models import deals, heard


class Deals(Crud):
    """Deals.

    :permission: read
    """

    records = deals

    def put(self, id: int, request_data: dict) -> dict:
        """Replace a deal.

        :permission: write
        """
        deals.change(id, request_data, replace=True)
        return deals.answer(id)

    def get_total(self, field: str) -> str:
        """Sum a field."""
        return str(deals.sum(field))

    def get_best(self, field: str) -> list[dict]:
        """Group by a field."""
        return deals.group("label", best=("max", field))

    def get_grouped(self, field: str) -> int:
        """Count the groups of a field."""
        return len(deals.group(field, number="count"))

    def get_cheap(self) -> list[str]:
        """Read what the code itself asks for."""
        return [row.label for row in deals.rows({"memo": "secret memo"}, "t.cost")]

    def get_priced(self) -> list[str]:
        """Read a few fields of each deal that the caller may see."""
        some = deals.fields_of(("label", "price"), {"label": ["Ours", "Theirs"]})
        return [f"{row.label} {row.price} {hasattr(row, 'cost')}" for row in some]

    def get_heard(self) -> list[dict]:
        """Read what the handler was told."""
        return [{"cost": each["cost"], "memo": each["memo"], "margin": each["margin"]} for each in heard]
'''
SHARES = '''
from core import Crud
from ..models import shares


class Shares(Crud):
    """Shares."""

    records = shares
'''
EVENTS = """
from .models import heard


def before_deals_changed(record):
    heard.append(record)
"""
HIDDEN = {"cost", "expense", "memo", "margin"}


class World:
    """Deals of one third party, its external user, and an administrator."""

    def __init__(self, served):
        self.admin = served.client()
        self.socid = self.admin.ask("POST", "/thirdparties", {"name": "Own"})
        self.external = served.user("deals.read", "deals.write", "shares.read", socid=self.socid)

    def deal(self, **body):
        full = {"label": "Crane", "socid": self.socid, "price": "10.00", "cost": "47.11", "memo": "secret memo"}
        return int(self.admin.ask("POST", "/deals", full | body))

    def kept(self, deal):
        record = self.admin.get(f"/deals/{deal}")
        return record["cost"], record["memo"]


@pytest.fixture(scope="module")
def world(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("deals")
    services = {"class/api_deals.py": DEALS, "class/api_shares.py": SHARES}
    write_files(folder / "outside/deals", {"models.py": MODELS, "events.py": EVENTS} | services)
    with serving(folder, kind, modules=str(folder / "outside")) as served:
        yield World(served)


def test_hidden_keys_are_absent_however_a_record_is_read(world):
    deal = world.deal()
    share = world.admin.ask("POST", "/shares", {"deal": deal})
    seen, whole = world.external.get(f"/deals/{deal}"), world.admin.get(f"/deals/{deal}")
    assert {*whole} - {*seen} == HIDDEN and {*seen} < {*whole}
    assert whole["margin"] == "-37.11"
    assert HIDDEN.isdisjoint(world.external.get("/deals")[0])
    shown = world.external.get(f"/shares/{share}")
    assert "deal_cost" not in shown and shown["deal_label"] == "Crane"
    assert HIDDEN.isdisjoint(world.external.get("/shares", expand="deal_record")[-1]["deal_record"])
    assert world.admin.get(f"/shares/{share}")["deal_cost"] == "47.11"


@pytest.mark.parametrize("name", ["cost", "expense", "memo", "margin"])
def test_no_filter_sort_order_property_or_sum_uses_a_hidden_key(world, name):
    world.deal()
    world.external.refused("GET", f"/deals?sqlfilters=(t.{name}:isnot:NULL)", status=400)
    world.external.refused("GET", f"/deals?sortfield=t.{name}", status=400)
    world.external.refused("GET", f"/deals?properties=id,{name}", status=400)
    for kind in ("total", "best", "grouped"):
        world.external.refused("GET", f"/deals/{kind}?field={name}", status=400)
    if name in ("cost", "expense"):
        assert world.admin.get("/deals", sqlfilters=f"(t.{name}:isnot:NULL)", sortfield=f"t.{name}") != []
        assert float(world.admin.get("/deals/total", field=name)) > 0


def test_no_filter_or_sort_order_uses_a_hidden_field_of_a_joined_table(world):
    world.admin.ask("POST", "/shares", {"deal": world.deal()})
    for query in ("sqlfilters=(d.cost:>:1)", "sortfield=d.cost"):
        world.external.refused("GET", f"/shares?{query}", status=400)
        assert world.admin.ask("GET", f"/shares?{query}") != []


def test_code_of_the_module_may_still_ask_for_it(world):
    world.deal(label="Dear", cost="9000.00")
    world.deal(label="Cheap", cost="0.01")
    assert world.external.get("/deals/cheap")[0] == "Cheap"
    assert world.external.get("/deals/cheap")[-1] == "Dear"


def test_a_few_fields_of_the_rows_that_the_caller_may_see(world):
    world.deal(label="Ours", price="12.50")
    world.deal(label="Theirs", socid=world.admin.ask("POST", "/thirdparties", {"name": "Other"}))
    assert world.external.get("/deals/priced") == ["Ours 12.50 False"]
    assert world.admin.get("/deals/priced") == ["Ours 12.50 False", "Theirs 10.00 False"]


def test_a_list_whose_usual_order_is_by_a_hidden_field_tells_nothing_of_it(world):
    """Neither by its order nor by its cursor, which holds what a list is sorted by."""
    for cost in ("500.00", "1.00", "300.00"):
        world.deal(cost=cost)
    shown = world.external.simulate_get("/deals", params={"limit": 1000})
    numbers = [each["id"] for each in shown.json]
    assert numbers == sorted(numbers)
    assert [each["cost"] for each in world.admin.get("/deals", limit=1000)] != [world.kept(each)[0] for each in numbers]
    cursor = world.external.simulate_get("/deals", params={"limit": 1}).headers["x-next-cursor"]
    assert "cost" not in base64.urlsafe_b64decode(cursor + "==").decode()
    assert world.external.get("/deals", after=cursor)[0]["id"] == numbers[1]


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_a_change_ignores_hidden_fields_and_leaves_them(world, verb):
    deal = world.deal()
    body = {"label": "New", "socid": world.socid, "cost": "1.00", "memo": "mine"}
    answer = world.external.simulate_request(verb, f"/deals/{deal}", json=body)
    assert answer.status_code == 200, answer.text
    assert "ignored: cost, memo" in answer.headers["warning"]
    assert answer.json["label"] == "New" and HIDDEN.isdisjoint(answer.json)
    assert world.kept(deal) == ("47.11", "secret memo")
    # A second name leads no further, and what is not sent stays, too
    world.external.ask(verb, f"/deals/{deal}", {"label": "Newer", "socid": world.socid, "expense": "2.00"})
    assert world.kept(deal) == ("47.11", "secret memo")
    if verb == "PUT":
        world.admin.ask("PUT", f"/deals/{deal}", {"label": "Newest", "socid": world.socid})
        assert world.kept(deal) == ("0.00", None)


def test_a_creation_and_a_batch_ignore_hidden_fields(world):
    body = {"label": "Own", "cost": "1.00", "memo": "mine"}
    made = world.external.ask("POST", "/deals", body)
    assert world.kept(made) == ("0.00", None)
    deal = world.deal()
    entries = [{"method": "POST", "body": body}, {"method": "PATCH", "id": deal, "body": body}]
    first, second = world.external.ask("POST", "/deals/batch", {"entries": entries})["results"]
    assert world.kept(first["result"]) == ("0.00", None)
    assert HIDDEN.isdisjoint(second["result"]) and second["warnings"] == ["ignored: cost, memo"]
    assert world.kept(deal) == ("47.11", "secret memo")


def test_handlers_hear_what_the_caller_does_not_see(world):
    deal = world.deal()
    assert HIDDEN.isdisjoint(world.external.ask("PATCH", f"/deals/{deal}", {"label": "Heard"}))
    assert world.admin.get("/deals/heard")[-1] == {"cost": "47.11", "memo": "secret memo", "margin": "-37.11"}


def test_the_history_of_a_record_is_no_external_user_s(world):
    deal = world.deal()
    assert world.admin.get(f"/deals/{deal}/history") != []
    assert world.external.refused("GET", f"/deals/{deal}/history", status=404) == f"Not Found: Deal {deal} not found"


@pytest.mark.parametrize(
    ("instead", "told"),
    [
        ('internal = ("cots",)', "internal has 'cots', but the model has no such field"),
        ('internal = ("label",)', "searched: 'label' is internal and can't be searched"),
    ],
)
def test_a_wrong_list_is_a_load_failure(serve, folder, caplog, instead, told):
    models = MODELS.replace('internal = ("cost", "memo", "margin")', instead)
    write_files(folder / "deals", {"models.py": models, "class/api_deals.py": DEALS})
    served = serve(modules=str(folder))
    served.client().refused("GET", "/deals", status=501)
    assert told in caplog.text
