"""Merging two third parties: whatever names the one names the other afterwards, of every module there is."""

import base64
import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal

import peewee
import pytest

from core import Account, RecordField, transaction
from core.contract.catalogue import catalogue
from core.storage.database import close
from core.storage.model import meta_of
from modules.thirdparties.models import Representative
from tests.modules.thirdparties.thirdparties import make

pytestmark = pytest.mark.every_database

MANY = 1000
_numbers = itertools.count(10**6)


def merged(client, kept, gone, status=200):
    return client.ask("PUT", f"/thirdparties/{kept}/merge/{gone}", {}, status=status)


# One field after the other -------------------------------------------------------------------------------------------


def test_what_is_empty_is_taken_over_and_the_rest_stays(admin, extrafield):
    extrafield("societe", "sector", type="varchar", size="20")
    extrafield("societe", "rank", type="varchar", size="20")
    kept = make(
        admin, "Kept", town="Lyon", client=2, note_public="old friend", code_client="auto",
        array_options={"options_sector": "wood"},
    )  # fmt: skip
    gone = make(
        admin, "Gone", town="Nice", zip="06000", email="g@example.org", client=1, fournisseur=1, barcode="4711",
        code_fournisseur="auto", note_public="pays late",
        array_options={"options_sector": "steel", "options_rank": "A"},
    )  # fmt: skip
    before = {each: admin.get(f"/thirdparties/{each}") for each in (kept, gone)}
    record = merged(admin, kept, gone)
    assert record == admin.get(f"/thirdparties/{kept}")
    assert [record[name] for name in ("name", "town", "zip", "email", "client", "fournisseur", "barcode")] == [
        "Kept", "Lyon", "06000", "g@example.org", 3, 1, "4711",
    ]  # fmt: skip
    assert record["code_client"] == before[kept]["code_client"]
    assert record["code_fournisseur"] == before[gone]["code_fournisseur"]
    assert record["note_public"] == "old friend\npays late"
    assert record["array_options"] == {"options_sector": "wood", "options_rank": "A"}
    assert admin.get(f"/thirdparties/{gone}", status=404)


def test_contacts_documents_users_and_representatives_follow(admin, server):
    kept, gone = make(admin, "Kept"), make(admin, "Gone")
    contact = admin.ask("POST", "/contacts", {"lastname": "Lenoir", "socid": gone})
    order = admin.ask("POST", "/orders", {"socid": gone, "date": 1795219200, "lines": [{"qty": 1, "subprice": 7}]})
    ours = admin.ask("POST", "/users", {"login": f"sees{gone}", "pass": "correct horse battery"})
    admin.ask("POST", f"/thirdparties/{kept}/representatives/{ours}", {})
    admin.ask("POST", f"/thirdparties/{gone}/representatives/{ours}", {})
    stranger = server.user("orders.read", "thirdparties.read", socid=gone)
    for each in (kept, gone):
        body = {"modulepart": "thirdparty", "ref": str(each), "filename": "a.txt", "filecontent": f"of {each}"}
        admin.ask("POST", "/documents/upload", body)
    merged(admin, kept, gone)
    assert admin.get(f"/contacts/{contact}")["socid"] == kept
    assert admin.get(f"/orders/{order}")["socid"] == kept
    assert [each["id"] for each in admin.get(f"/thirdparties/{kept}/representatives")] == [ours]
    assert stranger.get(f"/orders/{order}")["id"] == order
    assert stranger.get(f"/thirdparties/{kept}")["id"] == kept
    files = admin.get("/documents", modulepart="thirdparty", id=kept)
    assert sorted(each["name"] for each in files) == [f"{gone}-a.txt", "a.txt"]
    path = f"{kept}/{gone}-a.txt"
    read = admin.get("/documents/download", modulepart="thirdparty", original_file=path)
    assert base64.b64decode(read["content"]) == f"of {gone}".encode()


