"""`comptoir tables`: list all tables with their modules."""

from __future__ import annotations

from typing import Any

import click

from ..loading.folders import look
from ..loading.loader import Loader
from ..schema.tables import all_tables
from ..storage.database import close
from .database_wait import require_installation
from .terminal import json_option, plural, read_settings, show


@click.command()
@json_option
@click.argument("names", nargs=-1, metavar="[NAME]...")
def tables(as_json: bool, names: tuple[str, ...]) -> None:
    """List all tables with their number of rows, module and model."""
    configuration = read_settings()
    made = Loader(configuration.module_folders, tables=False).load()
    broken = {each.module for each in made.failures}
    broken |= {each.name for each in look(configuration.module_folders)[0] if each.refused and not each.is_second}
    require_installation(configuration)
    try:
        notes = [each for each in all_tables(made.models) if not names or each.name in names]
    finally:
        close()
    rows = [
        {"name": each.name, "rows": each.rows, "module": each.module or None, "model": each.model or None}
        for each in notes
    ]

    def model(row: dict[str, Any]) -> object:
        return row["model"] or ("(module can't be loaded)" if row["module"] in broken else "(none)")

    show(rows, {"TABLE": "name", "ROWS": "rows", "MODULE": "module", "MODEL": model}, as_json)
    left = [] if as_json else [each for each in notes if not each.model]
    if left:
        advice = (
            f"repair the modules that can't be loaded ({', '.join(sorted(broken))}) before you drop any"
            if broken
            else "to drop one, run `DROP TABLE name` in the database"
        )
        click.echo(f"\n{plural(len(left), 'table')} without a model; {advice}.")
