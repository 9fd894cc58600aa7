"""`comptoir routes`: all routes, and the files that could not be loaded."""

from __future__ import annotations

import click

from ..loading.check import examine
from ..loading.file_status import file_statuses
from .check import short
from .terminal import plural, read_settings, show_json, show_table


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def routes(as_json: bool) -> None:
    """List all routes with verb, path, permission and summary."""
    statuses = file_statuses(examine(read_settings().module_folders))
    table = sorted(
        (route for each in statuses for route in each.routes), key=lambda route: (route["path"], route["verb"])
    )
    failed = [each for each in statuses if each.state == "failed"]
    if as_json:
        failures = [{"file": str(each.file), "service": each.service, "reason": each.reason} for each in failed]
        show_json({"routes": table, "failures": failures})
        return
    heads = ("verb", "path", "permission", "summary")
    show_table([head.upper() for head in heads], [[route[head] for head in heads] for route in table])
    if failed:
        click.echo(f"\n{plural(len(failed), 'file')} could not be loaded (run `comptoir check` for details):")
        for each in failed:
            click.echo(f"  {short(each.file)}: {each.reason}")
