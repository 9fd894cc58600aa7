"""A body is refused in the same words whichever way it comes: alone, in a batch, among many rows, as a change.

Bodies are random, for five services of different kinds. What is compared is status, message, and every field with its
reason; the place of an entry or a row in front of a field is taken away. The rules of comparison:

- A batch reports what the operation alone returns. Many rows are one request with invalid rows, which is 400 whatever
  is wrong with a row; its message counts the rejected rows and quotes one reason.
- PUT and PATCH change a record that holds only what a creation requires, so whatever a body leaves out has the same
  value in a creation. They ask for nothing that the body leaves out, and don't take what can be set only on creation.
  So of a creation's reasons those count whose field the body sends. `prepare` isn't asked about a body without a
  required field, so a change may then have more reasons than the creation.
- A refused body writes nothing in any table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import query
from core.storage.database import database, ensure_connected
from core.testing import Client, serving
from tests.core.records import market

pytestmark = pytest.mark.any_database

Body = dict[str, Any]

MISSING_ID = 999_999
USED_DAY = "2026-01-05"
#: what hardly any field takes
ODD = [
    None, "", "x", "x" * 300, "7", 5, -1, 0, 2.5, 2**40, True, [], [1], {}, {"a": 1}, "2026-02-30", "2026-11-21", "1e40",
]  # fmt: skip
#: what changes ignore with a warning, so that a record can be sent back as it was read
IGNORED_BY_CHANGES = {"commercial_id", "linked_objects", "linkedObjectsIds"}
#: whose codes bodies may name in place of IDs
DICTIONARIES = (
    "availability", "company_types", "countries", "incoterms", "ordering_origins", "payment_terms", "payment_types",
    "regions", "shipping_methods", "staff", "states", "units",
)  # fmt: skip
_NAMES = ("thirdparties", "contacts", "products", "warehouses", "orders", "stalls")
RIGHTS = [f"{service}.{verb}" for service in _NAMES for verb in ("read", "write", "delete")]
#: values of the extra fields `size`, a number, and `tag`, a unique text
EXTRAS = [
    None, "x", [1], {}, {"options_size": "many"}, {"options_size": 5, "options_other": 1}, {"options_tag": "used"},
    {"options_tag": "t" * 99, "options_size": []},
]  # fmt: skip

_numbers = count(1)


class World(NamedTuple):
    """A server with records that bodies refer to.

    :ivar callers: who sends bodies, by name
    :ivar own: the third party that every caller sees
    :ivar hidden: a third party that only the administrator sees
    """

    admin: Client
    callers: dict[str, Client]
    own: int
    hidden: int


class Service(NamedTuple):
    """A service, and what random bodies for it are made of.

    :ivar model: how the OpenAPI document names its records
    :ivar base: make a body that is accepted, another one each time
    :ivar required: what a creation must send
    :ivar values: more telling values than `ODD`, by field
    """

    name: str
    model: str
    base: Callable[[World], Body]
    required: tuple[str, ...]
    values: Callable[[World], Mapping[str, list[Any]]]
    callers: tuple[str, ...] = ("admin", "seller", "guest")
    strict: bool = False


def references(world):
    return [world.own, world.hidden, MISSING_ID, str(MISSING_ID), "x", None, 2**40]


def new_stall(world):
    number = next(_numbers)
    body = {"number": f"S{number}", "place": f"P{number}", "day": "2026-11-21", "rent": 5, "tenant": world.own}
    return {**body, "array_options": {"options_room": 1}}


SERVICES = [
    Service(
        "thirdparties",
        "Thirdparty",
        lambda world: {"name": f"Company {next(_numbers)}"},
        ("name",),
        lambda world: {
            "name": ["", None, "  ", "n" * 129, 5, []],
            "email": ["nobody", "a@example.org", "a@b"],
            "client": [0, 1, 7, "x", None],
            "parent": references(world),
            "barcode": ["USED", " USED ", "free"],
            "code_client": ["USED-CODE-1", "short", "-1", None],
            "commercial_id": [MISSING_ID, "x", "", -1],
            "capital": ["1000.50", "much", "1e25"],
            "array_options": EXTRAS,
        },
        ("admin", "seller"),
    ),
    Service(
        "contacts",
        "Contact",
        lambda world: {"lastname": f"Contact {next(_numbers)}", "socid": world.own},
        ("lastname",),
        lambda world: {
            "lastname": ["", None, " ", "n" * 999, True],
            "socid": references(world),
            "email": ["nobody", "a@example.org"],
            "birthday": ["2026-02-30", "soon", "1980-05-01", 20260101],
            "civility_code": ["MR", "x" * 99, 5],
            "priv": [0, 1, 2, "x"],
            "array_options": EXTRAS,
        },
    ),
    Service(
        "products",
        "Product",
        lambda world: {"ref": f"P{next(_numbers)}", "label": "Lamp"},
        ("ref", "label"),
        lambda world: {
            "ref": ["USED", "", None, "r" * 200],
            "label": ["", None, "n" * 300],
            "barcode": ["USED", "free"],
            "type": [0, 1, 2, "service"],
            "price": ["10", "dear", "1e25", -5],
            "price_min": ["12", "1", "x"],
            "price_base_type": ["HT", "TTC", "NET"],
            "tva_tx": ["20", "-1", "x", 10**9],
            "fk_unit": [MISSING_ID, 0, "x"],
            "fk_default_warehouse": [MISSING_ID, 0],
            "duration": ["1m", "soon"],
            "array_options": EXTRAS,
        },
        ("admin",),
    ),
    Service(
        "warehouses",
        "Warehouse",
        lambda world: {"label": f"W{next(_numbers)}"},
        ("label",),
        lambda world: {"label": ["USED", "", None, "n" * 300, 5], "fk_parent": [MISSING_ID, "x", 0]},
        ("admin",),
    ),
    Service(
        "orders",
        "Order",
        lambda world: {"socid": world.own, "date": "2026-11-21"},
        ("socid", "date"),
        lambda world: {
            "socid": references(world),
            "date": ["2026-02-30", "soon", None, "", "2026-11-22"],
            "cond_reglement_id": [MISSING_ID, "x", 1],
            "availability_id": [MISSING_ID, "x", 0],
            "warehouse_id": [MISSING_ID, "x", 0],
            "delivery_date": ["2026-02-30", "2026-12-01"],
            "lines": [[{"qty": "x"}], [{"qty": 1, "subprice": 5, "desc": "x"}], "x", [5], [{"fk_product": MISSING_ID}]],
            "linked_objects": [{"propal": MISSING_ID}, {"letter": 1}, "x"],
            "array_options": EXTRAS,
        },
    ),
    Service(
        "stalls",
        "Stall",
        new_stall,
        ("number", "place", "day", "rent"),
        lambda world: {
            "number": ["USED", "used", "what?", "", None, "n" * 10, 5],
            "place": ["A", "", None, "n" * 10],
            "day": [USED_DAY, "2026-02-30", "soon", None],
            "hall": ["north", "south", "west", None],
            "rent": ["1000", "1001", "much", None, "1e9"],
            "guests": [13, 2, "x", None],
            "opened": ["2026-11-21T10:00:00Z", "soon", 20260101],
            "lit": [True, "maybe", None],
            "tenant": references(world),
            "beside": [MISSING_ID, "x", None],
            # A stall needs a room
            "array_options": [*EXTRAS, {"options_room": None}]
            + [{"options_room": 1, **each} for each in EXTRAS if isinstance(each, dict)],
            "nonsense": [1, None],
        },
        strict=True,
    ),
]


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("market")
    with serving(folder, kind, modules=market.fill(folder / "outside")) as made:
        yield made


@pytest.fixture(scope="module")
def world(served):
    admin = served.client()
    # A dictionary fills itself when its first code is looked up
    for name in DICTIONARIES:
        admin.get(f"/setup/dictionary/{name}")
    own, hidden = (admin.ask("POST", "/thirdparties", {"name": name, "client": 1}) for name in ("Own", "Hidden"))
    for element in ("societe", "socpeople", "product", "commande", "market_stall"):
        for name, more in (("size", {"type": "int"}), ("tag", {"type": "varchar", "size": "20", "unique": 1})):
            admin.ask("POST", f"/setup/extrafields/{element}/{name}", {"label": name, **more})
    admin.ask("POST", "/setup/extrafields/market_stall/room", {"label": "room", "type": "int", "required": 1})
    seller = served.user(*RIGHTS, represents=[own])
    guest = served.user(*RIGHTS, socid=own)
    made = World(admin, {"admin": admin, "seller": seller, "guest": guest}, own, hidden)
    # What may exist once exists
    taken = {
        "thirdparties": {"barcode": "USED", "client": 1, "code_client": "USED-CODE-1"},
        "products": {"ref": "USED", "barcode": "USED"},
        "warehouses": {"label": "USED"},
        "stalls": {"number": "USED", "place": "A", "day": USED_DAY},
    }
    for service in SERVICES:
        body = {**service.base(made), **taken.get(service.name, {})}
        body["array_options"] = {**body.get("array_options", {}), "options_tag": "used"}
        admin.ask("POST", f"/{service.name}", body)
    return made


# The ways -----------------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What came of a body.

    :ivar message: of the error
    :ivar wrong: each field with its reason, sorted; none if the message has the only reason
    """

    status: int
    message: str = ""
    wrong: tuple[tuple[str, str], ...] = ()


