"""What happens to the rows that name a record that is deleted, on each kind of database."""

import threading

import pytest

from core import RecordField, query, transaction
from core.storage.database import backend, close, end_of_request, ensure_connected, execute
from core.testing import serving, statements
from tests.core.records import club
from tests.core.records.test_wrong_bodies import sheet

pytestmark = pytest.mark.every_database


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("club")
    with serving(folder, kind, modules=club.fill(folder / "outside")) as served:
        yield served


@pytest.fixture(scope="module")
def admin(served):
    client = served.client()
    for kind in ("club_part", "club_remark", "club_member"):
        client.ask("POST", f"/setup/extrafields/{kind}/shade", {"label": "Shade", "type": "varchar"})
    return client


@pytest.fixture(scope="module")
def member(admin):
    return int(admin.ask("POST", "/clubmembers", {"label": "Ada", "number": "1"}))


def count(table):
    ensure_connected()
    return int(query(f"SELECT COUNT(*) FROM {table}")[0][0])


SHADE = {"array_options": {"options_shade": "grey"}}


def with_parts(admin, member, **more):
    """A sheet with three parts, each before the next one, and a remark of the last."""
    made = admin.ask("POST", "/clubsheets", sheet(member, **more))
    parts = []
    for word in ("one", "two", "three"):
        before = {"before": parts[-1]} if parts else {}
        parts.append(admin.ask("POST", "/clubparts", {"sheet": made, "word": word, **before, **SHADE}))
    admin.ask("POST", "/clubremarks", {"part": parts[-1], **SHADE})
    return made, parts


def test_rows_go_with_what_they_name_and_so_do_those_below(admin, member):
    kept, _ = with_parts(admin, member)
    tables = ("club_part", "club_remark", "club_part_extrafields", "club_remark_extrafields")
    before = [count(table) for table in tables]
    made, parts = with_parts(admin, member)
    with statements() as seen:
        admin.ask("DELETE", f"/clubsheets/{made}")
    assert [count(table) for table in tables] == before
    assert admin.get(f"/clubsheets/{kept}")["id"] == kept
    for table in ("club_remark", "club_remark_extrafields", "club_sheet"):
        assert len([each for each in seen if each.startswith(("DELETE FROM `", 'DELETE FROM "')) and table in each]) in (
            1, 2,
        ), table  # fmt: skip
    # MariaDB looks at each row by itself, and each part is named by the one behind it
    deleted = [each for each in seen if each.startswith(('DELETE FROM "club_part" ', "DELETE FROM `club_part` "))]
    assert len(deleted) == (3 if backend().name == "mysql" else 1)
    changes = admin.get("/audit", sqlfilters="(t.kind:=:'deleted')", limit=200)
    told = {(each["element"], each["record"]) for each in changes if each["element"] in ("club_part", "club_sheet")}
    assert {("club_sheet", str(made)), *(("club_part", str(part)) for part in parts)} <= told


def test_what_keeps_a_record_is_named_and_counted(admin, member):
    made, parts = with_parts(admin, member)
    bills = [admin.ask("POST", "/clubbills", {"part": part}) for part in parts[:2]]
    before = [count(table) for table in ("club_part", "club_remark", "club_sheet")]
    # The bills keep parts, and those the sheet
    message = admin.refused("DELETE", f"/clubsheets/{made}", status=405)
    assert message == f"Method Not Allowed: Sheet {made} can't be deleted, because it is used by 2 bills"
    message = admin.refused("DELETE", f"/clubparts/{parts[0]}", status=405)
    # The part behind it goes with it, and is kept by the other bill
    assert message.endswith(f"Part {parts[0]} can't be deleted, because it is used by 2 bills")
    message = admin.refused("DELETE", f"/clubmembers/{member}", status=405)
    assert f"Member {member} can't be deleted, because it is used by " in message
    assert " sheet" in message and "club_" not in message
    assert [count(table) for table in ("club_part", "club_remark", "club_sheet")] == before
    for bill in bills:
        admin.ask("DELETE", f"/clubbills/{bill}")
    admin.ask("DELETE", f"/clubsheets/{made}")


def test_rows_let_go_of_what_they_name(admin, member):
    coach = admin.ask("POST", "/clubmembers", {"label": "Bo", "number": "2", **SHADE})
    pupils = [
        admin.ask("POST", "/clubmembers", {"label": "Cy", "number": f"2{each}", "coach": coach}) for each in range(2)
    ]
    made = admin.ask("POST", "/clubsheets", sheet(member))
    bill = admin.ask("POST", "/clubbills", {"sheet": made})
    with statements() as seen:
        admin.ask("DELETE", f"/clubmembers/{coach}")
        admin.ask("DELETE", f"/clubsheets/{made}")
    assert [admin.get(f"/clubmembers/{pupil}")["coach"] for pupil in pupils] == [None, None]
    assert admin.get(f"/clubbills/{bill}")["sheet"] is None
    assert len([each for each in seen if each.startswith("UPDATE") and "club_member" in each]) == 1
    changes = admin.get("/audit", sqlfilters="(t.element:=:'club_member') and (t.kind:=:'changed')", limit=50)
    assert {str(pupil) for pupil in pupils} <= {each["record"] for each in changes}
    admin.ask("DELETE", f"/clubbills/{bill}")