def test_of_what_there_is_one_of_one_remains(admin, server):
    kept, gone = make(admin, "Kept"), make(admin, "Gone", fournisseur=1)
    label = f"Good {kept}"
    good = admin.ask("POST", "/categories", {"label": label, "type": 2})
    first = admin.ask("POST", f"/thirdparties/{kept}/bankaccounts", {"iban": "FR7630006000011234567890189"})["id"]
    second = admin.ask("POST", f"/thirdparties/{gone}/bankaccounts", {"iban": "FR7630006000011234567890189"})["id"]
    for each in (kept, gone):
        admin.ask("POST", f"/thirdparties/{each}/categories/{good}", {})
    merged(admin, kept, gone)
    assert [each["label"] for each in admin.get(f"/thirdparties/{kept}/categories")] == [label]
    accounts = {each["id"]: each["default_rib"] for each in admin.get(f"/thirdparties/{kept}/bankaccounts")}
    assert accounts == {first: 1, second: 0}


@pytest.mark.parametrize(
    ("parents", "expected"),
    [
        # kept below gone, by way of a third one: what was above gone is above kept
        ({"kept": "between", "between": "gone", "gone": "top"}, {"kept": "top", "between": "kept"}),
        ({"gone": "kept", "kept": "top"}, {"kept": "top"}),
        ({"kept": "gone"}, {"kept": None}),
        ({"gone": "between", "between": "kept"}, {"between": "kept", "kept": None}),
        ({"between": "gone", "gone": "top"}, {"between": "kept", "kept": None}),
    ],
)
def test_nobody_becomes_a_parent_of_itself(admin, parents, expected):
    there = {name: make(admin, name) for name in ("top", "between", "kept", "gone")}
    for child, parent in parents.items():
        admin.ask("PUT", f"/thirdparties/{there[child]}", {"parent": there[parent]})
    merged(admin, there["kept"], there["gone"])
    for child, above in expected.items():
        assert admin.get(f"/thirdparties/{there[child]}")["parent"] == (there[above] if above else None)


def test_what_cannot_be_merged_is_refused_and_nothing_happens(admin, server):
    kept, gone = make(admin, "Kept"), make(admin, "Gone")
    refused = merged(admin, kept, kept, status=400)
    assert "expected a third party other than" in refused["error"]["message"]
    assert merged(admin, kept, 999999, status=404)
    assert merged(admin, 999999, gone, status=404)
    # neither one that the caller may not see
    both = ("thirdparties.read", "thirdparties.write", "thirdparties.delete")
    seller = server.user(*both, represents=[kept])
    assert merged(seller, kept, gone, status=404)
    assert merged(seller, gone, kept, status=404)
    stranger = server.user(*both, socid=kept)
    assert merged(stranger, kept, gone, status=404)
    assert [admin.get(f"/thirdparties/{each}")["name"] for each in (kept, gone)] == ["Kept", "Gone"]
    stale = {"headers": {"If-Match": '"another"'}}
    assert admin.ask("PUT", f"/thirdparties/{kept}/merge/{gone}", {}, status=412, **stale)
    assert admin.get(f"/thirdparties/{gone}")["name"] == "Gone"


def test_only_administrators_move_external_users(admin, server):
    kept, gone = make(admin, "Kept"), make(admin, "Gone")
    rights = ["thirdparties.read", "thirdparties.write", "thirdparties.delete", "thirdparties.all"]
    outsider = server.user("thirdparties.read", socid=gone)
    for caller in (server.user(*rights), server.user(admin=True, only=rights)):
        refused = merged(caller, kept, gone, status=401)
        assert "administrator" in refused["error"]["message"]
    assert outsider.get(f"/thirdparties/{gone}")["id"] == gone
    # Users of the one that remains stay where they are
    third = make(admin, "Third")
    merged(server.user(*rights), gone, third)
    merged(admin, kept, gone)
    assert outsider.get(f"/thirdparties/{kept}")["id"] == kept


def test_what_is_created_meanwhile_is_moved_or_refused(admin, server):
    kept, gone = make(admin, "Kept"), make(admin, "Gone")
    body = {"lastname": "Lenoir", "socid": gone}
    statuses = Counter()

    def create(number):
        try:
            if number == 3:
                merged(server.client(), kept, gone)
            else:
                statuses[server.client().simulate_post("/contacts", json=body).status_code] += 1
        finally:
            close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(create, range(12)))
    assert statuses.keys() <= {200, 404}, statuses
    there = [each["socid"] for each in admin.get("/contacts", sqlfilters=f"(t.fk_soc:in:{kept},{gone})")]
    assert there == [kept] * statuses[200]
    assert admin.get(f"/thirdparties/{gone}", status=404)