ACCEPTED = Outcome(200)


def outcome(status, error, place=""):
    """Return the outcome that an error reports, without the place of its entry."""
    found = [(each["field"], each["message"]) for each in error.get("errors", [])]
    message = error["message"]
    if place:
        assert all(field.startswith(f"{place}.") for field, _ in found), found
        assert f": {place}: " in message, message
        message = message.replace(f": {place}: ", ": ", 1)
    return Outcome(status, message, tuple(sorted((field.removeprefix(f"{place}."), why) for field, why in found)))


class Sender:
    """Sends a body to a service in each way; undoes what is written."""

    def __init__(self, world, service, caller):
        self._admin, self._caller = world.admin, world.callers[caller]
        self._service, self._path = service, f"/{service.name}"
        self.new = partial(service.base, world)

    def alone(self, verb, body, *place):
        """By its own operation."""
        status, data = self._ask(verb, "/".join([self._path, *map(str, place)]), body)
        if status != 200:
            return outcome(status, data["error"])
        if verb == "POST":
            self._undo(data)
        return ACCEPTED

    def all_or_nothing(self, verb, body, *place, before, accepted):
        """As the last entry of a batch; an accepted one is undone by one more, which fails."""
        entries = [*map(_creation, before), _entry(verb, body, *place)]
        entries += [{"method": "DELETE", "id": MISSING_ID}] if accepted else []
        status, data = self._ask("POST", f"{self._path}/batch", {"entries": entries})
        assert status != 200, f"accepted in a batch only: {verb} {body}"
        number = data["error"]["entry"]
        if number > len(before):
            return ACCEPTED
        error = data["error"] | {"message": data["error"]["message"].removesuffix("; nothing was changed")}
        return outcome(status, error, f"entries[{len(before)}]")

    def each_for_itself(self, verb, body, *place, before, after):
        """Between entries of a batch that are accepted, and stay."""
        entries = [_creation(before), _entry(verb, body, *place), *map(_creation, after)]
        _, data = self._ask("POST", f"{self._path}/batch", {"entries": entries, "atomic": False})
        other, found, *others = data["results"]
        assert {200} == {each["status"] for each in (other, *others)}, data
        if found["status"] != 200:
            return outcome(found["status"], found["error"])
        if verb == "POST":
            self._undo(found["result"])
        return ACCEPTED

    def many(self, body, before):
        """As the last of many rows, which are all written or none."""
        rows, service = [*before, body], self._service
        where = (f"{self._path}/many", {}) if service.strict else ("/imports", {"service": service.name})
        status, data = self._ask("POST", where[0], {**where[1], "rows": rows})
        if status == 200:
            self._undo(*data)
            return ACCEPTED
        place, error = f"rows[{len(before)}]", data["error"]
        head = f"Bad Request: 1 of {len(rows)} entries rejected; "
        assert error["message"] in [f"{head}{each['field']}: {each['message']}" for each in error["errors"]]
        if [each["field"] for each in error["errors"]] == [place]:
            return Outcome(status, error["errors"][0]["message"])
        return outcome(status, error | {"message": f": {place}: "}, place)

    def _ask(self, verb, path, body):
        answer = self._caller.simulate_request(verb, path, json=body)
        return answer.status_code, answer.json

    def _undo(self, *identifiers):
        for each in identifiers:
            self._admin.ask("DELETE", f"{self._path}/{each}")


