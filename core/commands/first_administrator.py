"""The first start: the first administrator and the key that is shown once."""

from __future__ import annotations

import click
import peewee

from ..access.accounts import Account
from ..access.keys import Key, digest_of, make_key
from ..common.settings import Settings
from ..storage.database import close, ensure_connected, transaction

LOGIN = "admin"

#: what the first key is called, and until it has been shown
_LABEL, _UNSEEN = "first start", "first start, not shown yet"


def first_administrator(configuration: Settings) -> str | None:
    """Make the administrator of a database that has no user; answers the key, None when there are users."""
    ensure_connected()
    label = _LABEL if configuration.admin_key else _UNSEEN
    try:
        with transaction():
            if Account.select().exists():
                return None
            user = Account.create(login=LOGIN, admin=1, lastname="Administrator")
            return make_key(user.id, label, key=configuration.admin_key or None)
    except peewee.IntegrityError:
        # Another server did the same at this moment
        return None


def is_key_unseen() -> bool:
    """Whether nobody can have a key: the start that made the only one was ended, or has not come to show it yet."""
    ensure_connected()
    return {each.label for each in Key.select(Key.label)} == {_UNSEEN}


def show_unseen() -> None:
    """Say what to do when the first key was never shown."""
    click.echo("  key       another start made the first one and has not shown it; if it does not do so now,")
    click.echo(f"            python -m core key add {LOGIN} makes another one.")


def show_key(key: str, configuration: Settings) -> None:
    """Print the key; one that came from the environment is already known, and is not repeated in a log."""
    if configuration.admin_key:
        click.echo(f"  key       the one of COMPTOIR_ADMIN_KEY, for the user {LOGIN}")
        return
    click.echo(f"  key       {key}")
    click.echo(f"            It belongs to the user {LOGIN} and is not shown again;")
    click.echo(f"            python -m core key add {LOGIN} makes another one.")
    ensure_connected()
    Key.update(label=_LABEL).where(Key.digest == digest_of(key)).execute()
    close()
