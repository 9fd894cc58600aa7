"""The dictionary of countries began with France alone: emptied, it is filled with all of them when it is first read."""

from __future__ import annotations

from typing import Any


def migrate(tables: Any) -> None:
    """Empty the table, if France is all it holds."""
    ((number,),) = tables.rows("SELECT COUNT(*) FROM llx_c_country")
    if number == 1:
        tables.fill("DELETE FROM llx_c_country")