# A thousand records of every kind ------------------------------------------------------------------------------------


def naming():
    """Every column that names a third party, found without asking what merges."""
    found = [(Account, "socid"), (Representative, "socid")]
    for model in catalogue().models:
        for name, field in meta_of(model).fields.items():
            if isinstance(field, RecordField) and meta_of(field.target()).table_name == "llx_societe":
                found.append((model, name))
    return found


class Filler:
    """Rows of any model, with the least that it needs.

    Where each row must name another record, the records are made together: one by one would take minutes.
    """

    def __init__(self):
        self._pools = {}
        self._taken = {}

    def row(self, model, given, number):
        fields = meta_of(model).fields
        shared = {name for names, unique in model._meta.indexes if unique for name in names}
        values = dict(given)
        for name, field in fields.items():
            if name in values or isinstance(field, peewee.AutoField):
                continue
            own = field.unique or name in shared or field.primary_key
            if isinstance(field, RecordField):
                if own or (not field.null and field.default is None):
                    values[name] = self.parent(field.target(), (model, name), apart=own)
            elif own or (not field.null and field.default is None):
                values[name] = self.value(field, number if own else 1)
        return values

    def parent(self, model, child, *, apart):
        """The identifier of a row that another one names; one of its own where each must be another's."""
        key = meta_of(model).primary_key
        if not apart and (known := model.select(key).order_by(key).limit(1).tuples().first()):
            return int(known[0])
        if not apart:
            return int(model.insert(self.row(model, {}, next(_numbers))).execute())
        if model not in self._pools:
            insert(model, [self.row(model, {}, next(_numbers)) for _ in range(MANY)])
            made = model.select(key).order_by(key.desc()).limit(MANY).tuples()
            self._pools[model] = [int(row[0]) for row in made]
        return next(self._taken.setdefault(child, iter(self._pools[model])))

    def value(self, field, number):
        if field.choices:
            return field.choices[0][0]
        if isinstance(field, peewee.CharField):
            return f"x{number}"[-field.max_length :]
        if isinstance(field, peewee.TextField):
            return f"text {number}"
        if isinstance(field, peewee.DateTimeField):
            return datetime(2026, 11, 22)
        if isinstance(field, peewee.DateField):
            return date(2026, 11, 22)
        return Decimal(1) if not isinstance(field, peewee.IntegerField) else number


def insert(model, rows):
    for start in range(0, len(rows), 100):
        model.insert_many(rows[start : start + 100]).execute()


@pytest.fixture
def crowded(admin):
    kept, gone = make(admin, "Kept with much"), make(admin, "Gone with much")
    filler = Filler()
    with transaction():
        for model, name in naming():
            for owner in (kept, gone):
                rows = [filler.row(model, {name: owner}, next(_numbers)) for _ in range(MANY // 2)]
                insert(model, rows)
    yield kept, gone


def count(model, name, owner):
    return int(model.select().where(getattr(model, name) == owner).count())


@pytest.mark.slow
def test_a_thousand_records_of_every_kind_move_and_nothing_is_left(crowded, admin):
    kept, gone = crowded
    assert len(naming()) >= 8, "the tables that name third parties are not found"
    before = {(model, name): (count(model, name, kept), count(model, name, gone)) for model, name in naming()}
    assert all(own >= MANY // 2 and other >= MANY // 2 for own, other in before.values())
    total = {model: model.select().count() for model, _ in naming()}
    merged(admin, kept, gone)
    for model, name in naming():
        own, other = before[model, name]
        assert (model.__name__, name, count(model, name, kept), count(model, name, gone)) == (
            model.__name__, name, own + other, 0,
        )  # fmt: skip
        # the one that is gone
        assert model.select().count() == total[model] - (meta_of(model).table_name == "llx_societe")
