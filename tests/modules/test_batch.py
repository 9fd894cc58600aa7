"""Many creations, changes and deletions in one request: the same as one by one, with one result each."""

import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.access.limits import DatabaseStore, Limiter, limiter
from core.storage.database import close, database, ensure_connected

CONTACTS = "/contacts/batch"


def new(**body):
    return {"method": "POST", "body": body}


def change(identifier, /, verb="PATCH", **body):
    return {"method": verb, "id": identifier, "body": body}


def drop(identifier):
    return {"method": "DELETE", "id": identifier}


def each_for_itself(client, path, *entries):
    answer = client.ask("POST", path, {"atomic": False, "entries": list(entries)})
    assert answer["done"] + answer["failed"] == len(entries) == len(answer["results"])
    assert answer["failed"] == sum("error" in each for each in answer["results"])
    return answer["results"]


def failure(client, path, *entries, status, **more):
    """What all or nothing is refused with."""
    return client.ask("POST", path, {"entries": list(entries), **more}, status=status)["error"]


@pytest.fixture(scope="module")
def owner(admin):
    return admin.ask("POST", "/thirdparties", {"name": "Batch Ltd", "client": 1})


# What comes of the entries -------------------------------------------------------------------------------------------


@pytest.mark.every_database
def test_entries_are_done_in_their_order(admin, owner):
    first, second = admin.ask("POST", CONTACTS, {"entries": [new(lastname="A", socid=owner), new(lastname="B")]})[
        "results"
    ]
    assert [first["status"], second["status"]] == [200, 200]
    a, b = first["result"], second["result"]
    assert admin.get(f"/contacts/{a}")["socid"] == owner and admin.get(f"/contacts/{b}")["lastname"] == "B"
    answer = admin.ask("POST", CONTACTS, {"entries": [
        change(a, lastname="A2", nonsense=1), change(str(b), "PUT", town="Lyon"), drop(a), new(lastname="C"),
    ]})  # fmt: skip
    assert answer["done"] == 4 and answer["failed"] == 0
    patched, put, gone, third = answer["results"]
    assert patched["result"]["lastname"] == "A2" and patched["warnings"] == ["ignored: nonsense"]
    assert (put["result"]["town"], put["result"]["lastname"]) == ("Lyon", "B") and "warnings" not in put
    assert gone == {"status": 200, "result": {"success": {"code": 200, "message": "Contact deleted"}}}
    admin.refused("GET", f"/contacts/{a}", status=404)
    # Each is in the audit trail, as a change by the batch
    (entry,) = admin.get(f"/contacts/{third['result']}/history")
    assert (entry["kind"], entry["operation"]) == ("created", "POST /contacts/batch")


@pytest.mark.every_database
def test_all_or_nothing_names_the_entry_that_fails(admin, owner):
    count = len(admin.get("/contacts", limit=0))
    error = failure(admin, CONTACTS, new(lastname="N", socid=owner), new(lastname="", socid=owner), drop(1), status=400)
    assert error["message"] == "Bad Request: entries[1]: `lastname` is required; nothing was changed"
    assert (error["errors"], error["entry"]) == (
        [{"field": "entries[1].lastname", "message": "`lastname` is required"}],
        1,
    )
    error = failure(admin, CONTACTS, new(lastname="N"), new(lastname="M", socid=999999), status=404)
    assert error["errors"] == [{"field": "entries[1].socid", "message": "no such record"}] and error["entry"] == 1
    assert failure(admin, CONTACTS, new(lastname="N"), drop(999999), status=404)["entry"] == 1
    assert len(admin.get("/contacts", limit=0)) == count


