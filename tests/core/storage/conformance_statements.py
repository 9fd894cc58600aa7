"""The first half of the suite for backends: values, texts, rules, transactions, locks, and lost connections."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from datetime import date, datetime
from datetime import time as daytime
from decimal import Decimal
from typing import Any, ClassVar

import peewee
import pytest

from core import BadRequest, ExactField, MapField, Model, RecordField, Records, transaction
from core.schema.tables import ensure_tables
from core.storage import database as current
from core.storage.database import (
    after_commit,
    backend,
    classify_error,
    close,
    database,
    end_of_request,
    ensure_connected,
    execute,
    lock_timeout,
    no_timeouts,
    open_database,
    query,
    quote,
    retry_undone,
)
from core.storage.error_kinds import CONFLICT, LOCKED, NULL, REFERENCE, TOO_LONG, UNIQUE, UNKNOWN_OUTCOME, UNREACHABLE
from core.storage.model import meta_of
from core.storage.statements import SIZES, has_other, insert_row, insert_rows, update_row
from core.testing.databases import drop_database, fresh_database, why_unavailable
from tests.core.storage.test_collation import fits


class Owner(Model):
    """Other rows refer to it."""

    id = peewee.AutoField()
    code = peewee.CharField(max_length=60, unique=True)

    class Meta:
        table_name = "suite_owner"
        audited = False


class Item(Model):
    """A column of every type."""

    id = peewee.AutoField()
    owner = RecordField(Owner, "Owner", null=True)
    name = peewee.CharField(max_length=200, null=True)
    place = peewee.CharField(max_length=40, default="here")
    story = peewee.TextField(null=True)
    amount = ExactField(null=True)
    rate = ExactField(7, 4, null=True)
    price = peewee.DecimalField(10, 2, null=True)
    speed = peewee.DoubleField(null=True)
    small = peewee.SmallIntegerField(null=True)
    number = peewee.IntegerField(default=0)
    large = peewee.BigIntegerField(null=True)
    flag = peewee.BooleanField(null=True)
    day = peewee.DateField(null=True)
    moment = peewee.DateTimeField(null=True)
    hour = peewee.TimeField(null=True)
    picture = peewee.BlobField(null=True)
    more = MapField(null=True)

    class Meta:
        table_name = "suite_item"
        audited = False
        indexes = ((("name", "place"), True),)


items = Records(Item, noun="Item")
#: databases that were used; what is kept in memory for one must not be taken for that of another at the same address
opened = []

#: a field, and a value that comes back as it was
VALUES = [
    ("amount", Decimal("92233720368.54775807")), ("amount", Decimal("-92233720368.54775807")),
    ("amount", Decimal("0.00000001")), ("amount", Decimal(0)), ("rate", Decimal("-999.9999")),
    ("price", Decimal("-99999999.99")), ("speed", 0.1), ("speed", -1e300), ("small", -(2**15)), ("number", 2**31 - 1),
    ("large", -(2**63)), ("large", 2**63 - 1), ("flag", True), ("flag", False),
    ("day", date(1000, 1, 1)), ("day", date(1969, 12, 31)), ("day", date(2024, 2, 29)), ("day", date(9999, 12, 31)),
    ("moment", datetime(1969, 12, 31, 23, 59, 59)), ("moment", datetime(2024, 2, 29, 12, 0)), ("hour", daytime(23, 59, 58)),
    ("name", ""), ("name", " both ends "), ("name", "Łódź 東京 😀"), ("name", "it's \\ \"so\" %s %(x)s ? :a $1 `b` \n\t"),
    ("story", "é" * 32_000), ("picture", bytes(range(256))), ("picture", b""), ("more", {"a": ["é😀", {"b": None}]}),
]  # fmt: skip
#: texts that are all different
ALIKE = ("Bob", "bob", "bob ", " bob", "bób", "bo\u00adb", "bo\x01b", "bo\u0301b", "")
#: texts and patterns; which fit says a regular expression
TEXTS = ("Dupont", "dupont", "DUPONT ", "Été", "ÉTÉ", "ete", "100%", "100 %", "a_b", "aXb", "a\\b", "'q'", "Ωmega", "😀", "")  # fmt: skip
PATTERNS = ("dupont", "DUP%", "%ont", "%t_", "été", "É%", "100\\%", "%\\%", "a\\_b", "a_b", "a\\\\b", "%\\\\%", "''q''", "ωM%",
            "_", "%", "")  # fmt: skip

#: kind → what returns the connection's number, and what ends the connection of a number
KILLS = {
    "postgresql": ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend({})"),
    "mysql": ("SELECT CONNECTION_ID()", "KILL {}"),
}


def elsewhere(act):
    """Do something on the connection of another thread; return what it returns."""

    def run():
        ensure_connected()
        try:
            return act()
        finally:
            close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def cut():
    """Have the database end this thread's connection; one that has no server closes it."""
    if backend().name not in KILLS:
        backend().connection().close()
        return
    number, kill = KILLS[backend().name]
    own = query(number)[0][0]
    elsewhere(lambda: query(kill.format(own)))


