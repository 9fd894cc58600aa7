"""`comptoir settings`: every setting with its value, default and meaning."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict
from itertools import groupby

import click

from ..common.settings import SettingError, Settings, describe_settings
from .terminal import SETTING, describe_problems, json_option, show_json

_INDENT = "      "


@click.command()
@json_option
@click.pass_context
def settings(context: click.Context, as_json: bool) -> None:
    """List all settings with their current values.

    Each setting is an environment variable. Passwords and keys are hidden. If a server would reject a setting, the
    problems follow the list and the exit code is 2.
    """
    described = describe_settings()
    problems = _problems()
    if as_json:
        show_json({"settings": [asdict(each) for each in described], "problems": problems})
    else:
        width = min(shutil.get_terminal_size().columns, 100)
        for group, members in groupby(described, lambda each: each.group):
            click.echo(click.style(group, bold=True))
            for each in members:
                default = f"  (default: {each.default or 'empty'})" if each.value != each.default else ""
                click.echo(f"  {each.name} = {each.value or '(empty)'}{default}")
                click.echo(click.wrap_text(each.meaning, width, _INDENT, _INDENT))
            click.echo()
        if problems:
            click.echo(f"Error: {describe_problems(problems)}", err=True)
    context.exit(SETTING if problems else 0)


def _problems() -> list[str]:
    """Return what a server would reject, as it reports it."""
    try:
        Settings.from_environment(os.environ, ready=True)
    except SettingError as error:
        return list(error.wrong)
    return []