def test_each_for_itself_tells_of_each(admin, owner):
    results = each_for_itself(
        admin, CONTACTS, new(lastname="E1", socid=owner), new(lastname=""), new(lastname="E2", socid=999999),
        drop(999999), change("no number", lastname="x"), new(lastname="E3", nonsense=2), drop(owner and 999998),
    )  # fmt: skip
    assert [each["status"] for each in results] == [200, 400, 404, 404, 400, 200, 404]
    # As the operations alone say it
    for entry, result in ((new(lastname=""), results[1]), (new(lastname="E2", socid=999999), results[2])):
        alone = admin.ask("POST", "/contacts", entry["body"], status=result["status"])["error"]
        assert result["error"] == {name: value for name, value in alone.items() if name != "request_id"}
    assert results[5]["warnings"] == ["ignored: nonsense"]
    assert results[5]["result"] == results[0]["result"] + 1


def test_malformed_entries_are_told_all_at_once(admin):
    entries = [
        {"method": "GET"}, 5, {"method": "POST", "id": 1, "body": {}}, {"method": "PATCH"}, {"method": "DELETE", "id": 1, "body": {}},
        {"method": "POST", "body": {"lastname": "x"}, "href": "/users"}, {"method": "PUT", "id": 1, "if_match": 3}, {"method": ["POST"]},
        {"method": "DELETE", "id": True}, {"method": "DELETE", "id": ""}, {"method": "DELETE", "id": 1, "if_match": ""},
        {"method": "PATCH", "id": 1, "if_match": " ", "body": {}},
    ]  # fmt: skip
    for atomic in (True, False):
        error = failure(admin, CONTACTS, *entries, status=400, atomic=atomic)
        assert [each["field"] for each in error["errors"]] == [
            "entries[0].method", "entries[1]", "entries[2].id", "entries[3].id", "entries[4].body", "entries[5].href",
            "entries[6].if_match", "entries[7].method", "entries[8].id", "entries[9].id", "entries[10].if_match",
            "entries[11].if_match",
        ]  # fmt: skip
    assert [each["field"] for each in failure(admin, CONTACTS, drop("x"), new(lastname="y"), drop("z"), status=400)["errors"]] == [
        "entries[0].id", "entries[2].id",
    ]  # fmt: skip
    for body in (
        {},
        {"entries": []},
        {"entries": 5},
        {"entries": [new()], "all": 1},
        {"entries": [new()], "atomic": "x"},
        [new()],
    ):
        admin.refused("POST", CONTACTS, body, status=400)
    # A service is asked for what it has, and for nothing else
    assert "expected POST, got" in failure(admin, "/stockmovements/batch", drop(1), status=400)["message"]
    admin.refused("POST", "/login/batch", {"entries": [new(login="a", password="b")]}, status=404)
    assert admin.simulate_get(CONTACTS).status_code == 405


def test_if_match_is_each_entrys_own(admin):
    one, two = (admin.ask("POST", "/contacts", {"lastname": name}) for name in ("M1", "M2"))
    tag = admin.simulate_get(f"/contacts/{one}").headers["ETag"]
    results = each_for_itself(
        admin, CONTACTS, {**change(one, town="Here"), "if_match": tag}, {**change(one, town="There"), "if_match": tag},
        {**drop(two), "if_match": '"another"'}, change(two, town="Free"),
    )  # fmt: skip
    assert [each["status"] for each in results] == [200, 412, 412, 200]
    for sent in (tag, ""):
        admin.refused("POST", CONTACTS, {"entries": [drop(two)]}, status=400, headers={"If-Match": sent})


@pytest.mark.every_database
def test_a_batch_is_done_once_under_its_key(admin):
    once, body = (
        {"Idempotency-Key": '"batch-1"'},
        {"atomic": False, "entries": [new(lastname="Once"), new(lastname="")]},
    )
    first = admin.simulate_post(CONTACTS, json=body, headers=once)
    again = admin.simulate_post(CONTACTS, json=body, headers=once)
    assert first.json == again.json and again.headers["Idempotency-Replayed"] == "true"
    assert len(admin.get("/contacts", sqlfilters="(t.lastname:=:'Once')")) == 1
    # What was refused is not kept
    twice = {"Idempotency-Key": '"batch-2"'}
    admin.ask("POST", CONTACTS, {"entries": [new(lastname="Twice"), drop(999999)]}, status=404, headers=twice)
    admin.ask("POST", CONTACTS, {"entries": [new(lastname="Twice")]}, headers=twice)


