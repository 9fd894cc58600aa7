"""The first start: the first administrator and the key that is shown once."""

from __future__ import annotations

import click
import peewee

from ..access.accounts import Account
from ..access.keys import make_key
from ..common.settings import Settings
from ..storage.database import ensure_connected, transaction

LOGIN = "admin"


def first_administrator(configuration: Settings) -> str | None:
    """Make the administrator of a database that has no user; answers the key, None when there are users."""
    ensure_connected()
    try:
        with transaction():
            if Account.select().exists():
                return None
            user = Account.create(login=LOGIN, admin=1, lastname="Administrator")
            return make_key(user.id, "first start", key=configuration.admin_key or None)
    except peewee.IntegrityError:
        # Another server did the same at this moment
        return None


def show_key(key: str, configuration: Settings) -> None:
    """Print the key; one that came from the environment is already known, and is not repeated in a log."""
    if configuration.admin_key:
        click.echo(f"  key       the one of COMPTOIR_ADMIN_KEY, for the user {LOGIN}")
        return
    click.echo(f"  key       {key}")
    click.echo(f"            It belongs to the user {LOGIN} and is not shown again;")
    click.echo(f"            python -m core key add {LOGIN} makes another one.")
