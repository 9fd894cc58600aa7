"""What the trail holds of every way to write a row, on each kind of database."""

import threading
from contextlib import suppress

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.audit.change import Change
from core.audit.forms import MASK
from core.audit.protection import erase_trail, missing, opened, prune_trail
from core.common.clock import now
from core.schema.tables import protect_trail
from core.storage.database import close, database, ensure_connected, quote, transaction
from core.storage.fields import ExactField, RecordField
from core.storage.model import Model
from core.storage.statements import insert_row, update_row

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]


class Shelf(Model):
    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(default="", max_length=40)
    weight = ExactField(24, 8, null=True)
    count = peewee.IntegerField(column_name="amount", default=1)
    day = peewee.DateField(null=True)
    pin = peewee.CharField(null=True)
    seen = peewee.IntegerField(null=True)

    class Meta:
        table_name = "trail_shelf"
        secret = ("pin",)
        unaudited = ("seen",)


class Box(Model):
    code = peewee.CharField(max_length=20, primary_key=True)
    shelf = RecordField(Shelf, "Shelf", on_delete="cascade")

    class Meta:
        table_name = "trail_box"


class Noise(Model):
    id = peewee.AutoField()
    text = peewee.CharField()

    class Meta:
        table_name = "trail_noise"
        audited = False


TABLES = (Shelf, Box, Noise)


@pytest.fixture(autouse=True)
def tables(server):
    ensure_connected()
    for model in TABLES:
        model.create_table(safe=True)
    yield
    ensure_connected()
    for model in reversed(TABLES):
        model.drop_table()


class Seen:
    """The entries that were written since."""

    def __init__(self):
        self.last = Change.select(peewee.fn.MAX(Change.id)).scalar() or 0

    def rows(self):
        return list(Change.select().where(Change.id > self.last).order_by(Change.id))

    def short(self):
        return [(each.kind, each.element, each.record, each.before, each.after) for each in self.rows()]


def test_a_row_made_changed_and_deleted():
    seen = Seen()
    shelf = insert_row(Shelf, {"name": "Oak", "weight": "2.5", "pin": "4711", "seen": 3})
    update_row(Shelf, shelf, {"name": "Elm", "count": 1, "seen": 4})
    update_row(Shelf, shelf, {"seen": 5})
    update_row(Shelf, shelf, {"pin": "4712"})
    Shelf.delete().where(Shelf.id == shelf).execute()
    key = str(shelf)
    assert seen.short() == [
        ("created", "trail_shelf", key, {}, {"name": "Oak", "weight": "2.50000000", "pin": MASK}),
        ("changed", "trail_shelf", key, {"name": "Oak"}, {"name": "Elm"}),
        ("changed", "trail_shelf", key, {"pin": MASK}, {"pin": MASK}),
        ("deleted", "trail_shelf", key, {"name": "Elm", "weight": "2.50000000", "pin": MASK}, {}),
    ]


def test_what_one_transaction_does_to_a_row_is_one_entry():
    seen = Seen()
    with transaction():
        first, second = (insert_row(Shelf, {"name": name}) for name in ("Oak", "Elm"))
        update_row(Shelf, first, {"name": "Fir", "count": 7})
        Shelf.update(count=Shelf.count + 1).where(Shelf.id == first).execute()
        Shelf.delete().where(Shelf.id == second).execute()
    assert seen.short() == [("created", "trail_shelf", str(first), {}, {"name": "Fir", "count": 8})]
    seen = Seen()
    with transaction():
        Shelf.update(name="Ash").execute()
        update_row(Shelf, first, {"name": "Fir"})
    assert seen.short() == []


def test_a_write_that_fails_leaves_nothing():
    insert_row(Shelf, {"name": "Oak"})
    Box.create(code="a", shelf=Shelf.get().id)
    seen = Seen()
    with pytest.raises(peewee.IntegrityError):
        Box.create(code="a", shelf=Shelf.get().id)
    assert seen.short() == []


def test_rows_with_another_identifier_belong_to_the_record_that_they_name():
    shelf = insert_row(Shelf, {"name": "Oak"})
    seen = Seen()
    Box.insert_many([{"code": "é a", "shelf": shelf}, {"code": "b", "shelf": shelf}]).execute()
    Box.update(shelf=shelf).where(Box.code == "b").execute()
    Box.delete().where(Box.shelf == shelf).execute()
    # Rows that are deleted at once come in any order
    assert sorted((each.kind, each.record, each.subject_element, each.subject) for each in seen.rows()) == [
        (kind, code, "trail_shelf", str(shelf)) for kind in ("created", "deleted") for code in ("b", "é a")
    ]


