"""`comptoir tables`: list all tables with their modules, and drop leftover ones."""

from __future__ import annotations

import click

from ..contract.catalogue import Catalogue
from ..jobs.claiming import count_strays
from ..loading.folders import look
from ..loading.loader import Loader
from ..schema.orphans import NotAnOrphan, all_tables, drop_tables, ensure_orphans
from ..schema.tables import ensure_core_tables
from ..storage.database import close
from .database_wait import require_installation
from .terminal import plural, read_settings, show_json, show_table


@click.command()
@click.option("--drop", "drops", is_flag=True, help="Drop the tables NAME…, which must have no model.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def tables(drops: bool, yes: bool, as_json: bool, names: tuple[str, ...]) -> None:
    """List all tables with their number of rows, module and model.

    --drop removes tables without a model, together with their extra fields. It never removes tables of modules that
    can't be loaded.
    """
    configuration = read_settings()
    made = Loader(configuration.module_folders, tables=False).load()
    broken = {each.module for each in made.failures}
    broken |= {each.name for each in look(configuration.module_folders)[0] if each.refused and not each.is_second}
    require_installation(configuration)
    try:
        if drops:
            _drop(names, made, broken, yes=yes)
            return
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
            else f"run `comptoir tables --drop NAME…` to drop {'it' if len(left) == 1 else 'them'}"
        )
        click.echo(f"\n{plural(len(left), 'table')} without a model; {advice}.")


def _drop(names: tuple[str, ...], made: Catalogue, broken: set[str], *, yes: bool) -> None:
    if not names:
        raise click.UsageError("--drop: expected the names of tables, got none")
    ensure_core_tables()
    known = {each.name: each for each in all_tables(made.models)}
    try:
        ensure_orphans(names, known, broken)
        if not yes:
            listed = ", ".join(f"{name} ({plural(known[name].rows, 'row')})" for name in names)
            click.confirm(f"Permanently drop {listed}?", abort=True)
        for name in drop_tables(names, made.models, broken):
            click.echo(f"dropped  {name}")
    except NotAnOrphan as error:
        raise click.ClickException(f"{error}; nothing was dropped") from error
    modules = {known[name].module for name in names}
    # Jobs whose functions are missing: they would run if the functions came back
    for called, number in count_strays([(each.module, each.name) for each in made.jobs.values()], due=False).items():
        module = called.partition(".")[0]
        if module in modules:
            click.echo(
                f"{plural(number, 'job')} of {called} {'is' if number == 1 else 'are'} still waiting; to remove "
                f"{'it' if number == 1 else 'them'}, run `comptoir jobs forget --status waiting --job {called}`."
            )