@contextmanager
def held(act, block=transaction):
    """Meanwhile another connection is in a transaction, or in another block, that has done something."""
    has_begun, may_end = threading.Event(), threading.Event()

    def hold():
        with block():
            act()
            has_begun.set()
            may_end.wait(60)

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(elsewhere, hold)
        assert has_begun.wait(60)
        try:
            yield
        finally:
            may_end.set()
            holder.result(60)


def broken_rule(write, table):
    """Return the rule that a write breaks, and the table and the columns that the database reports."""
    with pytest.raises(peewee.IntegrityError) as caught, transaction():
        write()
    return tuple(backend().integrity_problem(caught.value, table))


def ids(**asked):
    """Return the IDs of a page of items."""
    return [each["id"] for each in items.page(**asked)]


def walked(**asked):
    """Return the items of all pages, each reached by the cursor of the one before."""
    found, number = list[dict[str, Any]](), Item.select().count()
    page = items.page(**asked, count=True)
    while page:
        found += page
        assert (page.total, len(found) <= number) == (number, True)
        page = items.page(**asked, after=page.cursor, count=True) if page.cursor else []
    return found


class StatementConformance:
    """The suite.

    :cvar kind: the kind of database, as its URL begins
    :cvar driver: the module of the driver; without it the tests are skipped
    :cvar models: those whose tables there are, the referred ones first
    """

    kind: ClassVar[str]
    driver: ClassVar[str]
    models: ClassVar[tuple[type[Model], ...]] = (Owner, Item)
    cut = staticmethod(cut)

    @classmethod
    @contextmanager
    def empty(cls, folder):
        """Yield the URL of a database without tables."""
        if reason := why_unavailable(cls.kind):
            pytest.skip(reason)
        url = fresh_database(cls.kind, folder)
        try:
            yield url
        finally:
            drop_database(url)

    @classmethod
    @contextmanager
    def driven(cls):
        """Use the driver meanwhile."""
        pytest.importorskip(cls.driver)
        yield

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def url(cls, tmp_path_factory):
        """A database with the tables of this file, used by all tests of the class."""
        before = database.obj
        folder = tmp_path_factory.mktemp(cls.kind)
        with cls.driven(), cls.empty(folder) as url:
            open_database(url)
            opened.append(database.obj)
            ensure_tables(cls.models)
            close()
            yield url
            database.initialize(opened[-1])
            close()
            database.initialize(before)

    @pytest.fixture(autouse=True)
    def connected(self, url):
        """A connection, and tables without rows."""
        database.initialize(opened[-1])
        ensure_connected()
        yield
        database.initialize(opened[-1])
        close()
        ensure_connected()
        for each in reversed(self.models):
            each.delete().execute()
        close()

    # Values ----------------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("field", "value"), VALUES, ids=[f"{field}{place}" for place, (field, _) in enumerate(VALUES)]
    )
    def test_a_value_comes_back_as_it_was(self, field, value):
        one, other = insert_row(Item, {field: value}), insert_row(Item, {"place": "there"})
        update_row(Item, other, {field: value})
        insert_row(Item, {})
        found = [getattr(each, field) for each in Item.select().where(Item.id << [one, other])]
        if isinstance(value, bytes):
            found = [bytes(each) for each in found]
        assert found == [value, value]
        assert {type(each) for each in found} == {type(value)}
        if not isinstance(value, (dict, float)):
            assert Item.select().where(getattr(Item, field) == value).count() == 2
            assert has_other(Item, {field: value}, one)

    def test_bytes_are_bound_as_bytes(self):
        """The digest of a table has the text of a default, which must be the same in each process."""
        field = meta_of(Item).fields["picture"]
        assert [field.db_value(each) for each in (b"a", memoryview(b"a"))] == [b"a"] * 2
        assert type(field.db_value(b"a")) is bytes

    def test_null_is_no_value(self):
        nullable = [name for name, field in meta_of(Item).fields.items() if field.null]
        assert len(nullable) > 10
        row = Item.get_by_id(insert_row(Item, dict.fromkeys(nullable)))
        assert {name: getattr(row, name) for name in nullable} == dict.fromkeys(nullable) | {"more": {}}
        insert_row(Item, {"name": "", "story": ""})
        assert [each.name for each in Item.select().where(Item.name.is_null(False))] == [""]
        assert [each.name for each in Item.select().where(Item.story.is_null())] == [None]

    def test_a_record_travels_out_and_back_unchanged(self):
        body = {
            "name": "été", "amount": "-9999999999.12345678", "rate": "0.1250", "small": "-3", "flag": True,
            "day": "1969-12-30", "moment": 1795226844, "more": {"a": [1, {"b": None}]},
        }  # fmt: skip
        record = items.read(items.create(body))
        assert record["amount"] == "-9999999999.12345678"
        assert (record["rate"], record["small"], record["flag"], record["more"]) == ("0.1250", -3, True, body["more"])
        assert (record["day"], record["moment"]) == (-2 * 86400, 1795226844)
        again = items.read(
            items.create({name: each for name, each in record.items() if name != "id"} | {"place": "there"})
        )
        assert again | {"id": 0, "place": ""} == record | {"id": 0, "place": ""}

    def test_decimals_sort_sum_and_filter_as_numbers(self):
        for amount in ("10", "9", "0.00000001", "-1", "92233720368.54775807"):
            items.create({"name": amount, "amount": amount})
        found = [record["amount"] for record in items.page(sortfield="amount")]
        assert found == ["-1.00000000", "0.00000001", "9.00000000", "10.00000000", "92233720368.54775807"]
        assert len(items.page(sqlfilters="(t.amount:>:9.5)")) == 2
        assert len(items.page(sqlfilters="(t.amount:=:'0.00000001')")) == 1
        total = Item.select(peewee.fn.SUM(Item.amount)).where(Item.amount < 100).scalar()
        assert meta_of(Item).fields["amount"].python_value(total) == Decimal("18.00000001")
        assert items.sum("amount") == Decimal("92233720386.54775808")

    def test_null_is_the_least_value_in_both_directions(self):
        amounts = ["2", None, "1", None, "2", "0.5"]
        made = [items.create({"name": str(place), "amount": amount}) for place, amount in enumerate(amounts)]
        for order in ("ASC", "DESC"):
            # The ID breaks ties in the same direction
            key = {
                each: (amount is not None, Decimal(amount or 0), each)
                for each, amount in zip(made, amounts, strict=True)
            }
            expected = sorted(made, key=key.__getitem__, reverse=order == "DESC")
            assert ids(sortfield="amount", sortorder=order) == expected
            assert [each["id"] for each in walked(sortfield="amount", sortorder=order, limit=2)] == expected

    def test_a_date_of_zeros_is_rejected_or_no_value(self):
        """Old databases of MariaDB hold some."""
        try:
            with transaction():
                execute("INSERT INTO suite_item (place, number, day) VALUES ('x', 1, '0000-00-00')")
        except peewee.DataError:
            assert items.page() == []
        else:
            assert [each["day"] for each in items.page()] == [None]
            assert not isinstance(Item.get().day, date)

    def test_a_character_that_no_text_may_have_is_rejected(self):
        for text in ("a\0b", "a\ud800b"):
            with pytest.raises(BadRequest):
                items.create({"name": text})
            with pytest.raises(BadRequest):
                items.page(sqlfilters=f"(t.name:=:'{text}')")

    def test_portable_sql_binds_values_and_leaves_texts_alone(self):
        Item.create(name="?", number=9)
        column = quote("number")
        sql = f"SELECT '50% ? ''%s''', place, {column} % 7 FROM suite_item WHERE name = ? AND place <> ? -- why? 100%"
        assert query(sql, ("?", "%s")) == [("50% ? '%s'", "here", 2)]

    # Texts -----------------------------------------------------------------------------------------------------------

    def test_texts_that_differ_are_several(self):
        for name in ALIKE:
            Owner.create(code=name)
        for name in ALIKE:
            assert [each.code for each in Owner.select().where(Owner.code == name)] == [name]
        with pytest.raises(peewee.IntegrityError), transaction():
            Owner.create(code="Bob")
        assert len(ALIKE) == query("SELECT COUNT(DISTINCT code) FROM suite_owner")[0][0]

    def test_lists_ignore_case(self):
        for name in ("Zoe", "abc", "Abd", "ABE", None):
            items.create({"name": name})
        expected = [None, "abc", "Abd", "ABE", "Zoe"]
        assert [each["name"] for each in items.page(sortfield="name")] == expected
        assert [each["name"] for each in items.page(sortfield="name", sortorder="DESC")] == expected[::-1]

    def test_a_cursor_passes_each_of_the_texts_that_differ_in_accents(self):
        for name in ("côte", "coté", "cote", "cotf"):
            items.create({"name": name})
        seen = [each["name"] for each in walked(sortfield="name", limit=1)]
        assert sorted(seen) == ["cote", "cotf", "coté", "côte"]
        assert seen == [each["name"] for each in items.page(sortfield="name")]

    def test_texts_are_compared_by_their_code_points(self):
        names = ["", " ", "A", "B", "a", "a b", "a-b", "aa", "ab", "z", "é", "ω", "\ufb00", "😀"]
        made = {items.create({"name": name}): name for name in names}
        for other in names[1:]:
            quoted = f"'{other}'"
            assert ids(sqlfilters=f"(t.name:<:{quoted})") == [key for key, name in made.items() if name < other], other
            assert ids(sqlfilters=f"(t.name:>=:{quoted})") == [key for key, name in made.items() if name >= other], (
                other
            )

    def test_patterns_ignore_case_and_have_wildcards(self):
        made = {items.create({"name": text}): text for text in TEXTS}
        for pattern in PATTERNS:
            plain = pattern.replace("''", "'")
            expected = [key for key, text in made.items() if fits(text, plain)]
            assert ids(sqlfilters=f"(t.name:like:'{pattern}')") == expected, pattern
            others = [key for key in made if key not in expected]
            assert ids(sqlfilters=f"(t.name:notlike:'{pattern}')") == others, pattern

    # Rules -----------------------------------------------------------------------------------------------------------

    def test_what_breaks_a_rule_is_reported_with_table_and_columns(self):
        owner = Owner.create(code="a")
        item = Item.create(owner=owner.id, name="n")
        assert broken_rule(lambda: Owner.create(code="a"), "suite_owner") == (UNIQUE, "suite_owner", ("code",))
        twice = broken_rule(lambda: Item.create(name="n"), "suite_item")
        assert twice == (UNIQUE, "suite_item", ("name", "place"))
        moved = Item.create(name="other")
        assert broken_rule(lambda: update_row(Item, moved.id, {"name": "n"}), "suite_item") == twice
        same = broken_rule(lambda: Item.insert(id=item.id, name="x").execute(), "suite_item")
        assert same == (UNIQUE, "suite_item", ("id",))
        # Some databases report neither table nor columns of the other rules
        rule, table, columns = broken_rule(lambda: Item.create(owner=10**6), "suite_item")
        assert (rule, table or "suite_item", columns or ("owner",)) == (REFERENCE, "suite_item", ("owner",))
        assert broken_rule(owner.delete_instance, "suite_owner")[0] == REFERENCE
        rule, table, columns = broken_rule(lambda: execute("UPDATE suite_item SET place = NULL"), "suite_item")
        assert (rule, table or "suite_item", columns or ("place",)) == (NULL, "suite_item", ("place",))
        assert Item.select().count() == 2

    def test_a_value_that_is_left_out_breaks_a_rule(self):
        assert broken_rule(lambda: execute("INSERT INTO suite_owner (id) VALUES (?)", (7,)), "suite_owner")[0] == NULL

    def test_a_row_that_is_present_is_left_alone(self):
        Owner.create(code="a")
        for _ in range(2):
            Owner.insert_many([{"code": "a"}, {"code": "b"}]).on_conflict_ignore().execute()
        assert [each.code for each in Owner.select().order_by(Owner.code)] == ["a", "b"]

    # Statements ------------------------------------------------------------------------------------------------------

    def test_many_rows_are_inserted_and_their_ids_returned_in_order(self):
        number = SIZES[0] + 57
        rows = [{"name": f"row {place}", "amount": Decimal(place) / 8} for place in range(number)]
        rows[3]["small"], rows[99]["more"] = 7, {"a": 1}
        made = insert_rows(Item, rows)
        found = {each.id: (each.name, each.amount, each.small) for each in Item.select()}
        assert [found[each] for each in made] == [(row["name"], row["amount"], row.get("small")) for row in rows]
        with pytest.raises(peewee.IntegrityError), transaction():
            insert_rows(Item, [{"name": "new"}, {"name": "row 5"}])
        assert Item.select().count() == number

    def test_an_id_is_given_once(self):
        first, second = insert_row(Owner, {"code": "a"}), insert_row(Owner, {"code": "b"})
        Owner.delete_by_id(second)
        assert insert_row(Owner, {"code": "c"}) == second + 1 == first + 2
        assert insert_row(Owner, {"id": second + 10, "code": "d"}) == second + 10

    def test_rows_that_were_written_are_returned_and_counted(self):
        assert execute("INSERT INTO suite_owner (code) VALUES (?) RETURNING code", ("a",)) == [("a",)]
        assert Owner.update(code="b").where(Owner.code == "a").execute() == 1
        assert Owner.update(code="c").where(Owner.code == "a").execute() == 0
        assert Owner.delete().execute() == 1

    # Transactions ----------------------------------------------------------------------------------------------------

    def test_a_transaction_is_written_as_a_whole(self):
        seen = []
        with pytest.raises(ZeroDivisionError), transaction():
            Item.create(name="a")
            after_commit(lambda: seen.append("never"))
            raise ZeroDivisionError
        with transaction():
            Item.create(name="b")
            after_commit(lambda: seen.append("once"))
            assert (seen, elsewhere(lambda: Item.select().count())) == ([], 0)
        assert (seen, elsewhere(lambda: [each.name for each in Item.select()])) == (["once"], ["b"])

    def test_a_savepoint_is_undone_with_what_waits_for_the_commit(self):
        seen = []
        with transaction():
            Item.create(name="before")
            after_commit(lambda: seen.append("before"))
            with pytest.raises(ZeroDivisionError), transaction():
                Item.create(name="undone")
                after_commit(lambda: seen.append("undone"))
                raise ZeroDivisionError
            with pytest.raises(peewee.IntegrityError), transaction():
                Item.create(owner=10**6)
            with transaction():
                Item.create(name="after")
            after_commit(lambda: seen.append("after"))
        assert seen == ["before", "after"]
        assert [each.name for each in Item.select().order_by(Item.id)] == ["before", "after"]

    def test_an_error_that_is_caught_does_not_let_half_of_a_transaction_through(self):
        with pytest.raises(ZeroDivisionError), transaction():
            with pytest.raises(peewee.PeeweeException):
                execute("INSERT INTO suite_item (place) VALUES (NULL)")
            with suppress(peewee.PeeweeException):
                # PostgreSQL does nothing more in such a transaction
                Item.create(name="a")
            raise ZeroDivisionError
        assert Item.select().count() == 0

    def test_a_broken_rule_that_is_caught_writes_nothing_and_the_rest_is_committed_or_fails(self):
        fails = backend().name == "postgresql"
        with pytest.raises(peewee.InternalError) if fails else nullcontext(), transaction():
            Item.create(name="first")
            with pytest.raises(peewee.IntegrityError):
                execute("INSERT INTO suite_item (name, place) VALUES ('wrong', NULL)")
            if not fails:
                Item.create(name="last")
        assert [each.name for each in Item.select().order_by(Item.id)] == ([] if fails else ["first", "last"])

    def test_what_a_request_left_open_is_undone(self):
        database.atomic().__enter__()
        Item.create(name="left")
        end_of_request()
        assert not database.in_transaction()
        # MariaDB's drivers don't know that a statement has begun one
        begins = [database.begin, *([lambda: backend().run("BEGIN")] if backend().name != "mysql" else [])]
        for begin in begins:
            begin()
            Item.create(name="left")
            end_of_request()
            with transaction():
                assert Item.select().count() == 0
        database.begin()
        Item.insert(name="raw").execute()
        close()
        ensure_connected()
        assert Item.select().count() == 0

    def test_a_counter_of_several_threads_has_no_gaps(self):
        Owner.create(code="counter")
        Item.create(name="counter")
        rounds = 6

        def draw():
            drawn = []
            for attempt in range(rounds):
                with suppress(ZeroDivisionError), transaction():
                    Item.update(number=Item.number + 1).where(Item.name == "counter").execute()
                    drawn.append(Item.get(name="counter").number)
                    if attempt == 2:
                        drawn.pop()
                        raise ZeroDivisionError
            return drawn

        with ThreadPoolExecutor(4) as pool:
            drawn = [each.result(60) for each in [pool.submit(elsewhere, draw) for _ in range(4)]]
        assert sorted(each for some in drawn for each in some) == list(range(1, 4 * (rounds - 1) + 1))

    def test_two_that_block_each_other_are_both_done_in_the_end(self, monkeypatch):
        # PostgreSQL takes a second to see that they wait for each other, and they may do so again
        monkeypatch.setattr(current, "MAX_SECONDS", 60)
        one, other = (insert_row(Item, {"name": name}) for name in "ab")
        met, errors, came = threading.Barrier(2), list[BaseException](), set[int]()

        def add(first, second):
            try:
                with transaction():
                    Item.update(number=Item.number + 1).where(Item.id == first).execute()
                    if not backend().one_writer and first not in came:
                        came.add(first)
                        met.wait(60)
                    Item.update(number=Item.number + 1).where(Item.id == second).execute()
            except peewee.PeeweeException as error:
                errors.append(error)
                raise

        with ThreadPoolExecutor(2) as pool:
            for each in [
                pool.submit(elsewhere, lambda pair=pair: retry_undone(lambda: add(*pair), "a test"))
                for pair in ((one, other), (other, one))
            ]:
                each.result(60)
        assert [each.number for each in Item.select()] == [2, 2]
        assert all(map(backend().is_undone, errors))
        # With one writer at a time, neither meets the other
        assert {classify_error(each) for each in errors} == (set() if backend().one_writer else {CONFLICT})

    # Locks and time-outs ---------------------------------------------------------------------------------------------

    def test_a_lock_is_waited_for(self):
        """SQLite itself gives up sooner."""
        item = Item.create(name="a")
        with ThreadPoolExecutor(1) as pool:
            with held(lambda: update_row(Item, item.id, {"number": 1})):
                waits = pool.submit(elsewhere, lambda: Item.update(number=Item.number + 1).execute())
                time.sleep(0.2)
                assert not waits.done()
            waits.result(30)
        assert Item.get().number == 2

    def test_a_reader_waits_for_nobody(self, hasty):
        item = Item.create(name="a", number=1)
        with held(lambda: update_row(Item, item.id, {"number": 2})):
            assert Item.get().number == 1

    def test_a_lock_that_is_held_too_long_is_given_up(self, hasty):
        item = Item.create(name="a")
        holding = held(lambda: update_row(Item, item.id, {"number": 1}))
        with holding, pytest.raises(peewee.OperationalError) as caught, transaction():
            update_row(Item, item.id, {"number": 5})
        trouble = classify_error(caught.value)
        assert trouble is not None
        assert (trouble.answer().status, trouble.answer().headers) == (503, {"Retry-After": "1"})
        assert "holds a lock" in trouble.message
        ensure_connected()
        assert Item.get().number == 1

    def test_the_wait_for_the_lock_of_the_only_writer_has_a_limit_of_its_own(self, hasty):
        item = Item.create(name="a")
        if backend().one_writer:
            # Without a limit of its own it would wait until the holder has ended, and then write
            backend()._limit = 600
        with held(lambda: update_row(Item, item.id, {"number": 1})):
            began = time.monotonic()
            with pytest.raises(peewee.OperationalError) as caught, lock_timeout(0.05), transaction():
                update_row(Item, item.id, {"number": 5})
            waited = time.monotonic() - began
        assert classify_error(caught.value) is LOCKED
        # The others wait for the lock of a row as long as for any, which is a second
        assert backend().one_writer or waited > 0.9

    def test_a_statement_that_takes_too_long_is_ended_and_undoes_its_transaction(self, hasty):
        insert_rows(Item, [{"name": str(place)} for place in range(100)])
        tables = ", ".join(f"suite_item t{place}" for place in range(6))
        sizes = " + ".join(f"t{place}.number" for place in range(6))
        # A block that catches the error must not write only its rest
        with pytest.raises(peewee.PeeweeException), transaction():
            Owner.create(code="first")
            # SQLite raises an error of its own while rows are fetched
            with pytest.raises(Exception) as caught:
                query(f"SELECT COUNT(*) FROM {tables} WHERE {sizes} < 0")
            Owner.create(code="second")
        assert classify_error(caught.value) is TOO_LONG
        assert not backend().is_undone(caught.value)
        ensure_connected()
        assert Owner.select().count() == 0
        with no_timeouts():
            assert backend().limits() == (0, 0)
            with transaction(), no_timeouts():
                Owner.create(code="kept")
        assert backend().limits() == (1.5, 1)

    # Connections that are lost ---------------------------------------------------------------------------------------

    def test_a_read_is_repeated_on_a_new_connection(self):
        Item.create(name="kept")
        self.cut()
        assert [each.name for each in Item.select()] == ["kept"]

    def test_a_transaction_begins_on_a_new_connection(self):
        self.cut()
        with transaction():
            pass
        self.cut()
        with transaction():
            Item.create(name="a")
            Item.create(name="b")
        assert elsewhere(lambda: Item.select().count()) == 2

    def test_a_transaction_on_a_new_connection_is_undone_as_a_whole(self):
        self.cut()
        with pytest.raises(ZeroDivisionError), transaction():
            Item.create(name="a")
            raise ZeroDivisionError
        assert elsewhere(lambda: Item.select().count()) == 0

    def test_a_transaction_that_lost_its_connection_is_undone_as_a_whole(self):
        seen = []
        with pytest.raises(peewee.PeeweeException) as caught, transaction():
            after_commit(lambda: seen.append("committed"))
            Item.create(name="first")
            self.cut()
            # Neither a read nor a write is repeated, whatever catches the error, in whatever block
            for attempt in range(3):
                with pytest.raises(peewee.PeeweeException), transaction():
                    Item.select().count() if attempt else Item.create(name="second")
        assert classify_error(caught.value) is UNREACHABLE
        assert (elsewhere(lambda: Item.select().count()), seen) == (0, [])
        # The thread goes on
        ensure_connected()
        with transaction():
            Item.create(name="third")
        assert elsewhere(lambda: Item.select().count()) == 1

    def test_nobody_knows_whether_a_commit_that_lost_its_connection_was_done(self):
        with pytest.raises(peewee.PeeweeException) as caught, transaction():
            Item.create(name="perhaps")
            self.cut()
        assert classify_error(caught.value) is UNKNOWN_OUTCOME
        assert UNKNOWN_OUTCOME.answer().headers == {}
        ensure_connected()
        assert Item.select().count() == 0

    def test_a_single_write_is_not_repeated(self):
        self.cut()
        with pytest.raises(peewee.PeeweeException) as caught:
            Item.create(name="perhaps")
        assert classify_error(caught.value) is UNKNOWN_OUTCOME
        ensure_connected()
        assert Item.select().count() == 0
