"""What an empty dictionary begins with."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from core import Model, bump, transaction

_DATA = Path(__file__).parent / "data"


def seed(model: type[Model]) -> None:
    """Fill a dictionary that is empty; another worker may be doing the same at this moment."""
    # Columns the file does not name take the model's defaults
    with transaction():
        model.insert_many(_rows(model)).on_conflict_ignore().execute()
        # What is read in this transaction is not kept beyond it
        bump()


def _rows(model: Any) -> list[dict[str, str]]:
    file = _DATA / f"{model._meta.table_name}.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
