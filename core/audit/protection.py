"""The protection of the audit trail: database triggers, with one exception for maintenance.

They reject updates and deletions of rows, and truncation of the table. `opened` allows both in one transaction; only
commands use it. A database administrator can always drop a trigger.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import peewee

from ..storage.database import database, dialect_name, transaction
from .change import Change
from .recorder import Recorder

TABLE = "comptoir_audit"
#: MariaDB has no trigger for TRUNCATE, but rejects it for a table that a foreign key references
GUARD = "comptoir_audit_guard"
REFUSAL = "rows of the audit trail are neither changed nor deleted"
_UPDATE, _DELETE, _EMPTY, _REPLACE = (f"{TABLE}_{what}" for what in ("update", "delete", "truncate", "replace"))

_log = logging.getLogger("comptoir.audit")

_SQLITE = {
    name: f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} {when}BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for name, event, when in (
        (_UPDATE, "UPDATE", ""),
        (_DELETE, "DELETE", ""),
        # INSERT OR REPLACE deletes rows without firing the DELETE trigger
        (_REPLACE, "INSERT", f"WHEN EXISTS (SELECT 1 FROM {TABLE} WHERE rowid = NEW.rowid) "),
    )
}
_POSTGRESQL_FUNCTION = (
    f"CREATE OR REPLACE FUNCTION {TABLE}_refuse() RETURNS trigger AS $$ BEGIN "
    "IF current_setting('comptoir.audit', true) = 'open' THEN "
    "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END IF; "
    f"RAISE EXCEPTION '{REFUSAL}'; END $$ LANGUAGE plpgsql"
)
_POSTGRESQL = {
    name: f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} FOR EACH {each} EXECUTE FUNCTION {TABLE}_refuse()"
    for name, event, each in (
        (_UPDATE, "UPDATE", "ROW"),
        (_DELETE, "DELETE", "ROW"),
        (_EMPTY, "TRUNCATE", "STATEMENT"),
    )
}
_MYSQL = {
    name: f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} FOR EACH ROW BEGIN IF @comptoir_audit IS NULL THEN "
    f"SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1451, MESSAGE_TEXT = '{REFUSAL}'; END IF; END"
    for name, event in ((_UPDATE, "UPDATE"), (_DELETE, "DELETE"))
}
#: MySQL has no TRUNCATE trigger, but it doesn't truncate a table that a foreign key references
_MYSQL_GUARD = (
    f"CREATE TABLE IF NOT EXISTS {GUARD} (fk_audit BIGINT, FOREIGN KEY (fk_audit) REFERENCES {TABLE} (rowid)) "
    "ENGINE=InnoDB"
)
_TRIGGERS = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL, "mysql": _MYSQL}
_PRESENT = {
    "sqlite": f"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{TABLE}'",
    "postgresql": f"SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass('{TABLE}') AND tgenabled <> 'D'",
    "mysql": "SELECT trigger_name FROM information_schema.triggers "
    f"WHERE event_object_schema = DATABASE() AND event_object_table = '{TABLE}' "
    f"UNION ALL SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
    f"AND table_name = '{GUARD}'",
}


def missing() -> list[str]:
    """Return the triggers that the current database lacks, in order of creation."""
    kind = dialect_name()
    present = {name for (name,) in database.execute_sql(_PRESENT[kind]).fetchall()}
    return [name for name in (*_TRIGGERS[kind], *((GUARD,) if kind == "mysql" else ())) if name not in present]


def protect() -> None:
    """Create the missing triggers; call it with the schema lock held."""
    kind = dialect_name()
    lacking = missing()
    try:
        if lacking and kind == "postgresql":
            _run(_POSTGRESQL_FUNCTION)
        for name in lacking:
            _run(_MYSQL_GUARD if name == GUARD else _TRIGGERS[kind][name])
    except peewee.OperationalError as error:
        # MariaDB: with a binary log, or without the TRIGGER privilege, only an administrator may create triggers
        if kind != "mysql":
            raise
        _log.error(
            "no triggers protect the audit trail: %s; grant TRIGGER on the database, set "
            "log_bin_trust_function_creators if it has a binary log, then restart",
            error,
        )


def record() -> None:
    """Start noting every change in the current database."""
    database.obj.recorder = Recorder()


@contextmanager
def opened() -> Iterator[None]:
    """Open a transaction that may change and delete rows of the trail; only for the audit commands."""
    kind = dialect_name()
    with transaction():
        if kind == "postgresql":
            _run("SET LOCAL comptoir.audit = 'open'")
        elif kind == "mysql":
            _run("SET @comptoir_audit = 1")
        else:
            # SQLite has one writer at a time, and a rollback restores the triggers
            for name in (_UPDATE, _DELETE):
                _run(f"DROP TRIGGER IF EXISTS {name}")
        try:
            yield
        finally:
            if kind == "mysql":
                _run("SET @comptoir_audit = NULL")
        if kind == "sqlite":
            for name in (_UPDATE, _DELETE):
                _run(_SQLITE[name])


def _run(sql: str) -> Any:
    opened_database: Any = database.obj
    return opened_database.run(sql)


__all__ = ["GUARD", "REFUSAL", "TABLE", "Change", "missing", "opened", "protect", "record"]