def test_rights_are_asked_for_each_entry(server, owner):
    admin = server.client()
    writer, nobody = server.user("contacts.write", "thirdparties.all"), server.user("contacts.read")
    contact = admin.ask("POST", "/contacts", {"lastname": "Guarded", "socid": owner})
    results = each_for_itself(
        writer, CONTACTS, change(contact, town="Lyon"), drop(contact), new(lastname="W", socid=owner)
    )
    assert [each["status"] for each in results] == [200, 401, 200]
    assert "contacts.delete" in results[1]["error"]["message"]
    assert failure(writer, CONTACTS, new(lastname="W2"), drop(contact), status=401)["entry"] == 1
    assert "contacts.write or contacts.delete" in nobody.refused("POST", CONTACTS, {"entries": [new()]}, status=401)
    external = server.user(
        "contacts.read", "contacts.write", "contacts.delete", socid=admin.ask("POST", "/thirdparties", {"name": "Ext"})
    )
    results = each_for_itself(
        external,
        CONTACTS,
        change(contact, town="x"),
        drop(contact),
        new(lastname="X", socid=owner),
        new(lastname="Mine"),
    )
    assert [each["status"] for each in results] == [404, 404, 404, 200]
    assert external.get(f"/contacts/{results[3]['result']}")["socid"] is not None
    assert admin.get(f"/contacts/{contact}")["town"] == "Lyon"


# References ----------------------------------------------------------------------------------------------------------


@pytest.mark.every_database
def test_codes_have_no_gap_though_entries_fail_and_eight_clients_write(server):
    admin = server.client()
    last = admin.get(
        f"/thirdparties/{admin.ask('POST', '/thirdparties', {'name': 'First', 'client': 1, 'code_client': '-1'})}"
    )
    answers = []

    def ask(seed):
        client = server.client()
        for _ in range(2):
            entries = [new(name=f"T{seed}", client=1, code_client="-1") for _ in range(5)]
            # The second takes a number before it is refused; the third does not get so far
            entries[1]["body"]["parent"] = 999999
            entries[2]["body"]["name"] = ""
            answers.append(each_for_itself(client, "/thirdparties/batch", *entries))
            failure(client, "/thirdparties/batch", entries[0], entries[1], status=404)

    def work(seed):
        try:
            ask(seed)
        finally:
            close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16
    made = [each["result"] for answer in answers for each in answer if each["status"] == 200]
    assert len(made) == 48 and [len([each for each in answer if "error" in each]) for answer in answers] == [2] * 16
    codes = sorted(admin.get(f"/thirdparties/{identifier}")["code_client"] for identifier in made)
    head, number = last["code_client"][:-5], int(last["code_client"][-5:])
    assert codes == [f"{head}{number + place:05}" for place in range(1, 49)]


# The same as one by one ----------------------------------------------------------------------------------------------

_bodies = st.fixed_dictionaries({}, optional={
    "lastname": st.sampled_from(["Ada", "Bo", "", "x" * 300]), "socid": st.sampled_from([1, 999999, None, "x"]),
    "email": st.sampled_from(["a@example.org", "none"]), "town": st.text("ab", max_size=3), "country_id": st.sampled_from([1, 77777]),
    "other": st.just(1),
})  # fmt: skip
_entries = st.lists(
    st.tuples(st.sampled_from(["POST", "POST", "POST", "PATCH", "PUT", "DELETE"]), st.integers(0, 5), _bodies),
    min_size=1,
    max_size=12,
)