def _entry(verb, body, *place):
    return {"method": verb, "body": body, **({"id": place[0]} if place else {})}


def _creation(body):
    return _entry("POST", body)


def count_rows():
    """Count the rows of every table but those that serve searches."""
    ensure_connected()
    tables = [name for name in database.get_tables() if not name.startswith("comptoir_words_")]
    return dict(query(" UNION ALL ".join(f"SELECT '{name}', COUNT(*) FROM {name}" for name in tables)))


# The test -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("service", SERVICES, ids=[each.name for each in SERVICES])
def test_a_body_is_refused_alike_whichever_way_it_comes(world, service, kind):
    names, at_creation = fields_of(world, service)
    telling = [(name, value) for name, values in service.values(world).items() for value in values]
    field = st.one_of(
        st.sampled_from(telling), st.sampled_from(telling), st.tuples(st.sampled_from(names), st.sampled_from(ODD))
    )
    records = {}
    seen = set()
    # The others are many times slower, and reject a body for hardly any reason of their own
    share = 1 if kind == "sqlite" else 4

    @settings(max_examples=settings.default.max_examples // share)
    @given(
        caller=st.sampled_from(service.callers),
        fields=st.lists(field, max_size=4).map(dict),
        left_out=st.one_of(st.none(), st.none(), st.sampled_from(service.required)),
    )
    def compare(caller, fields, left_out):
        body = {**service.base(world), **fields}
        body = {name: _sent(world, caller, name, value) for name, value in body.items() if name != left_out}
        if caller not in records:
            records[caller] = world.callers[caller].ask("POST", f"/{service.name}", service.base(world))
        created = creations(Sender(world, service, caller), body)
        seen.add(created.status)
        if changes(Sender(world, service, caller), body, at_creation, records[caller], created):
            del records[caller]

    compare()
    assert {200, 400} <= seen


def fields_of(world, service):
    """Return the names of all fields, without second ones, and of those that only a creation takes."""
    schemas = world.admin.get(f"/explorer/openapi/{service.name}.json")["components"]["schemas"]
    new, changed = (schemas[service.model + purpose]["properties"] for purpose in ("New", "Change"))
    return sorted(name for name, each in new.items() if "x-alias-of" not in each), {*new} - {
        *changed
    } | IGNORED_BY_CHANGES


def _sent(world, caller, name, value):
    """Let an external user name a third party, and everyone a date of an order, in place of none.

    A creation takes the user's own third party and today for none, a change refuses it.
    """
    if name == "date" and value in (None, ""):
        return "2026-11-21"
    is_none = name in ("socid", "tenant") and value in (None, "", 0, -1)
    return world.own if is_none and caller == "guest" else value


def creations(sender, body):
    """Compare the ways of a creation; return what comes of the body alone."""
    before = count_rows()
    alone = sender.alone("POST", body)
    is_accepted = alone == ACCEPTED
    for others in ([], [sender.new()]):
        assert sender.all_or_nothing("POST", body, before=others, accepted=is_accepted) == alone
        many = sender.many(body, others)
        assert many.wrong == alone.wrong
        if not alone.wrong:
            assert many.message == alone.message.partition(": ")[2]
        assert many.status == (200 if is_accepted else 400)
    assert is_accepted or count_rows() == before
    before_it, after_it = sender.new(), [sender.new()]
    assert sender.each_for_itself("POST", body, before=before_it, after=after_it) == alone
    return alone


def changes(sender, body, at_creation, record, created):
    """Compare the ways of changes with each other and with the creation; return whether one was accepted."""
    is_whole = not {*body} & at_creation
    body = {name: value for name, value in body.items() if name not in at_creation}
    counted = tuple(each for each in created.wrong if _is_asked_of_a_change(*each, body, at_creation))
    some_accepted = False
    for verb in ("PUT", "PATCH"):
        before = count_rows()
        alone = sender.alone(verb, body, record)
        is_accepted = alone == ACCEPTED
        assert sender.all_or_nothing(verb, body, record, before=[], accepted=is_accepted) == alone
        assert is_accepted or count_rows() == before
        assert sender.each_for_itself(verb, body, record, before=sender.new(), after=[]) == alone
        if counted == created.wrong and (is_whole or counted or created == ACCEPTED):
            assert alone == created, (verb, body)
        elif alone.wrong or is_accepted:
            assert {*counted} <= {*alone.wrong}
        else:
            # `prepare` rejected the change without naming a field; the creation failed before `prepare`
            assert alone.status == 405
        some_accepted = some_accepted or is_accepted
    return some_accepted


def _is_asked_of_a_change(name, reason, body, at_creation):
    """Whether a change has a creation's reason, too: not for what is missing, nor for what it doesn't take."""
    sent = {*body, *(f"array_options.{each}" for each in _as_map(body.get("array_options")))}
    is_missing = reason == f"`{name}` is required" and name not in sent
    return not is_missing and name.split(".")[0].split("[")[0] not in at_creation


def _as_map(value):
    return value if isinstance(value, dict) else {}


M = MISSING_ID
#: service, fields that are wrong together; status, and every field that the error lists
TOGETHER = [
    ("stalls", {"number": "USED", "array_options": {"options_room": None}}, 400, ["array_options.options_room", "number"]),
    ("stalls", {"number": "what?", "label": None}, 400, ["number"]),
    ("stalls", {"number": "USED", "tenant": M, "rent": None}, 400, ["number", "rent", "tenant"]),
    ("products", {"fk_default_warehouse": M, "barcode": "USED"}, 404, ["barcode", "fk_default_warehouse"]),
    ("orders", {"warehouse_id": M, "availability_id": M}, 400, ["availability_id", "warehouse_id"]),
    ("orders", {"warehouse_id": M, "socid": M}, 404, ["socid", "warehouse_id"]),
    ("orders", {"lines": [{"desc": "x"}, {"fk_product": M}, {"fk_product": M}]}, 404, ["lines[1].fk_product", "lines[2].fk_product"]),
    ("orders", {"lines": [{"qty": "x"}], "linked_objects": "x", "date": "soon"}, 400, ["date", "lines[0].qty", "linked_objects"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "status", "wrong"), TOGETHER)
def test_all_that_is_wrong_is_told_at_once(world, name, fields, status, wrong):
    service = next(each for each in SERVICES if each.name == name)
    sender = Sender(world, service, "admin")
    ways = [sender.alone("POST", service.base(world) | fields)]
    if "lines" not in fields:
        ways.append(sender.alone("PATCH", fields, world.admin.ask("POST", f"/{name}", service.base(world))))
    for found in ways:
        assert (found.status, [field for field, _ in found.wrong]) == (status, wrong)


def test_a_second_day_of_an_order_is_told_with_the_rest(world):
    service = next(each for each in SERVICES if each.name == "orders")
    made = world.admin.ask("POST", "/orders", service.base(world))
    body = {"date": "2026-11-22", "date_commande": "soon", "socid": M, "availability_id": "x"}
    found = Sender(world, service, "admin").alone("PATCH", body, made)
    assert [field for field, _ in found.wrong] == ["availability_id", "date_commande", "socid"]


def test_a_replacement_by_an_external_user_keeps_their_third_party(world):
    guest = world.callers["guest"]
    body = new_stall(world)
    made = guest.ask("POST", "/stalls", body)
    del body["tenant"]
    assert guest.ask("PUT", f"/stalls/{made}", body | {"rent": 6})["tenant"] == world.own
