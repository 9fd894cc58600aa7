"""`comptoir routes`: all routes, and the files that could not be loaded."""

from __future__ import annotations

import click

from ..loading.check import examine
from ..loading.file_status import file_statuses
from .terminal import json_option, plural, read_settings, short, show, show_json


@click.command()
@json_option
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
    show(table, {head.upper(): head for head in ("verb", "path", "permission", "summary")})
    if failed:
        click.echo(f"\n{plural(len(failed), 'file')} could not be loaded (run `comptoir check` for details):")
        for each in failed:
            click.echo(f"  {short(each.file)}: {each.reason}")
