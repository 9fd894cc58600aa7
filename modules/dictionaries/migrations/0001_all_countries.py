"""The dictionary of countries began with France alone: emptied, it is filled with all of them when it is first read."""

from __future__ import annotations

from typing import Any


def migrate(database: Any) -> None:
    """Empty the table, if France is all it holds."""
    (number,) = database.execute_sql("SELECT COUNT(*) FROM llx_c_country").fetchone()
    if number == 1:
        database.execute_sql("DELETE FROM llx_c_country")
