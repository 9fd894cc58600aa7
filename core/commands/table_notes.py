"""Notes of `comptoir check` about the tables, if the database is reachable."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import peewee

from ..common.settings import settings
from ..schema.forms import TableForm
from ..schema.known_tables import known_forms
from ..storage.database import close, ensure_connected
from ..storage.opening import DatabaseUrlError, is_missing, open_database


def kept_forms() -> dict[str, tuple[TableForm, str]] | None:
    """Return the stored form of each table; None if the database is unreachable or does not exist yet."""
    url = settings().database
    if is_missing(url):
        return None
    try:
        open_database(url)
        ensure_connected()
        return known_forms()
    except (peewee.PeeweeException, DatabaseUrlError, OSError, TypeError, ValueError):
        return None
    finally:
        close()


def table_notes(forms: Mapping[str, tuple[TableForm, str]], modules: Collection[str]) -> list[str]:
    """Return a note for each column without a field.

    :param modules: modules whose tables are checked
    """
    return [
        f"{table}.{name}: {owner}/models.py has no field for this column; a migration can drop it "
        f"(tables.drop({table!r}, {name!r}))"
        for table, (form, owner) in sorted(forms.items())
        if owner in modules
        for name, column in form.columns.items()
        if column.left
    ]
