"""The command line: one file per command. `--json` prints what programs read."""

from __future__ import annotations

import click

from ..version import VERSION, commit
from .backup import backup, restore
from .check import check
from .copy import copy
from .demo import demo
from .grant import grant
from .jobs import jobs
from .key import key
from .migrate import migrate
from .new import new
from .of_modules import AllCommands
from .routes import routes
from .serve import serve
from .settings import settings
from .tables import tables
from .user import user


def _show_version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        known = commit()
        click.echo(f"comptoir {VERSION}" + (f" ({known})" if known else ""))
        context.exit()


@click.group(
    "comptoir", cls=AllCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and the commit.",
)
def main() -> None:
    """Run and manage Comptoir, a REST server for business records.

    Settings are environment variables; `comptoir settings` lists them.
    """


_COMMANDS = (
    serve, demo, settings, user, key, grant, check, routes, new, migrate, tables, jobs, backup, restore, copy,
)  # fmt: skip
for _command in _COMMANDS:
    main.add_command(_command)

__all__ = ["main"]
