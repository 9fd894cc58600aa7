"""Handlers with ``when="commit"``: all events of a transaction at once; what a user may read of their records."""

import json
from textwrap import dedent

import pytest

from core import Unauthorized, acting_as, read_record, readable
from core.contract.catalogue import catalogue
from core.storage.database import execute, query
from core.testing import serving, statements

MODULE = {
    "models.py": """
        from peewee import AutoField, CharField, TextField
        from core import Model, RecordField, Records

        class Shelf(Model):
            id = AutoField()
            name = CharField(max_length=40, null=True)
            code = CharField(max_length=40, default="")
            cost = CharField(max_length=40, default="1")

            class Meta:
                table_name = "attic_shelf"
                secret = ("code",)
                internal = ("cost",)

        class Note(Model):
            text = TextField()

            class Meta:
                table_name = "attic_note"
                audited = False

        class Shelves(Records[Shelf]):
            model, service, noun = Shelf, "shelves", "Shelf"
            events = ("moved",)

        shelves = Shelves()
        """,
    "events.py": """
        import json
        from core import Refused, on
        from .models import Note

        @on("any.any", when="commit")
        def note(events):
            if any(each.event == "moved" for each in events):
                raise Refused("nothing moves here")
            Note.create(text=json.dumps([
                [each.service, each.event, each.id, each.record, dict(each.before), dict(each.after)]
                for each in events
            ]))

        @on("shelves.deleted", when="commit")
        def note_deletion(events):
            Note.create(text=json.dumps(["deleted", *(each.id for each in events)]))
        """,
    "class/api_shelves.py": '''
        from core import Crud, emit, transaction
        from ..models import shelves

        events = ("counted",)

        class Shelves(Crud):
            """Shelves."""
            records = shelves

            def count(self, request_data: dict) -> int:
                """Count.

                :url: POST count
                :permission: write
                """
                with transaction():
                    emit("shelves", "counted", {"shelves": 2})
                return 2

            def lock(self, id: int, code: str) -> bool:
                """Set the code.

                :url: POST {id}/lock
                :permission: write
                """
                return shelves.change(id, {}, code=code)

            def move(self, id: int) -> int:
                """Move.

                :url: POST {id}/move
                :permission: write
                """
                with transaction():
                    shelves.change(id, {"name": "moved"})
                    shelves.notify("moved", id)
                return 1
        ''',
}


def write(folder):
    for name, text in MODULE.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))