def test_each_for_itself_is_as_one_by_one(serve):
    admin = serve().client()
    admin.ask("POST", "/thirdparties", {"name": "Own", "client": 1})
    admin.ask("POST", "/contacts", {"lastname": "First"})
    # IDs of five digits, which no limit in a message is equal to
    ensure_connected()
    database.execute_sql("UPDATE sqlite_sequence SET seq = 50000 WHERE name = 'llx_socpeople'")

    def prepared():
        return [admin.ask("POST", "/contacts", {"lastname": f"P{number}"}) for number in range(3)]

    def state(result, first):
        """A result without what differs by its moment; identifiers counted from the first one."""
        if isinstance(result, dict):
            passed = ("date_creation", "date_modification", "request_id")
            kept = {name: value for name, value in result.items() if name not in passed}
            return kept | {name: kept[name] - first for name in ("id", "ref") if isinstance(kept.get(name), int)}
        return result

    @settings(max_examples=25)
    @given(_entries)
    def compare(drawn):
        outcomes = []
        for at_once in (True, False):
            first = prepared()[0]
            # The last ones are not there yet, and may be created before they are asked for
            entries = [
                {"method": verb, **({"id": first + place} if verb != "POST" else {}), **({"body": body} if verb != "DELETE" else {})}
                for verb, place, body in drawn
            ]  # fmt: skip
            results = each_for_itself(admin, CONTACTS, *entries) if at_once else [alone(each) for each in entries]
            told = [
                (each["status"], state(each.get("result"), first) if each["status"] == 200 and verb != "POST" else "result" in each,
                 re.sub(rf"(?<!'code': )\b{first + place}\b", "N", str(each.get("error", ""))), each.get("warnings"))
                for each, (verb, place, _) in zip(results, drawn, strict=True)
            ]  # fmt: skip
            made = [
                each["result"] - first
                for each, (verb, _, _) in zip(results, drawn, strict=True)
                if verb == "POST" and each["status"] == 200
            ]
            left = [
                state(each, first)
                for each in admin.get("/contacts", sqlfilters=f"(t.rowid:>=:{first})", sortfield="t.rowid", limit=0)
            ]
            outcomes.append((told, made, left))
            each_for_itself(admin, CONTACTS, *(drop(each["id"] + first) for each in left)) if left else None
        assert outcomes[0] == outcomes[1]

    def alone(entry):
        path = f"/contacts/{entry['id']}" if "id" in entry else "/contacts"
        answer = admin.simulate_request(entry["method"], path, **({"json": entry["body"]} if "body" in entry else {}))
        said = answer.headers.get("Warning", "").partition('"')[2].rstrip('"')
        result = {"status": answer.status_code, **({"warnings": said.split("; ")} if said else {})}
        if answer.status_code == 200:
            return result | {"result": answer.json}
        return result | {"error": {name: value for name, value in answer.json["error"].items() if name != "request_id"}}

    compare()


# Limits --------------------------------------------------------------------------------------------------------------


def test_settings_bound_a_batch(serve):
    admin = serve(batch_entries=3, profile_name="dolibarr16").client()
    assert len(each_for_itself(admin, CONTACTS, *[new(lastname="x")] * 3)) == 3
    error = failure(admin, CONTACTS, *[new(lastname="x")] * 4, status=400)
    assert error["errors"] == [
        {"field": "entries", "message": "Expecting 1 to 3 entries (COMPTOIR_BATCH_ENTRIES) (got 4)"}
    ]
    document = admin.get("/explorer/openapi/contacts.json")["paths"][CONTACTS]["post"]
    assert document["requestBody"]["content"]["application/json"]["schema"]["properties"]["entries"]["maxItems"] == 3


