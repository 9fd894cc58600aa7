"""The history of a record after migrations: no value is missing, and each has the name that it has today."""

import pytest

from core.audit import recorder

from .authors import API, HEAD, Author

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

MODELS = """
class Card(Model):
    id = AutoField(column_name="rowid")
{fields}

    class Meta:
        table_name = "{table}"
        secret = ("{secret}",)


class Visit(Model):
    id = AutoField(column_name="rowid")
    card = RecordField(Card, "Card", on_delete="cascade")
    {place} = CharField(max_length=30, default="")

    class Meta:
        table_name = "loyalty_visit"


cards, visits = Records(Card), Records(Visit)
"""
FIRST = (
    'label = CharField(max_length=30, default="")',
    'contact = CharField(max_length=60, default="")',
    "price = ExactField(12, 2, default=0)",
    'pin = CharField(max_length=9, default="")',
)
SECOND = (
    'title = CharField(max_length=30, default="")',
    'firstname = CharField(max_length=30, default="")',
    'lastname = CharField(max_length=30, default="")',
    "price = ExactField(12, 4, default=0)",
    'code = CharField(max_length=9, default="")',
)
SPLIT = """
from decimal import Decimal
from peewee import CharField
from core import ExactField


def migrate(tables):
    tables.rename_table("loyalty_card", "loyalty_ticket")
    tables.rename("loyalty_ticket", "label", "title")
    tables.rename("loyalty_ticket", "pin", "code")
    tables.rename("loyalty_visit", "place", "town")
    tables.change("loyalty_ticket", "price", ExactField(12, 4, default=0))
    for name in ("firstname", "lastname"):
        tables.add("loyalty_ticket", name, CharField(max_length=30, default=""))
    for id, contact in tables.rows_of("loyalty_ticket", "rowid", "contact"):
        first, last = contact.split(" ")
        tables.set("loyalty_ticket", {"firstname": first, "lastname": last, "price": Decimal("2.5"), "code": "5678"}, "rowid = ?", id)
    tables.drop("loyalty_ticket", "contact")
"""


class Loyalty(Author):
    def models(self, *fields, table="loyalty_card", place="place", secret="pin"):
        lines = "\n".join(f"    {each}" for each in fields)
        self.write("loyalty/models.py", HEAD + MODELS.format(fields=lines, table=table, place=place, secret=secret))


@pytest.fixture
def loyalty(kind, serve, folder):
    author = Loyalty(serve(kind, modules=str(folder)), folder)
    author.models(*FIRST)
    author.write("loyalty/class/api_visits.py", API.replace("cards", "visits").replace("Cards", "Visits"))
    assert author.loaded() == ""
    return author


def short(entries):
    return [(each["kind"], each["element"], each["label"], each["before"], each["after"]) for each in entries]


def test_after_a_migration_a_history_has_each_value_by_its_present_name(loyalty):
    admin = loyalty.client
    card = admin.ask("POST", "/cards", {"label": "Gold", "contact": "Ada Byron", "price": "1.25", "pin": "1234"})
    admin.ask("POST", "/visits", {"card": card, "place": "Bonn"})
    admin.ask("PATCH", f"/cards/{card}", {"label": "Silver"})
    loyalty.write("loyalty/migrations/0001_split.py", SPLIT)
    loyalty.models(*SECOND, table="loyalty_ticket", place="town", secret="code")
    assert loyalty.loaded() == ""
    admin.ask("PATCH", f"/cards/{card}", {"title": "Bronze"})

    reader = loyalty.served.user("cards.read", "visits.read")
    migrated = {"migration": "loyalty/0001_split"}
    assert short(reader.get(f"/cards/{card}/history")) == [
        ("changed", "loyalty_ticket", "card Bronze", {"title": "Silver"}, {"title": "Bronze"}),
        ("migrated", "loyalty_ticket", "card", {}, migrated),
        ("changed", "loyalty_ticket", "card Bronze", {"firstname": "", "lastname": "", "price": "1.2500"},
         {"firstname": "Ada", "lastname": "Byron", "price": "2.5000"}),
        ("changed", "loyalty_ticket", "card Bronze", {"title": "Gold"}, {"title": "Silver"}),
        ("created", "loyalty_visit", "visit 1", {}, {"card": 1, "town": "Bonn"}),
        ("created", "loyalty_ticket", "card Bronze", {}, {"title": "Gold", "price": "1.25"}),
    ]  # fmt: skip
    # A value that the record no longer has needs the permission to read the trail
    auditor = loyalty.served.user("cards.read", "audit.read").get(f"/cards/{card}/history")
    assert auditor[-1]["after"] == {"title": "Gold", "contact": "Ada Byron", "price": "1.25"}
    assert "drop column contact with its values" in " ".join(auditor[1]["after"]["steps"])


WHOLE_POINTS = """
from peewee import IntegerField


def migrate(tables):
    tables.rename("loyalty_card", "price", "price__old")
    tables.add("loyalty_card", "price", IntegerField(default=0))
    for id, price in tables.rows_of("loyalty_card", "rowid", "price__old"):
        tables.set("loyalty_card", {"price": round(price)}, "rowid = ?", id)
"""
DROP = "def migrate(tables): tables.drop('loyalty_card', 'price__old')"


def test_a_changed_type_keeps_the_name_in_the_history(loyalty):
    admin = loyalty.client
    card = admin.ask("POST", "/cards", {"price": "1.75"})
    loyalty.write("loyalty/migrations/0001_whole.py", WHOLE_POINTS)
    loyalty.write("loyalty/migrations/0002_drop.py", DROP)
    loyalty.models(FIRST[0], FIRST[1], "price = IntegerField(default=0)", FIRST[3])
    assert loyalty.loaded() == ""
    entries = loyalty.served.user("cards.read").get(f"/cards/{card}/history")
    assert [(each["kind"], each["before"], each["after"]) for each in entries] == [
        ("migrated", {}, {"migration": "loyalty/0002_drop"}),
        ("migrated", {}, {"migration": "loyalty/0001_whole"}),
        ("changed", {"price": 0}, {"price": 2}),
        ("created", {}, {"price": "1.75"}),
    ]


def test_a_statement_that_changes_many_rows_is_noted_as_one(loyalty, monkeypatch):
    monkeypatch.setattr(recorder, "MAX_NOTED_ROWS", 2)
    monkeypatch.setattr(recorder, "_KEPT", 1)
    admin = loyalty.client
    for name in ("Ada", "Bob", "Cleo"):
        admin.ask("POST", "/cards", {"label": name})
    loyalty.write(
        "loyalty/migrations/0001_few.py",
        """
def migrate(tables):
    tables.set("loyalty_card", {"label": "few"}, "rowid < ?", 3)
    tables.set("loyalty_card", {"label": "many"})
""",
    )
    loyalty.models(*FIRST, "note = CharField(null=True)")
    assert loyalty.loaded() == ""
    kinds = [each["kind"] for each in admin.get("/cards/1/history")]
    assert kinds == ["migrated", "changed", "created"]
    assert [each["kind"] for each in admin.get("/cards/3/history")] == ["migrated", "created"]
    assert admin.get("/cards/3")["label"] == "many"


def test_sql_of_a_migration_changes_no_table_of_another_module(loyalty):
    loyalty.write("loyalty/migrations/0001_users.py", "def migrate(tables): tables.fill('DELETE FROM llx_user')")
    loyalty.models(*FIRST, "note = CharField(null=True)")
    assert loyalty.loaded() == "0001_users.py:1: llx_user belongs to the module core"
