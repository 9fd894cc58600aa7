"""Backups and copies hold the right amounts whichever modules are installed when they are made and restored."""

import json
import shutil
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from core.common.settings import Settings
from core.contract.catalogue import catalogue
from core.records.extra_field_definitions import define
from core.records.extra_fields import store_values
from core.storage.database import backend, close, database, ensure_connected, open_database, query
from core.storage.fields import ExactField
from core.transfer.backup import back_up
from core.transfer.copying import copy_database
from core.transfer.endpoint import TransferError
from core.transfer.restore import restore
from core.wsgi import build
from tests.core.transfer.zoo import empty

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.slow]

MODELS = """
import peewee
from core import ExactField, Model


class Note(Model):
    id = peewee.AutoField()
    text = peewee.CharField(max_length=30, unique=True)
    price = ExactField(digits=10, scale=2)
    done = peewee.BooleanField(default=False)
    large = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "bk_note"
        extrafields = "note"
"""
API = """
from core import Crud, Records
from ..models import Note


class Bk(Crud):
    \"\"\"Notes.\"\"\"

    records = Records(Note, noun="Note")
"""
PRICES = ["1.51", "1.52", "1.53"]
STATES = ("with", "without", "broken")


def install(settings, state):
    """Install the module, remove it, or break its file."""
    folder = Path(settings.modules) / "bk"
    shutil.rmtree(folder, ignore_errors=True)
    Path(settings.modules).mkdir(exist_ok=True)
    if state != "without":
        folder.mkdir()
        (folder / "models.py").write_text(MODELS if state == "with" else "def (")
        (folder / "class").mkdir()
        (folder / "class/api_bk.py").write_text(API)


def note():
    return next(each for each in catalogue().models if each.__name__ == "Note")


def fill(settings):
    """Make a database with three notes, one of which has an extra field."""
    install(settings, "with")
    build(settings)
    ensure_connected()
    define("note", "worth", {"label": "Worth", "type": "price"})
    for price in PRICES:
        note().create(text=f"note {price}", price=Decimal(price), done=True, large=2**62)
    store_values(note(), 1, {"worth": Decimal("0.10000001")}, merge=False)
    close()


def ensure_contents(settings):
    """Check what a database has, by its columns, and then by the model of the module."""
    open_database(settings.database)
    ensure_connected()
    price, worth = ExactField(10, 2), ExactField()
    kept = [price.python_value(row[0]) for row in query("SELECT price FROM bk_note ORDER BY id")]
    assert list(map(str, kept)) == PRICES
    assert [str(worth.python_value(row[0])) for row in query("SELECT worth FROM bk_note_extrafields")] == ["0.10000001"]
    kinds = {each.name: each.kind for each in backend().columns("bk_note")}
    assert (kinds["price"] == "DECIMAL") == (not backend().scaled_decimals)
    close()
    install(settings, "with")
    build(settings)
    ensure_connected()
    assert [each.reason for each in catalogue().failures] == []
    rows = list(note().select().order_by(note().id))
    assert [(str(row.price), row.done, row.large) for row in rows] == [(each, True, 2**62) for each in PRICES]
    assert note().create(text="another", price=Decimal("9.99")).id == 4
    close()


def warned(state, warnings):
    """Return whether warnings say what a state of the module leaves unserved, and nothing else."""
    tables = [f"{name}: no loaded module has a model for this table; copied unchanged" for name in (
        "bk_note", "bk_note_extrafields",
    )]  # fmt: skip
    files = [each for each in warnings if each.startswith("module file not loaded: bk/")]
    return warnings == ([] if state == "with" else [*files, *tables]) and bool(files) == (state == "broken")


@pytest.fixture
def settings(tmp_path):
    return Settings(
        database=f"sqlite:///{tmp_path}/source.db", documents=str(tmp_path / "documents"),
        modules=str(tmp_path / "modules"),
    )  # fmt: skip


