"""`comptoir tables`: list all tables with their modules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import click

from ..audit.protection import GUARD
from ..loading.folders import look
from ..loading.loader import Loader
from ..records.extra_fields import values_table
from ..schema.alterations import VALUES
from ..schema.known_tables import known_tables
from ..schema.table import owner_of, table_name
from ..storage.database import close, database, query, quote
from ..storage.model import Model, all_models, meta_of
from .database_wait import require_installation
from .terminal import plural, read_settings, show_json, show_table


@dataclass(frozen=True)
class TableInfo:
    """A table of the database.

    :ivar module: the module that it belongs to; empty: unknown
    :ivar model: the class; empty if there isn't one
    :ivar belongs_to: the table whose extra fields it holds
    """

    name: str
    rows: int
    module: str
    model: str
    belongs_to: str = ""


def all_tables(models: Iterable[type[Model]]) -> list[TableInfo]:
    """Return every table of the current database.

    :param models: those of the loaded modules; those of the core are added
    """
    known = known_tables()
    of_core = [model for model in all_models(Model) if owner_of(model) == "core"]
    by_table = {table_name(model): model for model in [*of_core, *models]}
    values = {values_table(model): table_name(model) for model in by_table.values() if meta_of(model).extrafields}
    existing = set(database.get_tables())
    found = []
    for name in sorted(existing):
        of, base = values.get(name, ""), name.removesuffix(VALUES)
        if not of and name.endswith(VALUES) and (base in existing or base in known):
            of = base
        model = by_table.get(of or name)
        owners = [known[each][1] for each in (name, of) if each in known]
        module = owner_of(model) if model else next(filter(None, owners), "")
        shown = "" if model is None else f"{model.__name__}, extra fields" if of else model.__name__
        if name == GUARD:
            module, shown = "core", "GUARD"
        rows = int(query(f"SELECT COUNT(*) FROM {quote(name)}")[0][0])
        found.append(TableInfo(name, rows, module, shown, of))
    return found


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
    if as_json:
        show_json(
            [
                {"name": each.name, "rows": each.rows, "module": each.module or None, "model": each.model or None}
                for each in notes
            ]
        )
        return
    left = [each for each in notes if not each.model]
    why = dict.fromkeys(broken, "(module can't be loaded)")
    show_table(
        ["TABLE", "ROWS", "MODULE", "MODEL"],
        [[each.name, each.rows, each.module, each.model or why.get(each.module, "(none)")] for each in notes],
    )
    if left:
        advice = (
            f"repair the modules that can't be loaded ({', '.join(sorted(broken))}) before you drop any"
            if broken
            else "to drop one, run `DROP TABLE name` in the database"
        )
        click.echo(f"\n{plural(len(left), 'table')} without a model; {advice}.")