@pytest.fixture(scope="module")
def attic(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("attic")
    write(folder / "outside/attic")
    with serving(folder, kind, modules=str(folder / "outside")) as served:
        yield served


@pytest.fixture
def admin(attic):
    query_notes()
    return attic.client()


def query_notes():
    """Return the notes since the last call."""
    rows = query("SELECT text FROM attic_note ORDER BY id")
    execute("DELETE FROM attic_note")
    return [json.loads(text) for (text,) in rows]


pytestmark = pytest.mark.every_database


def test_one_call_has_all_events_of_a_transaction(admin):
    first = admin.ask("POST", "/shelves", {"name": "A"})
    assert query_notes() == [[["shelves", "created", first, None, {}, {}]]]
    sent = {
        "entries": [{"method": "POST", "body": {"name": "B"}}, {"method": "PATCH", "id": first, "body": {"name": "C"}}]
    }
    admin.ask("POST", "/shelves/batch", sent | {"atomic": True})
    assert query_notes() == [[
        ["shelves", "created", first + 1, None, {}, {}],
        ["shelves", "changed", first, None, {"name": "A"}, {"name": "C"}],
    ]]  # fmt: skip
    admin.ask("POST", "/shelves/count", {})
    assert query_notes() == [[["shelves", "counted", None, {"shelves": 2}, {}, {}]]]


def test_what_is_undone_is_not_told(admin):
    first = admin.ask("POST", "/shelves", {"name": "A"})
    query_notes()
    sent = [
        {"method": "PATCH", "id": first, "body": {"name": "B"}},
        {"method": "PATCH", "id": first, "body": {"name": "x" * 50}},
    ]
    # Each entry is a savepoint of its own
    assert admin.ask("POST", "/shelves/batch", {"entries": sent, "atomic": False})["failed"] == 1
    assert query_notes() == [[["shelves", "changed", first, None, {"name": "A"}, {"name": "B"}]]]


def test_an_error_undoes_the_transaction(admin):
    first = admin.ask("POST", "/shelves", {"name": "A"})
    assert "nothing moves here" in admin.refused("POST", f"/shelves/{first}/move", status=405)
    assert admin.get(f"/shelves/{first}")["name"] == "A"


def test_secrets_are_masked_and_a_handler_gets_its_own_events_only(admin):
    first = admin.ask("POST", "/shelves", {"name": "A"})
    admin.ask("POST", f"/shelves/{first}/lock", {"code": "1234"})
    query_notes()
    admin.ask("POST", f"/shelves/{first}/lock", {"code": "5678"})
    assert query_notes() == [[["shelves", "changed", first, None, {"code": "***"}, {"code": "***"}]]]
    admin.ask("DELETE", f"/shelves/{first}")
    assert query_notes() == [[["shelves", "deleted", first, None, {}, {}]], ["deleted", first]]


def test_no_record_is_read_for_it(admin):
    first = admin.ask("POST", "/shelves", {"name": "A"})
    with statements() as seen:
        admin.ask("PATCH", f"/shelves/{first}", {"name": "B"})
    noted = [each for each in seen if "attic_note" in each]
    selects = [each for each in seen if each.startswith("SELECT") and "attic_shelf" in each]
    # The row before the change, and the record of the response
    assert len(noted) == 1, seen
    assert len(selects) == 2, seen


# What a user may read -------------------------------------------------------------------------------------------------


def test_a_record_is_read_as_its_reader_does(attic, admin):
    shelf = admin.ask("POST", "/shelves", {"name": "A"})
    company, other = (admin.ask("POST", "/thirdparties", {"name": name}) for name in ("Acme", "Other"))
    inside, outside, stranger = (
        attic.user("shelves.read"), attic.user("shelves.read", "thirdparties.read", socid=company), attic.user(),
    )  # fmt: skip
    with acting_as(inside.user_id):
        assert read_record("shelves", shelf) == {"id": shelf, "name": "A", "cost": "1"}
        assert readable("shelves", [shelf, shelf + 99]) == {shelf}
    with acting_as(outside.user_id):
        assert read_record("shelves", shelf) == {"id": shelf, "name": "A"}
        assert readable("thirdparties", [company, other]) == {company}
    with acting_as(stranger.user_id):
        assert readable("shelves", [shelf]) == set()
        with pytest.raises(Unauthorized, match=r"shelves\.read"):
            read_record("shelves", shelf)


def test_only_administrators_read_what_has_no_operation(attic, admin):
    user = attic.user("setup.read")
    with acting_as(user.user_id):
        assert readable("setup", [1]) == set()
    with acting_as(attic.administrator.id):
        assert readable("setup", [1]) == {1}


def test_nobody_acts_as_a_disabled_user(attic, admin):
    user = attic.user("shelves.read")
    admin.ask("PATCH", f"/users/{user.user_id}", {"statut": 0})
    with pytest.raises(Unauthorized, match="doesn't exist or is disabled"), acting_as(user.user_id):
        pass


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('@on("any.any", when="before")\ndef f(service, record): ...', 'expected when="commit" for every event'),
        ('@on("any.any", when="commit")\ndef f(): ...', "expected (events)"),
        ('@on("shelves.deletd", when="commit")\ndef f(events): ...', "did you mean deleted?"),
    ],
)
def test_what_would_not_run_is_a_load_failure(serve, folder, text, reason):
    write(folder / "attic")
    (folder / "attic/events.py").write_text(f"from core import on\n{text}\n")
    served = serve(modules=str(folder))
    assert [reason in each.reason for each in catalogue().failures] == [True], catalogue().failures
    # It might have refused it
    served.client().refused("POST", "/shelves", {"name": "A"}, status=405)
    assert served.client().get("/health/ready")["parts"]["store"] == "ok"