def test_what_is_not_begun_in_time_is_told(serve, write, folder):
    write("slow/class/api_naps.py", SLOW)
    admin = serve(modules=str(folder), batch_seconds=1).client()
    entries = [new(seconds=1.1), new(seconds=0), new(seconds=0)]
    results = each_for_itself(admin, "/naps/batch", *entries)
    assert [each["status"] for each in results] == [200, 503, 503]
    assert "not done, because the batch took more than 1 s (COMPTOIR_BATCH_SECONDS)" in results[1]["error"]["message"]
    error = failure(admin, "/naps/batch", *entries, status=503)
    assert error["entry"] == 1 and "COMPTOIR_BATCH_SECONDS" in error["message"]


@pytest.mark.every_database
def test_a_batch_that_others_wait_for_ends_after_two_seconds(kind, serve, write, folder):
    """On SQLite, where no other request can write meanwhile."""
    write("slow/class/api_naps.py", SLOW)
    admin = serve(kind=kind, modules=str(folder), batch_seconds=0).client()
    results = each_for_itself(admin, "/naps/batch", new(seconds=2.1), new(seconds=0))
    assert [each["status"] for each in results] == [200, 503 if kind == "sqlite" else 200]
    assert kind != "sqlite" or "more than 2 s" in results[1]["error"]["message"]


def test_ten_entries_are_one_request_of_a_keys_allowance(serve, monkeypatch):
    admin = serve(rate=4).client()
    # A minute that does not end meanwhile
    monkeypatch.setattr(limiter, "value", Limiter(DatabaseStore(), lambda: 1_000_000_000.0))
    answer = admin.simulate_post(CONTACTS, json={"entries": [new(lastname="x")] * 21})
    assert answer.headers["RateLimit"].startswith('"key";r=1;')
    assert admin.simulate_post(CONTACTS, json={"entries": [new(lastname="x")] * 11}).status_code == 429


# Of an author's own --------------------------------------------------------------------------------------------------

SLOW = '''
import time

from core import Api


class Naps(Api):
    """Naps."""

    def post(self, request_data: dict) -> float:
        """Sleep.

        :permission: naps.write
        """
        time.sleep(float(request_data["seconds"]))
        return 1
'''

TAG = '''
from peewee import AutoField, CharField, IntegerField

from core import Model, RecordField, Records, Refused, query

from core.storage.database import execute


class Tag(Model):
    """A tag."""

    id = AutoField()
    code = CharField(max_length=20)
    rank = IntegerField(null=True)
    parent = RecordField("self", "Tag", null=True)

    class Meta:
        table_name = "batch_tag"
        required = ("code",)
        indexes = ((("code",), True),)


class All(Records[Tag]):
    model, service, noun = Tag, "tags", "Tag"

    def prepare(self, values, before):
        rank = values.get("rank")
        if rank in (6, 7):
            execute("INSERT INTO batch_tag (code) VALUES (?)", ("of " + values["code"],))
        if rank == 7:
            raise Refused("not seven")
        if rank == 8:
            1 / 0
        if rank == 9:
            values["rank"] = query("SELECT COUNT(*) FROM batch_tag")[0][0]


tags = All()
'''

TAGS = '''
from core import Crud

from ..models import tags


class Tags(Crud):
    """Tags."""

    records = tags
'''

OWN = '''
from core import Api


class Own(Api):
    """Own."""

    def post(self, request_data: dict) -> int:
        """Create."""
        return 1

    def post_batch(self, request_data: list) -> str:
        """The author's own."""
        return "mine"
'''


@pytest.mark.parametrize("profile", ["specification", "dolibarr16"])
def test_an_authors_own_batch_wins_and_a_broken_file_has_none(serve, write, folder, profile):
    write("own/class/api_own.py", OWN)
    write(
        "broken/class/api_broken.py",
        "class Broken:\n    def post(self, body: dict) -> int:\n        return 1\n\n1 / 0\n",
    )
    admin = serve(modules=str(folder), profile_name=profile).client()
    assert admin.ask("POST", "/own/batch", [1]) == "mine"
    admin.refused("POST", "/broken/batch", {}, status=501)


