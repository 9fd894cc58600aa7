"""`comptoir copy`: the database into another one, of whatever kind."""

from __future__ import annotations

import time
from collections.abc import Mapping

import click

from ..common.masks import hide_password
from ..transfer.copying import copy_database
from ..transfer.tables import Totals
from .database_wait import require_installation
from .terminal import plural, progress_bar, read_settings, show_json


@click.command("copy")
@click.option("--to", "target", required=True, metavar="URL", help="The database to fill; it holds no table yet.")
@click.option("--again", is_flag=True, help="Empty a target that a copy has left half filled, and begin again.")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
def copy(target: str, again: bool, as_json: bool) -> None:
    """Copy the database of COMPTOIR_DATABASE into an empty one, from any kind to any kind.

    The server may run meanwhile: what is copied is what there was at the beginning. At the end rows, values and sums of
    both are compared. Files stay where they are.
    """
    configuration = read_settings()
    if target.strip() == configuration.database:
        raise click.ClickException("--to names the database of COMPTOIR_DATABASE itself")
    require_installation(configuration)
    started = time.monotonic()
    made = copy_database(configuration.database, target, configuration, again=again, progress=progress_bar)
    show_copied(made.tables, made.warnings, as_json=as_json, seconds=time.monotonic() - started)
    if not as_json:
        click.echo(f"{hide_password(target)} is a copy. To serve it, set COMPTOIR_DATABASE to it.")


def show_copied(
    tables: Mapping[str, Totals],
    warnings: list[str],
    besides: str = "",
    *,
    as_json: bool,
    seconds: float,
    **more: object,
) -> None:
    """Say what was copied.

    :param besides: in words, behind the number of rows and tables
    :param more: what a program is told besides
    """
    rows = sum(each.rows for each in tables.values())
    if as_json:
        counted = {name: {"rows": each.rows, "sums": each.sums} for name, each in tables.items()}
        show_json({"tables": counted, "rows": rows, **more, "warnings": warnings, "seconds": round(seconds, 1)})
        return
    for warning in warnings:
        click.echo(f"  {warning}", err=True)
    click.echo(
        f"{plural(rows, 'row')} of {plural(len(tables), 'table')}{besides} in {seconds:.1f} s; "
        "rows, values and sums are the same at both ends."
    )