# The states decide the warnings; a database decides how it restores a table with a model, and one without
@pytest.mark.parametrize(
    ("here", "there", "kind"),
    [(here, there, "sqlite") for here in STATES for there in STATES]
    + [(state, state, kind) for state in ("with", "without") for kind in ("postgresql", "mysql")],
)
def test_a_backup_is_restored_whatever_modules_there_are(here, there, kind, settings, tmp_path):
    fill(settings)
    install(settings, here)
    _, warnings = back_up(tmp_path / "backup", settings)
    assert warned(here, warnings)
    manifest = json.loads((tmp_path / "backup/manifest.json").read_text())
    assert manifest["format"] == 2
    assert manifest["tables"]["bk_note"]["rows"] == 3
    assert Decimal(manifest["tables"]["bk_note"]["sums"]["price"]) == Decimal("4.56")
    assert Decimal(manifest["tables"]["bk_note_extrafields"]["sums"]["worth"]) == Decimal("0.10000001")
    with empty(kind, tmp_path) as url:
        target = replace(settings, database=url, documents=str(tmp_path / "restored"))
        install(target, there)
        _, warnings = restore(tmp_path / "backup", target)
        assert warned(there, warnings)
        ensure_contents(target)


@pytest.mark.parametrize("state", STATES)
def test_copies_of_copies_hold_the_same_amounts(state, settings, tmp_path):
    fill(settings)
    install(settings, state)
    with ExitStack() as databases:
        target = settings
        for kind in ("postgresql", "mysql", "sqlite", "postgresql"):
            url = databases.enter_context(empty(kind, tmp_path))
            copied, warnings = copy_database(target.database, url, settings)
            assert warned(state, warnings)
            assert copied["bk_note"].sums["price"] == Decimal("4.56")
            target = replace(settings, database=url)
        ensure_contents(target)


def test_a_column_whose_field_was_removed_keeps_its_amounts(settings, tmp_path):
    fill(settings)
    models = Path(settings.modules) / "bk/models.py"
    models.write_text(MODELS.replace("scale=2)", "scale=2, null=True)"))
    build(settings)
    close()
    models.write_text(MODELS.replace("    price = ExactField(digits=10, scale=2)\n", ""))
    build(settings)
    close()
    with ExitStack() as databases:
        source = settings.database
        for kind in ("postgresql", "sqlite", "mysql"):
            url = databases.enter_context(empty(kind, tmp_path))
            copied, warnings = copy_database(source, url, settings)
            assert warnings == ["bk_note: no loaded module has a field for price; copied unchanged"]
            assert copied["bk_note"].sums["price"] == Decimal("4.56")
            source = url
        open_database(source)
        ensure_connected()
        assert [str(row[0]) for row in query("SELECT price FROM bk_note ORDER BY id")] == PRICES
        close()


def test_a_table_of_another_program_may_have_more_decimal_places(settings, tmp_path):
    with empty("postgresql", tmp_path) as url, empty("mysql", tmp_path) as other:
        target = replace(settings, database=url)
        fill(target)
        open_database(url)
        ensure_connected()
        database.execute_sql("CREATE TABLE rates (id INTEGER PRIMARY KEY, rate NUMERIC(20, 12), free NUMERIC(12, 3))")
        database.execute_sql("INSERT INTO rates VALUES (1, 0.000000000001, 1.125)")
        close()
        copy_database(url, other, settings)
        back_up(tmp_path / "backup", target)
        open_database(other)
        ensure_connected()
        assert query("SELECT rate, free FROM rates") == [(Decimal("0.000000000001"), Decimal("1.125"))]
        close()
    with empty("postgresql", tmp_path) as url:
        restore(tmp_path / "backup", replace(settings, database=url, documents=str(tmp_path / "restored")))
        open_database(url)
        ensure_connected()
        assert query("SELECT free, rate FROM rates") == [(Decimal("1.125"), Decimal("0.000000000001"))]
        close()


@pytest.mark.parametrize(("number", "advice"), [(1, "use the version that made it"), (3, "use a newer version of")])
def test_a_backup_of_another_format_is_refused(number, advice, settings, tmp_path):
    fill(settings)
    back_up(tmp_path / "backup", settings)
    file = tmp_path / "backup/manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": number}))
    target = replace(settings, database=f"sqlite:///{tmp_path}/new.db", documents=str(tmp_path / "new"))
    with pytest.raises(TransferError, match=f"expected backup format 2, got {number}; {advice}"):
        restore(tmp_path / "backup", target)
    assert not (tmp_path / "new.db").exists()