def test_sql_of_a_modules_own_is_seen():
    insert_row(Shelf, {"name": "Oak", "count": 4})
    insert_row(Shelf, {"name": "Elm"})
    seen = Seen()
    mark = "?" if isinstance(database.obj, peewee.SqliteDatabase) else "%s"
    database.execute_sql(
        f"UPDATE trail_shelf SET amount = amount * 2 WHERE name = {mark} AND amount < {mark}", ("Oak", 9)
    )
    database.execute_sql(f"delete from trail_shelf where {quote('name')} = {mark}", ("Elm",))
    assert [(each.kind, each.before, each.after) for each in seen.rows()] == [
        ("changed", {"count": 4}, {"count": 8}),
        ("deleted", {"name": "Elm"}, {}),
    ]
    seen = Seen()
    database.execute_sql(
        f"INSERT INTO trail_shelf (name, amount) SELECT {mark}, 1 FROM trail_shelf WHERE amount = 8", ("secret",)
    )
    assert seen.short() == [(
        "statement", "trail_shelf", "", {},
        {"statement": "INSERT INTO trail_shelf (name, amount) SELECT ?, ? FROM trail_shelf WHERE amount = ?"},
    )]  # fmt: skip


def test_what_is_exempt_is_not_noted():
    seen = Seen()
    Noise.create(text="a")
    assert seen.short() == []


# Nobody changes it ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", ["UPDATE comptoir_audit SET login = 'x'", "DELETE FROM comptoir_audit", "TRUNCATE",
                                       "REPLACE"])  # fmt: skip
def test_the_database_refuses_to_change_the_trail(statement, kind):
    insert_row(Shelf, {"name": "Oak"})
    before = [(each.id, each.login, each.kind) for each in Change.select()]
    highest = before[-1][0]
    if statement == "TRUNCATE":
        # SQLite has no such statement: its DELETE of all rows must not be taken for one
        statement = "DELETE FROM comptoir_audit WHERE 1 = 1" if kind == "sqlite" else "TRUNCATE TABLE comptoir_audit"
    if statement == "REPLACE":
        verb = "INSERT INTO" if kind == "postgresql" else "REPLACE INTO"
        again = " ON CONFLICT (rowid) DO UPDATE SET kind = 'x'" if kind == "postgresql" else ""
        statement = f"{verb} comptoir_audit (rowid, moment, kind) VALUES ({highest}, 0, 'x'){again}"
    with pytest.raises(peewee.PeeweeException):
        database.execute_sql(statement)
    ensure_connected()
    assert [(each.id, each.login, each.kind) for each in Change.select()] == before


#: statements of one kind of database that would change the entry with this ID
OTHER_WAYS = {
    "sqlite": ["INSERT OR REPLACE INTO comptoir_audit (rowid, moment, kind) VALUES ({0}, 0, 'x')",
               "UPDATE OR REPLACE comptoir_audit SET rowid = rowid + 1 WHERE rowid = {0}"],
    "mysql": ["UPDATE IGNORE comptoir_audit SET kind = 'x'", "DELETE IGNORE FROM comptoir_audit WHERE rowid = {0}",
              "INSERT INTO comptoir_audit (rowid, moment, kind) VALUES ({0}, 0, 'x') ON DUPLICATE KEY UPDATE kind = 'x'"],
    "postgresql": ["TRUNCATE comptoir_audit CASCADE", "WITH gone AS (DELETE FROM comptoir_audit RETURNING 1) SELECT 1"],
}  # fmt: skip


def test_no_other_statement_changes_the_trail(kind):
    insert_row(Shelf, {"name": "Oak"})
    before = [(each.id, each.login, each.kind) for each in Change.select()]
    for statement in OTHER_WAYS[kind]:
        with suppress(peewee.PeeweeException):
            database.execute_sql(statement.format(before[-1][0]))
        ensure_connected()
        assert [(each.id, each.login, each.kind) for each in Change.select()] == before, statement


def test_the_door_closes_behind_whoever_was_let_in():
    with suppress(ValueError), opened():
        assert Change.delete().execute() > 0
        raise ValueError
    with opened():
        Change.update(login="x").execute()
    assert missing() == []
    with pytest.raises(peewee.PeeweeException):
        Change.delete().execute()
    ensure_connected()
    assert Change.select().where(Change.login == "x").exists()


def test_triggers_that_are_missing_are_made_at_the_next_start(kind):
    for name in ("comptoir_audit_update", "comptoir_audit_delete"):
        database.execute_sql(f"DROP TRIGGER {name}" + (" ON comptoir_audit" if kind == "postgresql" else ""))
    assert sorted(missing()) == ["comptoir_audit_delete", "comptoir_audit_update"]
    protect_trail()
    protect_trail()
    assert missing() == []


def test_pruning_leaves_what_is_young_and_tells_of_itself(monkeypatch):
    monkeypatch.setattr("core.audit.protection.PORTION", 3)
    for number in range(8):
        insert_row(Shelf, {"name": str(number)})
    with opened():
        Change.update(moment=1000).where(Change.element == "trail_shelf", ~Change.after.contains('"7"')).execute()
    old = Change.select().where(Change.moment == 1000).count()
    told = []
    assert prune_trail(now().replace(year=2020), lambda done, all: told.append((done, all))) == old >= 7
    assert told[0] == (3, old)
    assert Change.select().where(Change.moment < 2000).count() == 0
    last = Change.select().order_by(Change.id.desc()).get()
    assert (last.kind, last.element, last.after["rows"]) == ("pruned", "comptoir_audit", old)
    with pytest.raises(ValueError):
        prune_trail(now().replace(year=2100))