NAMED = '''
class Named:
    """Named."""

    def post(self, name: str, size: int) -> int:
        """Create."""
        return size
'''


def test_a_body_that_is_not_an_object_is_refused_at_its_place(serve, write, folder):
    write("named/class/api_named.py", NAMED)
    admin = serve(modules=str(folder)).client()
    wrong = {"method": "POST", "body": 5}
    error = failure(admin, "/named/batch", wrong, new(name="a"), status=400)
    assert [each["field"] for each in error["errors"]] == ["entries[0]", "entries[1].size"]
    assert "expected an object as body, got 5" in error["errors"][0]["message"]


@pytest.mark.every_database
def test_each_entry_is_done_by_itself(kind, serve, write, folder):
    write("tags/models.py", TAG)
    write("tags/class/api_tags.py", TAGS)
    admin = serve(kind, modules=str(folder)).client()
    results = each_for_itself(
        admin, "/tags/batch", new(code="a"), new(code="b", rank=1), new(code="c", parent=1, colour="red"), new(code="a"),
        new(code="d", rank=7), new(code="e", parent=99), new(code="f", rank=8), new(code="g", parent=99, rank="x"), new(code="h"),
        new(code="w", rank=6), new(code="of w"), new(code="d", rank=9),
    )  # fmt: skip
    assert [each["status"] for each in results] == [200, 200, 200, 405, 405, 404, 500, 400, 200, 200, 405, 200]
    assert results[2]["warnings"] == ["ignored: colour"]
    assert results[3]["error"]["errors"] == [{"field": "code", "message": "another record has this value"}]
    assert [each["field"] for each in results[7]["error"]["errors"]] == ["rank", "parent"]
    found = {each["code"]: each for each in admin.get("/tags")}
    # What an entry writes is there for the next ones, unless it is refused
    assert {code: (each["rank"], each["parent"]) for code, each in found.items()} == {
        "a": (None, None), "b": (1, None), "c": (None, 1), "h": (None, None), "of w": (None, None), "w": (6, None),
        "d": (6, None),
    }  # fmt: skip
    assert [found[code]["id"] for code in "abchwd"] == [each["result"] for each in results if "result" in each]
    # All or nothing, the first failure in order counts
    for entries, status, entry in (
        ([new(code="i"), new(code="j", rank=1), new(code="i"), new(code="k", rank=7)], 405, 2),
        ([new(code="i"), new(code="j", rank=8), new(code="i")], 500, 1),
        ([*(new(code=f"m{number}") for number in range(260)), new(code="m3")], 405, 260),
    ):
        error = failure(admin, "/tags/batch", *entries, status=status)
        assert error["entry"] == entry
    assert len(admin.get("/tags")) == 7
    done = admin.ask("POST", "/tags/batch", {"entries": [new(code=f"n{number}") for number in range(311)]})["results"]
    found = {each["id"]: each["code"] for each in admin.get("/tags", limit=0)}
    assert [found[each["result"]] for each in done] == [f"n{number}" for number in range(311)]


def test_rows_with_extra_fields_keep_their_place(serve):
    admin = serve().client()
    admin.ask("POST", "/setup/extrafields/socpeople/shoe", {"label": "Shoe", "type": "int"})
    sent = [None, 42, None, None, 43, None]
    extended = [{} if size is None else {"array_options": {"options_shoe": size}} for size in sent]
    entries = [new(lastname=f"E{number}", **extras, colour=1) for number, extras in enumerate(extended)]
    results = each_for_itself(admin, CONTACTS, *entries)
    assert [each["warnings"] for each in results] == [["ignored: colour"]] * 6
    made = [admin.get(f"/contacts/{each['result']}") for each in results]
    assert [each["lastname"] for each in sorted(made, key=lambda each: each["id"])] == [
        f"E{number}" for number in range(6)
    ]
    assert [(each["array_options"] or {}).get("options_shoe") for each in made] == sent
