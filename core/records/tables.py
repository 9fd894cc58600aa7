"""Tables: made when a module loads, columns added when a model gains them, migrations for everything else.

All workers, on whatever host, take the same lock, so each change is made once. A digest of each model is kept in the
database; a load that finds them all unchanged costs one statement.
"""

from __future__ import annotations

import hashlib
import logging
import runpy
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import peewee
from playhouse.migrate import migrate

from ..common.clock import utc_now
from ..storage.database import (
    Model,
    database,
    dialect_name,
    ensure_connected,
    meta_of,
    patience,
    quote,
    transaction,
)
from ..storage.fields import LetterField
from ..storage.troubles import MISSING, trouble_of
from .extra_field_definitions import migrator
from .extra_fields import ExtraField, definitions, values_model, values_table

#: any number that nothing else on the database server locks
_LOCK = 715517


_log = logging.getLogger("comptoir.tables")


class ColumnError(Exception):
    """A column that cannot be added to a table that may hold rows."""


class KnownTable(Model):
    """What a table was made from."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(max_length=128, unique=True)
    digest = peewee.CharField(max_length=64)

    class Meta:
        table_name = "comptoir_table"
        audited = False


class Migration(Model):
    """A migration file that has been run."""

    id = peewee.AutoField(column_name="rowid")
    module = peewee.CharField(max_length=128)
    name = peewee.CharField(max_length=128)
    run = peewee.DateTimeField(default=utc_now)

    class Meta:
        table_name = "comptoir_migration"
        audited = False
        indexes = ((("module", "name"), True),)


def ensure_tables(models: Iterable[type[Model]], migrations: dict[str, Path] | None = None) -> None:
    """Make the tables of models that have none, and add the columns that models have gained.

    :param migrations: module name → its folder of migration files, each run once, before columns are added
    """
    ensure_connected()
    wanted = _widest(models)
    known = _known_digests()
    pending = _pending_migrations(migrations or {})
    # A table that is only pointed at must exist; whether it has changed is said by the module that it is of
    changed = [
        model
        for model in _in_order(wanted)
        if (_table(model) in wanted or _table(model) not in known) and known.get(_table(model)) != _digest(model)
    ]
    if not changed and not pending:
        return
    with patience(), schema_lock():
        for table in (KnownTable, Migration):
            table.create_table(safe=True)
        existing = set(database.get_tables())
        for module, files in _pending_migrations(migrations or {}).items():
            _migrate(
                module,
                files,
                run=any(_belongs(model, module) and _table(model) in existing for model in wanted.values()),
            )
        for model in changed:
            for field in meta_of(model).fields.values():
                _declare_default(field)
            if _table(model) in existing:
                _add_columns(model)
                _tell_letters_apart(model)
                if _table(model) not in known:
                    _finish(model)
            else:
                model.create_table(safe=True)
            if meta_of(model).extrafields:
                _ensure_values_table(model, existing)
            KnownTable.delete().where(KnownTable.name == _table(model)).execute()
            KnownTable.create(name=_table(model), digest=_digest(model))


def outdated(models: Iterable[type[Model]], migrations: dict[str, Path]) -> list[str]:
    """What the database in force has in another form than the models say: tables, and modules with migrations to run.

    A table that it does not have is nothing of that.
    """
    ensure_connected()
    known = _known_digests()
    changed = [table for table, model in _widest(models).items() if known.get(table, "") not in ("", _digest(model))]
    waiting = [
        module
        for module in _pending_migrations(migrations)
        if any(_belongs(model, module) and _table(model) in known for model in models)
    ]
    return sorted({*changed, *waiting})


def _table(model: type[Model]) -> str:
    return str(meta_of(model).table_name)


def _belongs(model: type[Model], module: str) -> bool:
    return model.__module__.startswith(f"modules.{module}.")


def _widest(models: Iterable[type[Model]]) -> dict[str, type[Model]]:
    """One model for each table: the one with the most columns, where there are several."""
    chosen: dict[str, type[Model]] = {}
    for model in models:
        other = chosen.get(_table(model))
        if other is None or len(meta_of(other).fields) < len(meta_of(model).fields):
            chosen[_table(model)] = model
    return chosen


def _in_order(models: dict[str, type[Model]]) -> list[type[Model]]:
    """The models so that each comes behind those it points at."""
    ordered: list[type[Model]] = []
    seen: set[str] = set()

    def visit(model: type[Model]) -> None:
        if _table(model) in seen:
            return
        seen.add(_table(model))
        meta = meta_of(model)
        for field in meta.fields.values():
            target = getattr(field, "target", None)
            if target is not None:
                table = _table(target())
                visit(models.get(table, target()))
        ordered.append(model)

    for model in models.values():
        visit(model)
    return ordered


def _digest(model: type[Model]) -> str:
    meta = meta_of(model)
    parts = [dialect_name(), meta.table_name, meta.extrafields, repr(meta.indexes)]
    for name in meta.sorted_field_names:
        field = meta.fields[name]
        ddl, _ = database.get_sql_context().sql(field.ddl_datatype(database.get_sql_context())).query()
        parts.append(f"{field.column_name} {ddl} {field.null} {field.unique} {field.index}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _known_digests() -> dict[str, str]:
    try:
        return {row.name: row.digest for row in KnownTable.select()}
    except peewee.DatabaseError as error:
        if trouble_of(error) is not MISSING:
            raise
        return {}


@contextmanager
def schema_lock() -> Iterator[None]:
    """One at a time, over all workers and hosts. On SQLite the writing transaction itself is the lock."""
    kind = dialect_name()
    if kind == "mysql":
        # Statements that change tables commit by themselves there, so the lock is one of the connection
        (mine,) = database.execute_sql("SELECT GET_LOCK('comptoir_schema', 60)").fetchone()
        if not mine:
            raise peewee.OperationalError(1205, "another server has been changing tables for a minute")
        try:
            yield
        finally:
            database.execute_sql("SELECT RELEASE_LOCK('comptoir_schema')").fetchone()
        return
    with transaction():
        if kind == "postgresql":
            database.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        yield


def _add_columns(model: type[Model]) -> None:
    meta = meta_of(model)
    present = {column.name: column for column in database.get_columns(meta.table_name)}
    missing = [field for field in meta.sorted_fields if field.column_name not in present]
    known = {field.column_name for field in meta.sorted_fields}
    for name, column in present.items():
        if name not in known and not column.null and column.default is None:
            _log.warning(
                "%s.%s: %s has no such field, and a row needs a value there; drop the column in a migration",
                meta.table_name, name, model.__name__,
            )  # fmt: skip
    for field in missing:
        if not field.null and field.default is None:
            raise ColumnError(f"{model.__name__}.{field.name}: a field that is added needs null=True or a default")
        column, params = database.get_sql_context().sql(field.ddl(database.get_sql_context())).query()
        index = f"{meta.table_name}_{field.column_name}"
        kind = "UNIQUE INDEX" if field.unique else "INDEX"
        indexed = field.unique or field.index
        if indexed and dialect_name() == "mysql":
            # In one statement: each commits by itself there, and the server may be ended between two
            column += f", ADD {kind} {quote(index)} ({quote(field.column_name)})"
        database.execute_sql(f"ALTER TABLE {quote(meta.table_name)} ADD COLUMN {column}", params)
        if indexed and dialect_name() != "mysql":
            database.execute_sql(
                f"CREATE {kind} {quote(index)} ON {quote(meta.table_name)} ({quote(field.column_name)})"
            )


def _tell_letters_apart(model: type[Model]) -> None:
    """Let MariaDB compare columns letter by letter that were made before their fields asked for it."""
    if dialect_name() != "mysql":
        return
    for field in meta_of(model).sorted_fields:
        if not isinstance(field, LetterField):
            continue
        (kind, characters, collation), *_ = database.execute_sql(
            "SELECT column_type, character_set_name, collation_name FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = %s AND column_name = %s",
            (_table(model), field.column_name),
        ).fetchall()
        if collation.endswith("_bin"):
            continue
        # Its characters stay those it has, for the index of a longer column might not fit
        column = [quote(field.column_name), kind, f"CHARACTER SET {characters} COLLATE {characters}_bin"]
        column += ["NULL" if field.null else "NOT NULL", *(str(each.sql) for each in field.constraints or ())]
        database.execute_sql(f"ALTER TABLE {quote(_table(model))} MODIFY COLUMN {' '.join(column)}")


def _finish(model: type[Model]) -> None:
    """Make the indexes of a table whose making was interrupted, as it can be on MariaDB."""
    if model.select().exists():
        # Somebody else's: what it holds need not fit
        return
    present = {index.name for index in database.get_indexes(_table(model))}
    for index in meta_of(model).fields_to_index():
        if index._name not in present:
            database.execute(index)


class _Default(peewee.SQL):
    """A default that was declared here: another database may spell it otherwise."""


def _declare_default(field: Any) -> None:
    """Let the database know a column's default, too.

    A worker that still runs the model's last version, or a narrower model of the same table, must be able to insert.
    """
    own = [each for each in field.constraints or () if not isinstance(each, _Default)]
    if field.null or field.default is None or any("DEFAULT" in str(each.sql) for each in own):
        return
    value = field.db_value(field.default() if callable(field.default) else field.default)
    literal = str(value) if isinstance(value, (int, float, Decimal)) else "'" + str(value).replace("'", "''") + "'"
    field.constraints = [*own, _Default(f"DEFAULT {literal}")]


def _ensure_values_table(model: type[Model], existing: set[str]) -> None:
    if values_table(model) not in existing:
        values_model(model).create_table(safe=True)
        # Definitions may be older than the table: a module that was taken away and came back
        if database.table_exists(_table(ExtraField)):
            for extra in definitions(meta_of(model).extrafields).values():
                migrate(migrator().add_column(values_table(model), extra.name, extra.field))


def _pending_migrations(folders: dict[str, Path]) -> dict[str, list[Path]]:
    # A pipe of such a name would hold up whoever opens it
    files = {
        module: sorted(file for file in folder.glob("[0-9]*.py") if file.is_file())
        for module, folder in folders.items()
    }
    files = {module: found for module, found in files.items() if found}
    if not files:
        return {}
    try:
        done = {(row.module, row.name) for row in Migration.select()}
    except peewee.DatabaseError as error:
        if trouble_of(error) is not MISSING:
            raise
        done = set()
    pending = {module: [file for file in found if (module, file.stem) not in done] for module, found in files.items()}
    return {module: found for module, found in pending.items() if found}


def _migrate(module: str, files: list[Path], *, run: bool) -> None:
    """Run migration files in the order of their names; on a module's first load they are only noted as done."""
    for file in files:
        if run:
            runpy.run_path(str(file))["migrate"](database)
        Migration.create(module=module, name=file.stem)