def test_erasing_keeps_the_fact():
    shelf = insert_row(Shelf, {"name": "Ada Lovelace"})
    Box.create(code="hers", shelf=shelf)
    seen = Seen()
    seen.last -= 2
    # Others may have had its identifier before
    assert erase_trail(Shelf, shelf) >= 2
    assert [(each.kind, each.record, each.before, each.after) for each in seen.rows()] == [
        ("created", str(shelf), {}, {}),
        ("created", "hers", {}, {}),
        ("erased", str(shelf), {}, seen.rows()[-1].after),
    ]
    assert not Change.select().where(Change.after.contains("Lovelace")).exists()


# Whatever is done ----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["", "Oak", "it's", "100 %s", "naïve ?", '"quoted"'])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "many", "update", "raise", "delete", "raw", "begin", "end", "undo"]),
        st.integers(0, 5), WORDS, st.integers(-3, 9),
    ),
    max_size=25,
)  # fmt: skip


def run(steps, place=0):
    """Carry out steps; answers where the block ended in which it began."""
    while place < len(steps):
        name, row, word, number = steps[place]
        place += 1
        there = [each.id for each in Shelf.select(Shelf.id).order_by(Shelf.id)]
        key = there[row % len(there)] if there else 0
        if name == "insert":
            insert_row(Shelf, {"name": word, "count": number})
        elif name == "many":
            Shelf.insert_many([{"name": word}, {"name": word + "!", "count": number}]).execute()
        elif name == "update":
            update_row(Shelf, key, {"name": word, "weight": number})
        elif name == "raise":
            Shelf.update(count=Shelf.count + number).where((Shelf.name == word) | (Shelf.id == key)).execute()
        elif name == "delete":
            Shelf.delete().where(Shelf.id == key).execute()
        elif name == "raw":
            mark = "?" if isinstance(database.obj, peewee.SqliteDatabase) else "%s"
            database.execute_sql(f"UPDATE trail_shelf SET name = {mark} WHERE amount > {mark}", (word, number))
        elif name == "begin":
            with suppress(ZeroDivisionError), transaction():
                place = run(steps, place)
                if place <= len(steps) and steps[place - 1][0] == "undo":
                    raise ZeroDivisionError
        else:
            return place
    return place


def replayed(entries):
    """The rows that the entries tell of, begun with nothing."""
    rows = {}
    blank = {"name": "", "weight": None, "count": 1, "day": None}
    for each in entries:
        if each.kind == "created":
            assert each.record not in rows
            rows[each.record] = blank | each.after
        elif each.kind == "deleted":
            assert blank | each.before == rows.pop(each.record)
        else:
            assert each.before.items() <= rows[each.record].items()
            rows[each.record] |= each.after
    return rows


@given(STEPS)
def test_who_replays_the_trail_has_the_rows(steps):
    ensure_connected()
    Shelf.delete().execute()
    seen = Seen()
    place = 0
    while place < len(steps):
        place = run(steps, place)
    there = {
        str(each.id): {
            "name": each.name, "count": each.count, "day": None,
            "weight": None if each.weight is None else f"{each.weight:.8f}",
        }
        for each in Shelf.select()
    }  # fmt: skip
    assert replayed([each for each in seen.rows() if each.element == "trail_shelf"]) == there


def test_a_row_in_the_place_of_one_that_is_deleted():
    """With the identifier of that one, which SQLite gives again; what it does not set has its default."""
    shelf, seen = insert_row(Shelf, {"name": "Oak", "count": 3}), Seen()
    with transaction():
        Shelf.delete().where(Shelf.id == shelf).execute()
        Shelf.insert(id=shelf, name="", count=1, weight=2).execute()
    assert [(each.kind, each.before, each.after) for each in seen.rows()] == [
        ("changed", {"name": "Oak", "count": 3, "weight": None}, {"name": "", "count": 1, "weight": "2.00000000"})
    ]
    with transaction():
        Shelf.delete().where(Shelf.id == shelf).execute()
        Shelf.insert(id=shelf, name="", count=1, weight=2).execute()
    assert len(seen.rows()) == 1


def test_threads_do_not_mix_their_changes():
    shelf, seen, failed = insert_row(Shelf, {"name": "Oak", "count": 0}), Seen(), []

    def work():
        try:
            for _ in range(10):
                with transaction():
                    # So that none of them holds what another one must wait for in another order
                    Shelf.update(count=Shelf.count + 1).where(Shelf.id == shelf).execute()
                    insert_row(Shelf, {"name": "mine"})
        except BaseException as error:
            failed.append(error)
        finally:
            close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    changed = [each for each in seen.rows() if each.kind == "changed"]
    # Each has seen what the one before it had left, so no two tell of the same step
    assert sorted((each.before["count"], each.after["count"]) for each in changed) == [(n, n + 1) for n in range(40)]
    assert len({each.record for each in seen.rows() if each.kind == "created"}) == 40
