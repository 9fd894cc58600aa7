"""Migrations that end or block the process that runs them, on each database: the server and other modules go on."""

import logging
import time

import pytest

from core.loading.import_guard import ImportGuard
from core.schema.known_tables import known_digests
from core.schema.migration_tables import limit_migration
from core.storage.database import backend, ensure_connected, query
from tests.core.schema.test_migrations import CODE, NUMBER, Shop

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database, pytest.mark.slow]


@pytest.fixture
def shop(kind, serve, folder, write, tmp_path):
    """A shop with one card, whose server has modules tried as `comptoir serve` does."""
    served = serve(kind=kind, modules=str(folder))
    guard = ImportGuard(tmp_path / "importing", 0.5)
    served.server.reloader._guard = guard
    served.server.reloader.loader.before_import = guard.ensure_allowed
    limit_migration.value = guard.ensure_migration_allowed
    write("good/class/api_good.py", "class Good:\n    ''':access: public'''\n    def index(self): return 1\n")
    shop = Shop(served, write)
    shop.models(NUMBER)
    shop.client().ask("POST", "/cards", {"number": "Ada"})
    return shop


REFUSED = "a file of its module changes"
READS = "tables.rows('SELECT number FROM store_card')"


#: how a migration ends or blocks its process → its steps, and the reason
ENDS = {
    "ends": (["import os; os._exit(3)"], "0001_bad.py: running the migration ended the process (os._exit(3) or similar)"),
    "ends after reading": ([READS, "import os; os._exit(0)"], "0001_bad.py: running the migration ended the process (os._exit(0)"),
    "crashes": (["import ctypes; ctypes.string_at(0)"], "0001_bad.py:5: running the migration crashed the process (SIGSEGV)"),
    "loops": (["while True: pass"], "0001_bad.py:5: running the migration took more than 2 seconds"),
    "loops after reading": ([READS, "while True: pass"], "0001_bad.py:6: running the migration took more than 2 seconds"),
}  # fmt: skip


# On the other databases a process that has read rows leaves a transaction behind
@pytest.mark.parametrize(
    ("kind", "how"),
    [*(("sqlite", how) for how in ENDS), ("postgresql", "ends after reading"), ("mysql", "loops after reading")],
    indirect=["kind"],
)
def test_a_migration_that_ends_or_blocks_the_process_is_refused(shop, how, tmp_path):
    steps, reason = ENDS[how]
    shop.migration("0001_bad", *steps)
    found = shop.reason()
    assert found.startswith(reason) and found.endswith(REFUSED)
    assert shop.client().get("/good") == 1
    # Another process is told, and runs nothing
    other = ImportGuard(tmp_path / "importing", 0.5)
    assert other.settle(shop.served.server.reloader.loader)
    assert list(other._refused) == [str(tmp_path / "outside/store/migrations/0001_bad.py")]
    shop.migration("0001_bad", "tables.fill(\"UPDATE store_card SET number = 'Bob'\")")
    assert [card["number"] for card in shop.cards()] == ["Bob"]


def test_a_migration_is_run_once_and_reported(shop, caplog):
    caplog.set_level(logging.INFO, "comptoir.tables")
    shop.migration(
        "0001_code",
        "tables.rename('store_card', 'number', 'code')",
        "tables.fill(\"UPDATE store_card SET code = 'Bob'\")",
    )
    shop.models(CODE)
    assert [card["code"] for card in shop.cards()] == ["Bob"]
    assert [each.getMessage() for each in caplog.records].count("store: ran migration 0001_code.py") == 1
    ensure_connected()
    noted = "SELECT COUNT(*) FROM comptoir_audit WHERE kind = ? AND element = 'store_card'"
    assert [query(noted, [kind]) for kind in ("migrated", "changed", "statement")] == [[(1,)], [(1,)], [(0,)]]


def test_a_slow_statement_is_not_limited(shop):
    define = "database.connection().create_function('sleep', 1, lambda s: time.sleep(s) or 1)"
    steps = {
        "sqlite": ["import time; from core.storage.database import database", define, "tables.rows('SELECT sleep(3)')"],
        "postgresql": ["tables.rows('SELECT pg_sleep(3)')"],
        "mysql": ["tables.rows('SELECT SLEEP(3)')"],
    }
    began = time.monotonic()
    shop.migration("0001_slow", *steps[backend().name])
    assert [card["number"] for card in shop.cards()] == ["Ada"]
    assert time.monotonic() - began > 3
    ensure_connected()
    assert query("SELECT name FROM comptoir_migration") == [("0001_slow",)]
    assert "store changing" not in known_digests()