def test_a_record_that_names_itself_can_go(admin):
    own = admin.ask("POST", "/clubmembers", {"label": "Di", "number": "3"})
    admin.ask("PATCH", f"/clubmembers/{own}", {"coach": own})
    admin.ask("DELETE", f"/clubmembers/{own}")


def test_a_module_clears_its_own_rows_or_refuses_in_its_own_words(admin, member):
    given, parts = with_parts(admin, member, task="given")
    admin.ask("POST", "/clubbills", {"part": parts[0]})
    admin.ask("DELETE", f"/clubsheets/{given}")
    own, parts = with_parts(admin, member, task="own words")
    bill = admin.ask("POST", "/clubbills", {"part": parts[0]})
    assert admin.refused("DELETE", f"/clubsheets/{own}", status=405).endswith(": the club says no")
    kept = admin.ask("POST", "/clubsheets", sheet(member, task="kept"))
    assert admin.refused("DELETE", f"/clubsheets/{kept}", status=405).endswith(": a kept task stays")
    admin.ask("DELETE", f"/clubbills/{bill}")


def test_a_table_that_no_model_is_left_of_keeps_a_record(admin, member):
    made = admin.ask("POST", "/clubsheets", sheet(member))
    ensure_connected()
    execute("CREATE TABLE club_left (sheet INTEGER NOT NULL, FOREIGN KEY (sheet) REFERENCES club_sheet (id))")
    try:
        execute("INSERT INTO club_left (sheet) VALUES (?)", (made,))
        message = admin.refused("DELETE", f"/clubsheets/{made}", status=405)
        assert message == f"Method Not Allowed: Sheet {made} can't be deleted, because records of another module use it"
    finally:
        ensure_connected()
        execute("DROP TABLE club_left")
    admin.ask("DELETE", f"/clubsheets/{made}")


def test_a_child_that_comes_while_its_record_goes_is_refused_by_name(admin, member):
    """Either the record is kept by it, or it finds the record gone: never anything else, and never an orphan."""
    seen = []
    for _ in range(8):
        made = admin.ask("POST", "/clubsheets", sheet(member))
        start = threading.Barrier(2)

        def call(verb, path, body, start=start):
            start.wait()
            answer = admin.simulate_request(verb, path, json=body)
            seen.append((verb, answer.status_code, answer.json))
            end_of_request()
            close()

        calls = [("DELETE", f"/clubsheets/{made}", None), ("POST", "/clubparts", {"sheet": made})]
        both = [threading.Thread(target=call, args=each) for each in calls]
        for each in both:
            each.start()
        for each in both:
            each.join()
    assert [status for verb, status, _ in seen if verb == "DELETE"] == [200] * 8
    assert len(seen) == 16
    for verb, status, data in seen:
        if verb == "POST" and status != 200:
            assert (status, data["error"]["errors"][0]["field"]) == (404, "sheet")
    ensure_connected()
    assert query("SELECT COUNT(*) FROM club_part WHERE sheet NOT IN (SELECT id FROM club_sheet)") == [(0,)]


@pytest.mark.every_database("postgresql", "mysql")
def test_a_child_that_waited_for_the_deletion_is_told_which_record_is_gone(admin, member):
    made = admin.ask("POST", "/clubsheets", sheet(member))
    models, told = club.models(), []
    looked = threading.Event()

    def create():
        ensure_connected()
        # It is there when it is looked for
        models.sheets.read(made)
        looked.set()
        answer = admin.simulate_post("/clubparts", json={"sheet": made})
        told.append((answer.status_code, answer.json["error"]))
        close()

    ensure_connected()
    with transaction():
        models.sheets.delete(made)
        thread = threading.Thread(target=create)
        thread.start()
        assert looked.wait(60)
        # Whether it waits already or not: it cannot come through before this is committed
    thread.join()
    assert told[0][0] == 404
    assert told[0][1]["message"] == f"Not Found: Sheet {made} not found"
    assert told[0][1]["errors"] == [{"field": "sheet", "message": "no such record"}]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"on_delete": "forget"}, "expected one of refuse, cascade, clear, got 'forget'"),
        ({"on_delete": "clear"}, "on_delete='clear' needs null=True"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason.replace("(", r"\(")):
        RecordField("self", **options)
    assert RecordField("self").on_delete == "refuse"
